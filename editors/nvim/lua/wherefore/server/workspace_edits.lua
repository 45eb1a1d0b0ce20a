--- Edits that the server asks of the editor: applied byte for byte.
local M = {}

local api = vim.api
local buffer = require('wherefore.buffer')

---@type table<integer, true> buffers that the server knows to hold nothing
local told_empty = {}

--- True if a buffer holds not one byte. The editor shows it, and tells servers of it, as one empty line.
---@param buf integer
---@return boolean
function M.is_empty(buf)
  if api.nvim_buf_line_count(buf) > 1 or api.nvim_buf_get_lines(buf, 0, 1, true)[1] ~= '' then
    return false
  end
  return api.nvim_buf_call(buf, vim.fn.wordcount).bytes == 0
end

--- Tells the server the whole text of a buffer, where a change is not one of lines (its last line end).
---@param client vim.lsp.Client
---@param buf integer
local function send_whole_text(client, buf)
  local bo = vim.bo[buf]
  local line_end = ({ dos = '\r\n', mac = '\r' })[bo.fileformat] or '\n'
  local whole = table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), line_end) .. (bo.endofline and line_end or '')
  told_empty[buf] = M.is_empty(buf) or nil
  if told_empty[buf] then
    whole = ''
  end
  require('wherefore.server.client').send_notification(client, 'textDocument/didChange', {
    textDocument = { uri = vim.uri_from_bufnr(buf), version = vim.lsp.util.buf_versions[buf] or 0 },
    contentChanges = { { text = whole } },
  })
end

--- Mends what the server was told of a buffer that became empty, or is so no longer.
---@param buf integer
function M.check_empty(buf)
  if M.is_empty(buf) ~= (told_empty[buf] or false) then
    for _, client in ipairs(vim.lsp.get_clients({ name = 'wherefore', bufnr = buf })) do
      send_whole_text(client, buf)
    end
  end
end

--- A buffer was opened at the server with the editor's idea of its text. An empty one is opened again as what
--- it is: a change would make the server take it for unsaved.
---@param client vim.lsp.Client
---@param buf integer
function M.report_opened(client, buf)
  told_empty[buf] = M.is_empty(buf) or nil
  if not told_empty[buf] then
    return
  end
  local notify, uri = require('wherefore.server.client').send_notification, vim.uri_from_bufnr(buf)
  notify(client, 'textDocument/didClose', { textDocument = { uri = uri } })
  notify(client, 'textDocument/didOpen', {
    textDocument = { uri = uri, languageId = vim.bo[buf].filetype, version = vim.lsp.util.buf_versions[buf] or 0, text = '' },
  })
end

