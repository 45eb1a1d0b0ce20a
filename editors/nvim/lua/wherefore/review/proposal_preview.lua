--- A buffer `wherefore://proposal/…` for what no open file can show: a new file, a folder, a copy, a whole proposal.
local M = {}

local api = vim.api
local hunk_drawing = require('wherefore.review.hunk_drawing')
local hunk_heading = require('wherefore.review.hunk_heading')
local proposal_store = require('wherefore.review.proposal_store')
local virtual_rows = require('wherefore.review.virtual_rows')
local text = require('wherefore.text')

---@type table<integer, { client: integer, proposal: string, path: string }> by buffer
local shown = {}

---@param buf integer
---@return boolean
function M.is_preview(buf)
  return shown[buf] ~= nil
end

---@param at { client: integer, proposal: string, path: string }
---@return wherefore.ReviewEntry?
local function find_entry(at)
  for _, entry in ipairs(proposal_store.list_entries()) do
    if entry.client == at.client and entry.proposal.id == at.proposal and entry.file.path == at.path then
      return entry
    end
  end
end

--- The file whose proposal a buffer previews.
---@param buf integer
---@return string?
function M.find_key(buf)
  local entry = shown[buf] and find_entry(shown[buf])
  return entry and entry.key
end

local function chomp(line)
  return (line:gsub('\r?\n$', ''))
end

--- The hunks of an entry as a diff.
---@param entry wherefore.ReviewEntry
---@param lines? string[] to add it to
---@return string[]
function M.format_diff(entry, lines)
  lines = lines or {}
  for _, hunk in ipairs(entry.hunks) do
    table.insert(lines, ('@@ line %d @@'):format(hunk.start + 1))
    for _, line in ipairs(hunk.old) do
      table.insert(lines, '-' .. chomp(line))
    end
    for _, line in ipairs(hunk.new) do
      table.insert(lines, '+' .. chomp(line))
    end
  end
  return lines
end

--- Makes the text of a preview, and finds the file type that colours it.
---@param entry wherefore.ReviewEntry
---@return string[] lines
---@return string filetype
local function make_content(entry)
  local file, lines = entry.file, {}
  if file.kind == 'mkdir' then
    return { ('A new folder: %s'):format(file.path) }, 'text'
  elseif file.kind == 'copy' then
    return { ('A copy of %s: %s'):format(file.from or '?', file.path) }, 'text'
  elseif file.kind == 'create' then
    for _, hunk in ipairs(entry.hunks) do
      vim.list_extend(lines, vim.tbl_map(chomp, hunk.new))
    end
    return lines, vim.filetype.match({ filename = file.path, contents = lines }) or 'text'
  elseif file.kind ~= 'edit' and file.kind ~= 'delete' then
    return { proposal_store.describe_file_change(file) or file.kind }, 'text'
  end
  return M.format_diff(entry, lines), 'diff'
end

