--- The session log in a buffer `wherefore://log/…`: as `wherefore log` tells it, read-only, and it follows the file's end.
local M = {}

local api, uv = vim.api, vim.uv
local client = require('wherefore.server.client')
local config = require('wherefore.config')
local guard = require('wherefore.guard')
local methods = require('wherefore.server.wire').methods
local messages = require('wherefore.messages')
local text = require('wherefore.text')

--- Calls that are told at first; all of them where one is looked for that is not among these.
local first_calls = 200

--- The time that changes are gathered before the log is told anew; more where telling it takes long.
local gather_ms = 150

--- Rows of a change or an output above which it is folded.
local long = 12

---@class wherefore.OpenLog
---@field client integer
---@field root? string
---@field session string
---@field path string
---@field whole? boolean all calls are told
---@field running? boolean
---@field again? boolean the file grew while it was told
---@field took integer milliseconds that telling it took
---@field folds table<integer, string> by row, for 'foldexpr'
---@field watch? uv.uv_fs_event_t
---@field lines? string[]

---@type table<integer, wherefore.OpenLog> by buffer
local open = {}

--- The colours of a log: a pattern and its group.
local looks = {
  { [[^\d\S*]], 'Comment' },
  { [[\%(^\d\S* \+c-\d\+ \+\)\@<=[a-z]\w*\.\w\+]], 'Function' },
  { [[\%(^\d.*\)\@<=\<[A-Z][A-Z_]\{3,}\>]], 'ErrorMsg' },
  { [[\%(^\d.*  \)\@<=failed\>]], 'ErrorMsg' },
  { [[^ \{10}the command in the background failed.*]], 'ErrorMsg' },
  { [[^ \{10}@@.*]], 'Comment' },
  { [[\%(^ \{10}\)\@<=+.*]], 'WhereforeAdd' },
  { [[\%(^ \{10}\)\@<=-.*]], 'WhereforeDelete' },
  { [[^ \{10}[|=].*]], 'Comment' },
  { [[^ \{10}!.*]], 'WarningMsg' },
  { [[^ \{10}warning:.*]], 'WarningMsg' },
  { [[^ \{10}\%(proposal p-\w\+\|\%(partly \)\=applied\|rejected\|stale\|undone\|allowed\|not allowed\|refused\)\>]], 'Statement' },
}

--- Windows whose cursor stands at the end follow it.
---@param buf integer
---@return integer[]
local function find_followers(buf)
  local last = api.nvim_buf_line_count(buf)
  return vim.tbl_filter(function(win)
    return api.nvim_win_get_cursor(win)[1] >= last
  end, vim.fn.win_findbuf(buf))
end

--- The folds of long changes and outputs, which stand together in rows below their call.
---@param lines string[]
---@return table<integer, string>
local function find_folds(lines)
  local folds, start = {}, nil
  for row = 1, #lines + 1 do
    local line = lines[row] or 'the end'
    if start and row > start and line ~= '' and not line:find('^          [-+ @\\|!=]') then
      if row - start > long then
        folds[start] = '>1'
        for inner = start + 1, row - 1 do
          folds[inner] = '1'
        end
      end
      start = nil
    end
    if not start and (line:find('^          proposal p%-') or line:find('^          [|!] ')) then
      start = row
    end
  end
  return folds
end

--- Puts lines in the place of those that differ, so that folds and marks elsewhere stay.
---@param buf integer
---@param lines string[]
local function put_lines(buf, lines)
  local old = api.nvim_buf_get_lines(buf, 0, -1, false)
  local first, last = 0, 0
  while first < math.min(#old, #lines) and old[first + 1] == lines[first + 1] do
    first = first + 1
  end
  while last < math.min(#old, #lines) - first and old[#old - last] == lines[#lines - last] do
    last = last + 1
  end
  local follow = find_followers(buf)
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, first, #old - last, false, vim.list_slice(lines, first + 1, #lines - last))
  vim.bo[buf].modifiable, vim.bo[buf].modified = false, false
  for _, win in ipairs(follow) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(buf), 0 })
  end