---@param line string
---@param character integer
---@param encoding string
---@return integer byte
local function find_byte(line, character, encoding)
  if character == 0 or not line:find('[\128-\255]') then
    return math.min(character, #line)
  end
  if encoding == 'utf-8' then
    return math.min(character, #line)
  end
  if vim.fn.has('nvim-0.11') == 1 then
    return vim.str_byteindex(line, encoding, character, false)
  end
  local ok, byte = pcall(vim.str_byteindex, line, character, encoding == 'utf-16')
  return ok and byte or #line
end

--- The lines of a text as this buffer holds lines.
---@param buf integer
---@param new string
---@return string[]
local function split_lines(buf, new)
  if vim.bo[buf].fileformat == 'dos' then
    new = new:gsub('\r\n', '\n')
  end
  return vim.split(new, '\n', { plain = true })
end

--- True if the text ends with a line end after an edit that reaches its end.
local function ends_with_newline(edit)
  if edit.newText ~= '' then
    return edit.newText:sub(-1) == '\n'
  end
  return edit.range.start.character == 0
end

--- Applies one edit. One that reaches past the last line also says whether the text ends with a line end.
---@param buf integer
---@param edit lsp.TextEdit
---@param encoding string
---@return boolean whether the last line end came or went
local function apply_edit(buf, edit, encoding)
  local count = api.nvim_buf_line_count(buf)
  local from, to = edit.range.start, edit.range['end']
  local function byte(at)
    return find_byte(api.nvim_buf_get_lines(buf, at.line, at.line + 1, true)[1], at.character, encoding)
  end
  if to.line < count and not told_empty[buf] then
    local last = to.line == count - 1 and not vim.bo[buf].endofline
    api.nvim_buf_set_text(buf, from.line, byte(from), to.line, byte(to), split_lines(buf, edit.newText))
    if last and api.nvim_buf_line_count(buf) > 1 and api.nvim_buf_get_lines(buf, -2, -1, true)[1] == '' then
      api.nvim_buf_set_lines(buf, -2, -1, true, {})
      vim.bo[buf].endofline = true
      return true
    end
    return false
  end
  -- The edit reaches the end of the text, behind the last line end: take whole lines.
  local lines = split_lines(buf, edit.newText)
  local ended = ends_with_newline(edit)
  if lines[#lines] == '' and #lines > 1 then
    table.remove(lines)
  end
  local first = told_empty[buf] and 0 or math.min(from.line, count)
  if first < count and from.character > 0 then
    local head = api.nvim_buf_get_lines(buf, first, first + 1, true)[1]:sub(1, byte(from))
    lines[1] = head .. lines[1]
  elseif edit.newText == '' then
    lines = {}
  end
  api.nvim_buf_set_lines(buf, first, -1, true, lines)
  local had = vim.bo[buf].endofline
  vim.bo[buf].endofline = ended
  return had ~= ended
end

---@param client vim.lsp.Client
---@param uri string
---@param edits lsp.TextEdit[]
local function apply_edits(client, uri, edits)
  local buf = vim.uri_to_bufnr(uri)
  if not api.nvim_buf_is_loaded(buf) then
    vim.fn.bufload(buf)
  end
  vim.bo[buf].buflisted = true
  -- An own step of the editor's undo for each decision.
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
  local order = {}
  for index, edit in ipairs(edits) do
    order[index] = { edit = edit, index = index }
  end
  table.sort(order, function(a, b)
    local x, y = a.edit.range.start, b.edit.range.start
    if x.line ~= y.line then
      return x.line > y.line
    end
    if x.character ~= y.character then
      return x.character > y.character
    end
    return a.index > b.index
  end)
  local retell = told_empty[buf] or false
  for _, item in ipairs(order) do
    retell = apply_edit(buf, item.edit, client.offset_encoding) or retell
  end
  if retell or M.is_empty(buf) then
    send_whole_text(client, buf)
  end
end

--- Why an edit must not be applied: the text has moved on since the server computed it.
---@param edit lsp.WorkspaceEdit
---@return string?
local function explain_outdated(edit)
  for _, change in ipairs(edit.documentChanges or {}) do
    local version = change.edits and change.textDocument.version
    if type(version) == 'number' then
      local buf = buffer.find_by_name(vim.uri_to_fname(change.textDocument.uri))
      local now = buf > 0 and api.nvim_buf_is_loaded(buf) and vim.lsp.util.buf_versions[buf]
      if now and now > version then
        return ('%s is at version %d, the edit is for %d'):format(change.textDocument.uri, now, version)
      end
    end
  end
end

--- Gives a file another path, and the buffer that shows it too. The buffer is read again, so that `:w` knows the file.
---@param change lsp.RenameFile
local function rename_file(change)
  local old, new = vim.uri_to_fname(change.oldUri), vim.uri_to_fname(change.newUri)
  if vim.uv.fs_lstat(new) then
    error(('%s exists already'):format(new), 0)
  end
  local buf = buffer.find_by_name(old)
  if buf > 0 and vim.bo[buf].modified then
    error(('%s has unsaved changes'):format(old), 0)
  end
  local ok, err = vim.uv.fs_rename(old, new)
  if not ok then
    error(err, 0)
  end
  if buf < 0 or not api.nvim_buf_is_loaded(buf) then
    return
  end
  api.nvim_buf_set_name(buf, new)
  local left = buffer.find_by_name(old)
  if left > 0 and left ~= buf then
    pcall(api.nvim_buf_delete, left, { force = true })
  end
  api.nvim_buf_call(buf, function()
    vim.cmd('silent keepalt lockmarks edit!')
  end)
end

---@param client vim.lsp.Client
---@param edit lsp.WorkspaceEdit
local function apply_workspace_edit(client, edit)
  for _, change in ipairs(edit.documentChanges or {}) do
    if change.kind == 'rename' then
      rename_file(change)
    elseif change.kind then
      vim.lsp.util.apply_workspace_edit({ documentChanges = { change } }, client.offset_encoding)
    else
      apply_edits(client, change.textDocument.uri, change.edits)
    end
  end
  for uri, edits in pairs(not edit.documentChanges and edit.changes or {}) do
    apply_edits(client, uri, edits)
  end
end

--- `workspace/applyEdit`
---@return table
function M.apply(params, ctx)
  local client = vim.lsp.get_client_by_id(ctx.client_id)
  local reason = not client and 'the client is gone' or explain_outdated(params.edit)
  if reason then
    return { applied = false, failureReason = reason }
  end
  local ok, err = pcall(apply_workspace_edit, client, params.edit)
  return { applied = ok, failureReason = not ok and tostring(err) or nil }
end

return M
