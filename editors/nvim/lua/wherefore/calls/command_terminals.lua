--- `:Wherefore commands`: the commands that calls run, each with its output in a terminal buffer.
local M = {}

local api = vim.api
local client = require('wherefore.server.client')
local methods = require('wherefore.server.wire').methods
local messages = require('wherefore.messages')
local text = require('wherefore.text')

--- The number of commands that are remembered.
local most = 50
--- Bytes of the output of one command that are kept for a terminal that is opened later.
local kept_bytes = 512 * 1024

---@class wherefore.CommandTerminal
---@field client integer the client whose server runs the command
---@field notice wherefore.CommandNotice the last one
---@field output string[] its pieces, as a terminal takes them
---@field bytes integer how many they are
---@field buf? integer
---@field channel? integer

---@type wherefore.CommandTerminal[] oldest first
local list = {}
---@type table<string, wherefore.CommandTerminal>
local known = {}
local on_change, changed = require('wherefore.listeners').make_list()

--- Calls `run` when a command starts or ends.
M.on_change = on_change

---@param id integer
---@param of wherefore.CommandNotice|wherefore.CallNotice
local function make_key(id, of)
  return ('%d/%s/%s'):format(id, of.session, of.call_id)
end

---@param terminal wherefore.CommandTerminal
---@return boolean
local function is_running(terminal)
  return terminal.notice.state ~= 'ended'
end

--- Describes the state of a command.
---@param terminal wherefore.CommandTerminal
---@return string
local function describe_state(terminal)
  local notice = terminal.notice
  if is_running(terminal) then
    return notice.background and 'runs in the background' or 'runs'
  end
  local seconds = notice.duration_ms and (', %.1f s'):format(notice.duration_ms / 1000) or ''
  return (notice.outcome or 'ended') .. seconds
end

--- The tier that a command runs in, by its name.
---@param terminal wherefore.CommandTerminal
---@return string
function M.find_tier(terminal)
  return (terminal.notice.tier:gsub(' %(.*', ''))
end

---@param terminal wherefore.CommandTerminal
---@return string
local function describe_command(terminal)
  local notice = terminal.notice
  return ('%s · %s · %s · %s'):format(notice.call_id, describe_state(terminal), M.find_tier(terminal), notice.why)
end

---@param buf integer
---@return boolean
local function is_valid(buf)
  return buf ~= nil and api.nvim_buf_is_valid(buf)
end

---@param terminal wherefore.CommandTerminal
---@param piece string
local function write_piece(terminal, piece)
  piece = piece:gsub('\r?\n', '\r\n')
  table.insert(terminal.output, piece)
  terminal.bytes = terminal.bytes + #piece
  while terminal.bytes > kept_bytes and #terminal.output > 1 do
    terminal.bytes = terminal.bytes - #table.remove(terminal.output, 1)
  end
  if is_valid(terminal.buf) then
    api.nvim_chan_send(terminal.channel, piece)
  end
end

---@param terminal wherefore.CommandTerminal
local function draw_bars(terminal)
  local keys = is_running(terminal) and 'x cancel · q close' or 'q close'
  local bar = text.clip(describe_command(terminal), 400):gsub('%%', '%%%%')
  for _, win in ipairs(is_valid(terminal.buf) and vim.fn.win_findbuf(terminal.buf) or {}) do
    vim.wo[win][0].winbar = ('%s%%<%%=  %s'):format(bar, keys)
  end
end

--- Makes room for one: the oldest that ended goes first.
local function forget_one()
  for index, terminal in ipairs(list) do
    if not is_running(terminal) then
      known[make_key(terminal.client, terminal.notice)] = nil
      if is_valid(terminal.buf) and #vim.fn.win_findbuf(terminal.buf) == 0 then
        api.nvim_buf_delete(terminal.buf, { force = true })
      end
      return table.remove(list, index)
    end
  end
end

---@param id integer
---@param notice wherefore.CommandNotice
---@return wherefore.CommandTerminal
local function add_terminal(id, notice)
  if #list >= most then
    forget_one()
  end
  local terminal = { client = id, notice = notice, output = {}, bytes = 0 }
  table.insert(list, terminal)
  known[make_key(id, notice)] = terminal
  write_piece(terminal, ('\27[1m$ %s\27[0m\n'):format(text.escape_hidden(notice.command)))
  return terminal
end

--- A command started, wrote something or ended.
---@param id integer the client
---@param notice wherefore.CommandNotice
function M.take_notice(id, notice)
  local terminal = known[make_key(id, notice)]
  local is_new = terminal == nil
  terminal = terminal or add_terminal(id, notice)
  terminal.notice = notice
  if notice.text and notice.text ~= '' then
    write_piece(terminal, notice.text)
  end
  if (notice.left_out or 0) > 0 then
    write_piece(terminal, ('\27[0m\n… %d bytes left out …\n'):format(notice.left_out))
  end
  if notice.state == 'ended' then
    write_piece(terminal, ('\27[0m\n[%s]\n'):format(text.escape_hidden(describe_state(terminal))))
  end
  if is_new or notice.state == 'ended' then
    draw_bars(terminal)
    changed()
  end