end

---@param buf integer
---@param output vim.SystemCompleted
local function take_output(buf, output)
  local log = open[buf]
  if output.code ~= 0 then
    return put_lines(buf, { 'The log could not be read: ' .. text.escape_hidden(vim.trim(output.stderr or '')) })
  end
  local lines = vim.tbl_map(text.escape_hidden, vim.split(vim.trim(output.stdout or ''), '\n', { plain = true }))
  local heads = 0
  for _, line in ipairs(lines) do
    heads = heads + (line:find('^%d') and 1 or 0)
  end
  if not log.whole and heads >= first_calls then
    table.insert(lines, 1, ('(the last %d calls; %s has all)'):format(first_calls, log.path))
  end
  log.folds = find_folds(lines)
  put_lines(buf, lines)
end

--- Has the program tell the log, and calls `done` with it in the buffer.
---@param buf integer
---@param done? fun()
local function read_log(buf, done)
  local log = open[buf]
  if not log or not api.nvim_buf_is_valid(buf) then
    return
  end
  if log.running and not done then
    log.again = true
    return
  end
  log.running, log.again = true, false
  local args = { config.current.cmd[1], 'log', log.session, '--full', '--root', log.root }
  if not log.whole then
    vim.list_extend(args, { '--last', tostring(first_calls) })
  end
  local began = uv.now()
  local env = next(config.current.env) and config.current.env or nil
  local fine, fault = pcall(vim.system, args, { text = true, env = env }, function(output)
    vim.schedule(guard.wrap('telling the log', function()
      log.running, log.took = false, uv.now() - began
      if open[buf] ~= log or not api.nvim_buf_is_valid(buf) then
        return
      end
      take_output(buf, output)
      if done then
        done()
      end
      if log.again then
        read_log(buf)
      end
    end))
  end)
  if not fine then
    log.running = false
    put_lines(buf, { 'The log could not be read: ' .. tostring(fault) })
  end
end

local function close_log(buf)
  local log = open[buf]
  open[buf] = nil
  if log and log.watch and not log.watch:is_closing() then
    log.watch:close()
  end
end

---@param buf integer
local function watch_file(buf)
  local log = open[buf]
  local asked = false
  log.watch = uv.new_fs_event()
  if log.watch then
    log.watch:start(log.path, {}, function()
      if not asked then
        asked = true
        vim.defer_fn(function()
          asked = false
          guard.wrap('following the log', read_log)(buf)
        end, math.max(gather_ms, 3 * log.took))
      end
    end)
  end
  api.nvim_create_autocmd({ 'BufWipeout', 'BufDelete' }, {
    buffer = buf,
    once = true,
    callback = function()
      close_log(buf)
    end,
  })
end

---@param buf integer
local function set_buffer(buf)
  vim.bo[buf].buftype, vim.bo[buf].swapfile, vim.bo[buf].undolevels = 'nofile', false, -1
  if vim.bo[buf].filetype == 'wherefore-log' then
    return
  end
  vim.bo[buf].filetype = 'wherefore-log'
  api.nvim_buf_call(buf, function()
    for _, look in ipairs(looks) do
      vim.cmd(('syntax match %s /%s/'):format('Wherefore_log_' .. look[2], look[1]:gsub('/', '\\/')))
      vim.cmd(('highlight default link %s %s'):format('Wherefore_log_' .. look[2], look[2]))
    end
  end)
end

---@param buf integer
---@param client_id integer
---@param answer { uri: string, path: string }
---@param done? fun()
local function show_log(buf, client_id, answer, done)
  close_log(buf)
  local lsp = vim.lsp.get_client_by_id(client_id)
  local root = lsp and lsp.config.root_dir or uv.cwd()
  local session = answer.uri:match('^wherefore://log/(.+)$') or ''
  open[buf] = { client = client_id, root = root, session = session, path = answer.path, took = 0, folds = {} }
  set_buffer(buf)
  read_log(buf, done)
  watch_file(buf)
