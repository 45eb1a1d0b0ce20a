--- The session log in a buffer `wherefore://log/…`: read-only, and it follows the file's end.
local M = {}

local api, uv = vim.api, vim.uv
local client = require('wherefore.client')
local guard = require('wherefore.guard')
local methods = require('wherefore.wire').methods
local notify = require('wherefore.notify')
local text = require('wherefore.text')

--- The part of a long log that is read at first, in bytes from its end.
local first_bytes = 4 * 1024 * 1024

---@class wherefore.Tail
---@field client integer
---@field path string
---@field offset integer bytes read
---@field rest string a last line without its end
---@field watch? uv.uv_fs_event_t

---@type table<integer, wherefore.Tail> by buffer
local tails = {}

---@param path string
---@param offset integer
---@return string? bytes from there on
local function read_from(path, offset)
  local file = uv.fs_open(path, 'r', 0)
  if not file then
    return nil
  end
  local stat = uv.fs_fstat(file)
  local size = stat and stat.size or 0
  local bytes = size > offset and uv.fs_read(file, size - offset, offset) or ''
  uv.fs_close(file)
  return bytes
end

--- Windows whose cursor stands at the end follow it.
---@param buf integer
---@return integer[]
local function followers(buf)
  local last = api.nvim_buf_line_count(buf)
  return vim.tbl_filter(function(win)
    return api.nvim_win_get_cursor(win)[1] >= last
  end, vim.fn.win_findbuf(buf))
end

---@param buf integer
---@param bytes string
---@param whole boolean replaces what is there
local function add(buf, bytes, whole)
  local tail = tails[buf]
  local follow = followers(buf)
  local lines = vim.split(tail.rest .. bytes, '\n', { plain = true })
  tail.rest = lines[#lines]
  vim.bo[buf].modifiable = true
  -- The last line stands for what has no line end yet; it is written anew.
  api.nvim_buf_set_lines(buf, whole and 0 or -2, -1, false, vim.tbl_map(text.plain, lines))
  vim.bo[buf].modifiable, vim.bo[buf].modified = false, false
  local last = api.nvim_buf_line_count(buf)
  for _, win in ipairs(follow) do
    api.nvim_win_set_cursor(win, { last, 0 })
  end
end

---@param buf integer
local function follow(buf)
  local tail = tails[buf]
  if not tail or not api.nvim_buf_is_valid(buf) then
    return
  end
  local bytes = read_from(tail.path, tail.offset)
  if bytes and bytes ~= '' then
    tail.offset = tail.offset + #bytes
    add(buf, bytes, false)
  end
end

local function close(buf)
  local tail = tails[buf]
  tails[buf] = nil
  if tail and tail.watch and not tail.watch:is_closing() then
    tail.watch:close()
  end
end

---@param buf integer
local function watch(buf)
  local tail = tails[buf]
  local asked = false
  tail.watch = uv.new_fs_event()
  if tail.watch then
    tail.watch:start(tail.path, {}, function()
      if not asked then
        asked = true
        vim.schedule(function()
          asked = false
          guard.wrap('following the log', follow)(buf)
        end)
      end
    end)
  end
  api.nvim_create_autocmd({ 'BufWipeout', 'BufDelete' }, {
    buffer = buf,
    once = true,
    callback = function()
      close(buf)
    end,
  })
end

---@param buf integer
---@param client_id integer
---@param answer { uri: string, path: string, text?: string }
local function show(buf, client_id, answer)
  close(buf)
  local stat = uv.fs_stat(answer.path)
  local offset = stat and math.max(stat.size - first_bytes, 0) or 0
  local bytes = read_from(answer.path, offset)
  tails[buf] = { client = client_id, path = answer.path, offset = offset + #(bytes or ''), rest = '' }
  vim.bo[buf].buftype, vim.bo[buf].swapfile, vim.bo[buf].undolevels = 'nofile', false, -1
  local known = bytes or type(answer.text) == 'string' and answer.text or 'The log could not be read.'
  if offset > 0 then
    known = ('(the part before stands in %s)\n'):format(answer.path) .. known:gsub('^[^\n]*\n', '', 1)
  end
  add(buf, known, true)
  if vim.bo[buf].filetype ~= 'markdown' then
    vim.bo[buf].filetype = 'markdown'
  end
  if bytes then
    watch(buf)
  end
end

---@param lsp vim.lsp.Client
---@param done fun(answer: { uri: string, path: string, text?: string })
local function ask(lsp, done)
  client.request(lsp, methods.log, { root = lsp.config.root_dir }, done)
end

--- The line of a log at which a call begins.
---@param buf integer
---@param id string
---@return integer?
local function line_of(buf, id)
  local wanted, heading = 'call_id: ' .. id, 1
  for line, row in ipairs(api.nvim_buf_get_lines(buf, 0, -1, false)) do
    if vim.startswith(row, '## ') then
      heading = line
    elseif row == wanted then
      return heading
    end
  end
end

--- Opens the session log beside, with the cursor at its end, or where a call begins.
---@param call? wherefore.Call
function M.open(call)
  local lsp = call and vim.lsp.get_client_by_id(call.client) or client.needed()
  if not lsp then
    return
  end
  ask(lsp, function(answer)
    local buf = vim.fn.bufadd(answer.uri)
    local win = vim.fn.bufwinid(buf)
    if win > 0 then
      api.nvim_set_current_win(win)
    else
      vim.cmd('botright vsplit')
      api.nvim_win_set_buf(0, buf)
    end
    show(buf, lsp.id, answer)
    vim.wo[0][0].wrap, vim.wo[0][0].linebreak = true, true
    local line = call and line_of(buf, call.notice.call_id)
    api.nvim_win_set_cursor(0, { line or api.nvim_buf_line_count(buf), 0 })
    if line then
      vim.cmd('normal! zt')
    elseif call then
      notify.warn(call.notice.call_id .. ' is not in the part of the log that is shown; `wherefore log` has all of it')
    end
  end)
end

--- Fills a log's buffer that was opened by its name.
---@param buf integer
function M.fill(buf)
  local lsp = not tails[buf] and client.current()
  if lsp then
    ask(lsp, function(answer)
      if api.nvim_buf_is_valid(buf) then
        show(buf, lsp.id, answer)
      end
    end)
  end
end

--- Reads on in the logs of a server, where the file's own events were missed.
---@param client_id integer
function M.refresh(client_id)
  for buf, tail in pairs(tails) do
    if tail.client == client_id then
      follow(buf)
    end
  end
end

return M