end

--- A server ended, and with it what it ran.
---@param id integer
function M.end_all(id)
  for _, terminal in ipairs(list) do
    if terminal.client == id and is_running(terminal) then
      M.take_notice(id, vim.tbl_extend('force', terminal.notice, { state = 'ended', outcome = 'the server ended', text = '', left_out = 0 }))
    end
  end
end

--- The command of a call, where it runs one or ran one.
---@param call wherefore.CallRecord
---@return wherefore.CommandTerminal?
function M.find_by_call(call)
  return known[make_key(call.client, call.notice)]
end

--- The command that a call runs, or that it left in the background.
---@param call wherefore.CallRecord
---@return wherefore.CommandTerminal?
function M.find_running(call)
  local terminal = M.find_by_call(call)
  return terminal and is_running(terminal) and terminal or nil
end

--- Finds how the command ended that a call left in the background, where that failed.
---@param call wherefore.CallRecord
---@return string?
function M.find_failure(call)
  local terminal = M.find_by_call(call)
  local notice = terminal and not is_running(terminal) and terminal.notice
  return notice and notice.background and notice.exit_code ~= 0 and notice.outcome or nil
end

--- Ends a command.
---@param terminal wherefore.CommandTerminal
function M.cancel_command(terminal)
  local id = terminal.notice.call_id
  local lsp = vim.lsp.get_client_by_id(terminal.client)
  if not is_running(terminal) or not lsp then
    return messages.show(('wherefore: the command of %s has ended'):format(id))
  end
  client.request(lsp, methods.cancel, { call_id = id, root = lsp.config.root_dir }, function()
    messages.show(('wherefore: the command of %s was told to stop'):format(id))
  end)
end

---@param terminal wherefore.CommandTerminal
---@return integer
local function open_buffer(terminal)
  if is_valid(terminal.buf) then
    return terminal.buf
  end
  local buf = api.nvim_create_buf(false, true)
  local function cancel()
    M.cancel_command(terminal)
  end
  terminal.buf = buf
  terminal.channel = api.nvim_open_term(buf, {
    on_input = function(_, _, _, keys)
      if keys == '\3' then
        vim.schedule(cancel)
      end
    end,
  })
  vim.bo[buf].scrollback = 10000
  api.nvim_buf_set_name(buf, ('wherefore://command/%s/%s'):format(terminal.notice.session, terminal.notice.call_id))
  for lhs, run in pairs({ x = cancel, ['<C-c>'] = cancel, q = '<Cmd>close<CR>' }) do
    vim.keymap.set('n', lhs, run, { buffer = buf, nowait = true, desc = 'wherefore: ' .. (lhs == 'q' and 'close' or 'cancel') })
  end
  api.nvim_chan_send(terminal.channel, table.concat(terminal.output))
  return buf
end

--- Shows a command's output, in a window below that follows its end.
---@param terminal wherefore.CommandTerminal
function M.show_terminal(terminal)
  local buf = open_buffer(terminal)
  local win = vim.fn.bufwinid(buf)
  if win > 0 then
    api.nvim_set_current_win(win)
  else
    vim.cmd('botright 12split')
    api.nvim_win_set_buf(0, buf)
  end
  draw_bars(terminal)
  -- What was sent is in the buffer a moment later.
  vim.schedule(function()
    if api.nvim_get_current_buf() == buf then
      api.nvim_win_set_cursor(0, { api.nvim_buf_line_count(buf), 0 })
    end
  end)
end

--- The commands, those that run first, each group newest first.
---@return wherefore.CommandTerminal[]
local function list_terminals()
  local running, ended = {}, {}
  for _, terminal in vim.iter(list):rev():enumerate() do
    table.insert(is_running(terminal) and running or ended, terminal)
  end
  return vim.list_extend(running, ended)
end

--- The ids of the calls with a command, those that run first.
---@return string[]
function M.list_ids()
  return vim.tbl_map(function(terminal)
    return terminal.notice.call_id
  end, list_terminals())
end

--- Shows the command of the call named, the only one that runs, or the one that the person picks.
---@param id? string
function M.open_by_id(id)
  local terminals = list_terminals()
  if #terminals == 0 then
    return messages.show('wherefore: no command ran yet')
  end
  local alone = #terminals == 1 or is_running(terminals[1]) and not is_running(terminals[2])
  if not id and alone then
    return M.show_terminal(terminals[1])
  end
  for _, terminal in ipairs(terminals) do
    if terminal.notice.call_id == id then
      return M.show_terminal(terminal)
    end
  end
  if id then
    return messages.warn(('no command of %s is remembered; Tab shows those that are'):format(id))
  end
  local options = {
    prompt = 'wherefore: commands',
    format_item = function(terminal)
      return text.clip(('%s: %s'):format(terminal.notice.command, describe_command(terminal)), 200)
    end,
  }
  vim.ui.select(terminals, options, function(terminal)
    if terminal then
      M.show_terminal(terminal)
    end
  end)
end

return M