end

---@param lsp vim.lsp.Client
---@param session? string the open one where none is named
---@param done fun(answer: { uri: string, path: string })
local function request_log(lsp, session, done)
  client.request(lsp, methods.log, { root = lsp.config.root_dir, session = session }, done)
end

--- The line of a log at which a call begins.
---@param buf integer
---@param id string
---@return integer?
local function find_call_line(buf, id)
  for line, row in ipairs(api.nvim_buf_get_lines(buf, 0, -1, false)) do
    if row:match('^%d%S* +(%S+)') == id then
      return line
    end
  end
end

--- For 'foldexpr': long changes and outputs.
---@param row integer
---@return string
function M.find_fold(row)
  local log = open[api.nvim_get_current_buf()]
  return log and log.folds[row] or '0'
end

--- For 'foldtext': how many rows there are, and the first.
---@return string
function M.describe_fold()
  local indent, first = vim.fn.getline(vim.v.foldstart):match('^(%s*)(.*)$')
  return ('%s%d lines: %s'):format(indent, vim.v.foldend - vim.v.foldstart + 1, first)
end

---@param win integer
local function set_window(win)
  local wo = vim.wo[win][0]
  wo.wrap, wo.linebreak, wo.breakindent = true, true, true
  wo.number, wo.relativenumber, wo.signcolumn = false, false, 'no'
  wo.foldmethod, wo.foldexpr = 'expr', "v:lua.require'wherefore.log.session_log'.find_fold(v:lnum)"
  wo.foldtext, wo.foldlevel, wo.foldenable = "v:lua.require'wherefore.log.session_log'.describe_fold()", 0, true
end

--- Goes to a call, or to the end.
---@param buf integer
---@param call? wherefore.CallRecord
local function go_to_call(buf, call)
  local win = vim.fn.bufwinid(buf)
  if win < 0 then
    return
  end
  local line = call and find_call_line(buf, call.notice.call_id)
  if call and not line and not open[buf].whole then
    open[buf].whole = true
    return read_log(buf, function()
      go_to_call(buf, call)
    end)
  end
  api.nvim_win_set_cursor(win, { line or api.nvim_buf_line_count(buf), 0 })
  if line then
    api.nvim_win_call(win, function()
      vim.cmd('normal! zt')
    end)
  elseif call then
    messages.warn(call.notice.call_id .. ' is not in this log')
  end
end

--- Opens the session log beside, with the cursor at its end, or where a call begins.
---@param call? wherefore.CallRecord
function M.open_log(call)
  local lsp = call and vim.lsp.get_client_by_id(call.client) or client.require_client()
  if not lsp then
    return
  end
  request_log(lsp, call and call.notice.session, function(answer)
    local buf = vim.fn.bufadd(answer.uri)
    local win = vim.fn.bufwinid(buf)
    if win > 0 then
      api.nvim_set_current_win(win)
    else
      vim.cmd('botright vsplit')
      api.nvim_win_set_buf(0, buf)
      win = api.nvim_get_current_win()
    end
    set_window(win)
    show_log(buf, lsp.id, answer, function()
      go_to_call(buf, call)
    end)
  end)
end

--- Fills a log's buffer that was opened by its name.
---@param buf integer
function M.fill_buffer(buf)
  local lsp = not open[buf] and client.find_current()
  if lsp then
    request_log(lsp, nil, function(answer)
      if api.nvim_buf_is_valid(buf) and not open[buf] then
        show_log(buf, lsp.id, answer)
      end
    end)
  end
end

--- Reads on in the logs of a server, where the file's own events were missed.
---@param client_id integer
function M.refresh_logs(client_id)
  for buf, log in pairs(open) do
    if log.client == client_id and not log.running then
      read_log(buf)
    end
  end
end

return M
