--- `:Wherefore commands`: the commands that calls run, each with its output in a terminal buffer.
local M = {}

local api = vim.api
local client = require('wherefore.client')
local methods = require('wherefore.wire').methods
local notify = require('wherefore.notify')
local text = require('wherefore.text')

--- How many commands are remembered.
local most = 50
--- Bytes of the output of one command that are kept for a terminal that is opened later.
local kept_bytes = 512 * 1024

---@class wherefore.Terminal
---@field client integer the client whose server runs the command
---@field notice wherefore.CommandNotice the last one
---@field output string[] its pieces, as a terminal takes them
---@field bytes integer how many they are
---@field buf? integer
---@field channel? integer

---@type wherefore.Terminal[] oldest first
local list = {}
---@type table<string, wherefore.Terminal>
local known = {}
local on_change, changed = require('wherefore.listeners').new()

--- Calls `run` when a command starts or ends.
M.on_change = on_change

---@param id integer
---@param of wherefore.CommandNotice|wherefore.CallNotice
local function key(id, of)
  return ('%d/%s/%s'):format(id, of.session, of.call_id)
end

---@param terminal wherefore.Terminal
---@return boolean
local function runs(terminal)
  return terminal.notice.state ~= 'ended'
end

--- How a command stands, and in which tier it runs, in a few words.
---@param terminal wherefore.Terminal
---@return string
local function standing(terminal)
  local notice = terminal.notice
  if runs(terminal) then
    return notice.background and 'runs in the background' or 'runs'
  end
  local seconds = notice.duration_ms and (', %.1f s'):format(notice.duration_ms / 1000) or ''
  return (notice.outcome or 'ended') .. seconds
end

--- The tier that a command runs in, by its name.
---@param terminal wherefore.Terminal
---@return string
function M.tier(terminal)
  return (terminal.notice.tier:gsub(' %(.*', ''))
end

---@param terminal wherefore.Terminal
---@return string
local function head(terminal)
  local notice = terminal.notice
  return ('%s · %s · %s · %s'):format(notice.call_id, standing(terminal), M.tier(terminal), notice.why)
end

---@param buf integer
---@return boolean
local function is_valid(buf)
  return buf ~= nil and api.nvim_buf_is_valid(buf)
end

---@param terminal wherefore.Terminal
---@param piece string
local function write(terminal, piece)
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

---@param terminal wherefore.Terminal
local function draw_bars(terminal)
  local keys = runs(terminal) and 'x cancel · q close' or 'q close'
  local bar = text.clip(head(terminal), 400):gsub('%%', '%%%%')
  for _, win in ipairs(is_valid(terminal.buf) and vim.fn.win_findbuf(terminal.buf) or {}) do
    vim.wo[win][0].winbar = ('%s%%<%%=  %s'):format(bar, keys)
  end
end

--- Makes room for one: the oldest that ended goes first.
local function forget_one()
  for index, terminal in ipairs(list) do
    if not runs(terminal) then
      known[key(terminal.client, terminal.notice)] = nil
      if is_valid(terminal.buf) and #vim.fn.win_findbuf(terminal.buf) == 0 then
        api.nvim_buf_delete(terminal.buf, { force = true })
      end
      return table.remove(list, index)
    end
  end
end

---@param id integer
---@param notice wherefore.CommandNotice
---@return wherefore.Terminal
local function make(id, notice)
  if #list >= most then
    forget_one()
  end
  local terminal = { client = id, notice = notice, output = {}, bytes = 0 }
  table.insert(list, terminal)
  known[key(id, notice)] = terminal
  write(terminal, ('\27[1m$ %s\27[0m\n'):format(text.plain(notice.command)))
  return terminal
end

--- A command started, wrote something or ended.
---@param id integer the client
---@param notice wherefore.CommandNotice
function M.heard(id, notice)
  local terminal = known[key(id, notice)]
  local is_new = terminal == nil
  terminal = terminal or make(id, notice)
  terminal.notice = notice
  if notice.text and notice.text ~= '' then
    write(terminal, notice.text)
  end
  if (notice.left_out or 0) > 0 then
    write(terminal, ('\27[0m\n… %d bytes left out …\n'):format(notice.left_out))
  end
  if notice.state == 'ended' then
    write(terminal, ('\27[0m\n[%s]\n'):format(text.plain(standing(terminal))))
  end
  if is_new or notice.state == 'ended' then
    draw_bars(terminal)
    changed()
  end
end

--- A server ended, and with it what it ran.
---@param id integer
function M.lost(id)
  for _, terminal in ipairs(list) do
    if terminal.client == id and runs(terminal) then
      M.heard(id, vim.tbl_extend('force', terminal.notice, { state = 'ended', outcome = 'the server ended', text = '', left_out = 0 }))
    end
  end
end

--- The command of a call, where it runs one or ran one.
---@param call wherefore.Call
---@return wherefore.Terminal?
function M.of(call)
  return known[key(call.client, call.notice)]
end

--- The command that a call runs, or that it left in the background.
---@param call wherefore.Call
---@return wherefore.Terminal?
function M.running(call)
  local terminal = M.of(call)
  return terminal and runs(terminal) and terminal or nil
end

--- Ends a command.
---@param terminal wherefore.Terminal
function M.cancel(terminal)
  local id = terminal.notice.call_id
  local lsp = vim.lsp.get_client_by_id(terminal.client)
  if not runs(terminal) or not lsp then
    return notify.say(('wherefore: the command of %s has ended'):format(id))
  end
  client.request(lsp, methods.cancel, { call_id = id, root = lsp.config.root_dir }, function()
    notify.say(('wherefore: the command of %s was told to stop'):format(id))
  end)
end

---@param terminal wherefore.Terminal
---@return integer
local function buffer_of(terminal)
  if is_valid(terminal.buf) then
    return terminal.buf
  end
  local buf = api.nvim_create_buf(false, true)
  local function cancel()
    M.cancel(terminal)
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
---@param terminal wherefore.Terminal
function M.show(terminal)
  local buf = buffer_of(terminal)
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
---@return wherefore.Terminal[]
local function all()
  local running, ended = {}, {}
  for _, terminal in vim.iter(list):rev():enumerate() do
    table.insert(runs(terminal) and running or ended, terminal)
  end
  return vim.list_extend(running, ended)
end

--- The ids of the calls with a command, those that run first.
---@return string[]
function M.ids()
  return vim.tbl_map(function(terminal)
    return terminal.notice.call_id
  end, all())
end

--- Shows the command of the call named, the only one that runs, or the one that the person picks.
---@param id? string
function M.open(id)
  local terminals = all()
  if #terminals == 0 then
    return notify.say('wherefore: no command ran yet')
  end
  local alone = #terminals == 1 or runs(terminals[1]) and not runs(terminals[2])
  if not id and alone then
    return M.show(terminals[1])
  end
  for _, terminal in ipairs(terminals) do
    if terminal.notice.call_id == id then
      return M.show(terminal)
    end
  end
  if id then
    return notify.warn(('no command of %s is remembered; Tab shows those that are'):format(id))
  end
  local options = {
    prompt = 'wherefore: commands',
    format_item = function(terminal)
      return text.clip(('%s: %s'):format(terminal.notice.command, head(terminal)), 200)
    end,
  }
  vim.ui.select(terminals, options, function(terminal)
    if terminal then
      M.show(terminal)
    end
  end)
end

return M