---@param buf integer
---@param entry wherefore.ReviewEntry
local function draw_header(buf, entry)
  local applied = proposal_store.is_applied(entry.hunks[1])
  local what = proposal_store.describe_file_change(entry.file) or ('%s %s'):format(entry.file.kind, entry.file.path)
  local width = hunk_drawing.find_width(buf, true)
  local list = hunk_heading.make_why_rows(entry.proposal, width)
  vim.list_extend(list, virtual_rows.make_sentence_rows('▎', (applied and 'applied: ' or '') .. what, width, 'WhereforeHeader'))
  for _, warning in ipairs(hunk_heading.list_warnings(entry.hunks[1])) do
    vim.list_extend(list, virtual_rows.make_sentence_rows('▎', 'look twice: ' .. warning, width, 'WhereforeWarn'))
  end
  vim.list_extend(list, virtual_rows.make_sentence_rows('▎', require('wherefore.review.keys').describe_keys(applied), width, 'WhereforeHint'))
  api.nvim_buf_clear_namespace(buf, hunk_drawing.namespace, 0, -1)
  api.nvim_buf_set_extmark(buf, hunk_drawing.namespace, 0, 0, { virt_lines = list, virt_lines_above = true })
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    api.nvim_win_call(win, function()
      vim.fn.winrestview({ topline = 1, topfill = #list, lnum = 1 })
    end)
  end
  if entry.file.kind == 'create' then
    local last = api.nvim_buf_line_count(buf)
    api.nvim_buf_set_extmark(buf, hunk_drawing.namespace, 0, 0, {
      end_row = last,
      hl_group = 'WhereforeAdd',
      hl_eol = true,
      strict = false,
      priority = 50,
    })
  end
end

---@param buf integer
---@param entry wherefore.ReviewEntry
local function write_preview(buf, entry)
  local lines, filetype = make_content(entry)
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, false, vim.tbl_map(function(line)
    return (text.escape_hidden(line):gsub('\n', ' '))
  end, lines))
  vim.bo[buf].modifiable, vim.bo[buf].modified = false, false
  if vim.bo[buf].filetype ~= filetype then
    vim.bo[buf].filetype = filetype
  end
  draw_header(buf, entry)
end

--- Shows an entry in the current window.
---@param entry wherefore.ReviewEntry
function M.open_preview(entry)
  local name = ('wherefore://proposal/%s/%s'):format(entry.proposal.id, entry.file.path)
  local buf = vim.fn.bufadd(name)
  shown[buf] = { client = entry.client, proposal = entry.proposal.id, path = entry.file.path }
  if api.nvim_get_current_buf() == buf then
    return
  end
  vim.cmd("normal! m'")
  api.nvim_win_set_buf(0, buf)
  M.fill_buffer(buf)
end

--- Fills a preview's buffer from its name.
---@param buf integer
function M.fill_buffer(buf)
  local id, path = api.nvim_buf_get_name(buf):match('^wherefore://proposal/([^/]+)/(.+)$')
  vim.bo[buf].buftype, vim.bo[buf].swapfile, vim.bo[buf].bufhidden = 'nofile', false, 'wipe'
  if not shown[buf] then
    for _, entry in ipairs(proposal_store.list_entries()) do
      if entry.proposal.id == id and entry.file.path == path then
        shown[buf] = { client = entry.client, proposal = id, path = path }
      end
    end
  end
  local entry = shown[buf] and find_entry(shown[buf])
  if not entry then
    api.nvim_buf_set_lines(buf, 0, -1, false, { 'Nothing of this waits any more.' })
    vim.bo[buf].modifiable = false
    return
  end
  write_preview(buf, entry)
  require('wherefore.review.keys').map_buffer(buf)
end

--- Where the hunks of the current preview stand: the rows of each, and those that its old and its new lines begin at.
---@return { item: wherefore.DrawnHunk, first: integer, last: integer, old: integer, new: integer }[]
function M.list_places()
  local at = shown[api.nvim_get_current_buf()]
  local entry = at and find_entry(at)
  local list, row = {}, 0
  for _, hunk in ipairs(entry and entry.hunks or {}) do
    -- A diff has a row of its own above each hunk; a new file is shown as it will be.
    local old = entry.file.kind == 'create' and row or row + 1
    local new = old + #hunk.old
    local last = math.max(new + #hunk.new - 1, row)
    table.insert(list, { item = { entry = entry, hunk = hunk, mark = 0 }, first = row, last = last, old = old, new = new })
    row = last + 1
  end
  return list
end

--- The hunk that the current buffer previews: the one under the cursor, or the first.
---@return wherefore.DrawnHunk?
function M.find_item()
  local row, found = api.nvim_win_get_cursor(0)[1] - 1, nil
  for _, place in ipairs(M.list_places()) do
    if not found or place.first <= row then
      found = place.item
    end
  end
  return found
end

--- Leaves a preview whose hunks are all decided: to the file where there is one now, else back.
---@param buf integer
---@param path string
local function leave_preview(buf, path)
  shown[buf] = nil
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    api.nvim_win_call(win, function()
      if vim.fn.filereadable(path) == 1 then
        vim.cmd.edit(vim.fn.fnameescape(path))
      elseif vim.fn.bufnr('#') > 0 then
        vim.cmd.buffer('#')
      else
        vim.cmd.enew()
      end
    end)
  end
  if api.nvim_buf_is_valid(buf) then
    pcall(api.nvim_buf_delete, buf, { force = true })
  end
end

--- Keeps previews right as hunks are decided.
function M.watch()
  proposal_store.on_change(function()
    for buf, at in pairs(vim.deepcopy(shown)) do
      if not api.nvim_buf_is_valid(buf) then
        shown[buf] = nil
      else
        local entry = find_entry(at)
        if entry then
          write_preview(buf, entry)
        else
          local client = vim.lsp.get_client_by_id(at.client)
          leave_preview(buf, client and vim.fs.joinpath(client.config.root_dir, at.path) or '')
        end
      end
    end
  end)
end

return M
