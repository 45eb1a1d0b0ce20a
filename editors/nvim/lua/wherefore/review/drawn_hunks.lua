--- The hunks that are drawn in buffers, with extmarks alone. Of one that waits the old lines stand in the text and the new
--- ones are virtual; of one that was applied it is the other way round.
local M = {}

local api = vim.api
local highlights = require('wherefore.highlights')
local hunk_drawing = require('wherefore.review.hunk_drawing')
local keys = require('wherefore.review.keys')
local proposal_store = require('wherefore.review.proposal_store')

local ns = hunk_drawing.namespace

---@class wherefore.DrawnHunk one hunk in a buffer
---@field entry wherefore.ReviewEntry
---@field hunk wherefore.Hunk
---@field mark integer the extmark that moves with its lines
---@field above wherefore.HunkHeading its heading

---@type table<integer, wherefore.DrawnHunk[]> by buffer
local drawn = {}
---@type table<integer, integer> rows above line 1, by buffer
local above_first = {}
---@type table<integer, wherefore.DrawnHunk> the hunk whose heading says the keys, by buffer
local hinted = {}

--- Scrolls what stands above line 1 into view, where line 1 is on top.
---@param win integer
local function show_top(win)
  local buf = api.nvim_win_get_buf(win)
  local rows = above_first[buf] or 0
  if rows == 0 then
    return
  end
  api.nvim_win_call(win, function()
    local view = vim.fn.winsaveview()
    if view.topline == 1 and view.topfill < rows then
      vim.fn.winrestview({ topline = 1, topfill = math.min(rows, api.nvim_win_get_height(win) - 1) })
    end
  end)
end

---@param buf integer
local function show_tops(buf)
  if (above_first[buf] or 0) > 0 then
    vim.schedule(function()
      for _, win in ipairs(vim.fn.win_findbuf(buf)) do
        pcall(show_top, win)
      end
    end)
  end
end

--- A hunk with its place in the text as it is now. The server counts in the text that it has seen; where typing is
--- ahead of that, the mark that moved along knows better.
---@param buf integer
---@param entry wherefore.ReviewEntry
---@param hunk wherefore.Hunk
---@return wherefore.Hunk
local function place_hunk(buf, entry, hunk)
  local version, now = entry.file.version, vim.lsp.util.buf_versions[buf]
  if type(version) ~= 'number' or type(now) ~= 'number' or version >= now then
    return hunk
  end
  for _, item in ipairs(drawn[buf] or {}) do
    if item.hunk.id == hunk.id and item.entry.proposal.id == entry.proposal.id then
      local at = api.nvim_buf_get_extmark_by_id(buf, ns, item.mark, {})
      local below = #hunk_drawing.split_sides(hunk) == 0 and item.hunk.start > 0 and 1 or 0
      return at[1] and setmetatable({ start = at[1] + below }, { __index = hunk }) or hunk
    end
  end
  return hunk
end

---@class wherefore.HunkSketch a hunk that is about to be drawn
---@field entry wherefore.ReviewEntry
---@field hunk wherefore.Hunk where it stands now
---@field look wherefore.HunkLook
---@field options { width: integer, why?: boolean }

--- Makes sketches of the entries of a file.
---@param buf integer
---@param entries wherefore.ReviewEntry[]
---@param width integer
---@return wherefore.HunkSketch[]
local function make_sketches(buf, entries, width)
  local out = {}
  for _, entry in ipairs(entries) do
    local hunks = vim.tbl_map(function(hunk)
      return place_hunk(buf, entry, hunk)
    end, entry.hunks)
    local looks = hunk_drawing.find_looks(buf, hunks)
    for index, hunk in ipairs(hunks) do
      table.insert(out, { entry = entry, hunk = hunk, look = looks[index], options = { width = width, why = index == 1 } })
    end
  end
  return out
end

--- Says the keys at the hunk that they mean, and at no other one.
---@param buf integer
local function draw_hint(buf)
  local list = drawn[buf]
  if not list then
    return
  end
  local target = buf == api.nvim_get_current_buf() and require('wherefore.review.target_hunk').find_hunk() or hinted[buf] or list[1]
  local old = hinted[buf]
  if target == old or not target then
    return
  end
  hinted[buf] = target
  local rows = above_first[buf] or 0
  for item, is_hinted in pairs({ [target] = true, [old or {}] = false }) do
    if item.above then
      local before = item.above.is_first and #item.above.rows(not is_hinted) or 0
      rows = rows - before + hunk_drawing.draw_heading(buf, item.above, is_hinted)
    end
  end
  above_first[buf] = rows
end

local function clear_buffer(buf)
  drawn[buf], above_first[buf], hinted[buf] = nil, nil, nil
  if api.nvim_buf_is_valid(buf) then
    api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  end
  keys.unmap_buffer(buf)
end

--- Draws a buffer anew from what is pending for its file.
---@param buf integer
function M.refresh_buffer(buf)
  if not api.nvim_buf_is_loaded(buf) or vim.bo[buf].buftype ~= '' then
    return
  end
  local name = api.nvim_buf_get_name(buf)
  local found = name ~= '' and proposal_store.list_of_file(proposal_store.find_real_path(vim.fs.normalize(name))) or {}
  if #found == 0 then
    if drawn[buf] then
      clear_buffer(buf)
    end
    return
  end
  local width = hunk_drawing.find_width(buf, drawn[buf] ~= nil)
  local sketches = make_sketches(buf, found, width)
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local rows = 0
  drawn[buf], hinted[buf] = {}, nil
  for _, each in ipairs(sketches) do
    local id, above = hunk_drawing.draw_hunk(buf, each.entry, each.hunk, each.look, each.options)
    rows = rows + (above.is_first and #above.rows(false) or 0)
    table.insert(drawn[buf], { entry = each.entry, hunk = each.hunk, mark = id, above = above })
  end
  above_first[buf] = rows
  draw_hint(buf)
  require('wherefore.review.outdated_places').refresh_outdated(buf, found)
  keys.map_buffer(buf)
  show_tops(buf)
end

--- Draws every loaded buffer of these files anew.
---@param touched table<string, true>
function M.refresh_files(touched)
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' then
      local name = api.nvim_buf_get_name(buf)
      if name ~= '' and touched[proposal_store.find_real_path(vim.fs.normalize(name))] then
        M.refresh_buffer(buf)
      end
    end
  end
end

--- The first and the last row that a drawn hunk stands at now.
---@param buf integer
---@param item wherefore.DrawnHunk
---@return integer first
---@return integer last
local function find_span(buf, item)
  local at = api.nvim_buf_get_extmark_by_id(buf, ns, item.mark, { details = true })
  if not at[1] then
    return item.hunk.start, item.hunk.start
  end
  return at[1], math.max(at[1], at[3].end_row or at[1])
end

--- Lists what is drawn in a buffer, from top to bottom, with its rows.
---@param buf integer
---@return { item: wherefore.DrawnHunk, first: integer, last: integer }[]
function M.list_in_buffer(buf)
  local list = {}
  for _, item in ipairs(drawn[buf] or {}) do
    local first, last = find_span(buf, item)
    table.insert(list, { item = item, first = first, last = last })
  end
  table.sort(list, function(a, b)
    return a.first < b.first
  end)
  return list
end

--- The hunk under the cursor; one with no lines in the text counts on both lines that it stands between.
---@return wherefore.DrawnHunk?
function M.find_at_cursor()
  local buf, row = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1] - 1
  local near
  for _, found in ipairs(M.list_in_buffer(buf)) do
    if row >= found.first and row <= found.last then
      return found.item
    end
    if #hunk_drawing.split_sides(found.item.hunk) == 0 and row == found.first + 1 then
      near = near or found.item
    end
  end
  return near
end

--- The row that a hunk of the current buffer stands at now.
---@param item wherefore.DrawnHunk
---@return integer
function M.find_row(item)
  return (find_span(api.nvim_get_current_buf(), item))
end

--- Scrolls a hunk that waits and that has no room so that its new lines are seen: they stand below its old ones.
---@param line integer the line of the cursor, from 1
local function show_new_lines(line)
  local height = api.nvim_win_get_height(0)
  for _, found in ipairs(M.list_in_buffer(api.nvim_get_current_buf())) do
    local old, new = hunk_drawing.split_sides(found.item.hunk)
    if found.first == line - 1 and proposal_store.is_pending(found.item.hunk) and #new > 0 then
      local room = height - math.floor(height / 2) - 1
      if #old + #new > room then
        -- As much of the new lines as there is room for, with the last old ones above them.
        local last = found.last + 1
        local top = math.max(last - math.max(height - #new - 1, math.floor(height / 4)), 1)
        local view = vim.fn.winsaveview()
        if top > view.topline then
          api.nvim_win_set_cursor(0, { math.max(line, top + vim.wo.scrolloff), 0 })
          vim.fn.winrestview({ topline = top, topfill = 0 })
        end
      end
      return
    end
  end
end

--- Moves the cursor to a row so that the hunk around it is seen.
---@param row integer
function M.go_to_row(row)
  local line = math.min(row + 1, api.nvim_buf_line_count(0))
  vim.cmd("normal! m'")
  api.nvim_win_set_cursor(0, { line, 0 })
  vim.cmd('normal! zvzz')
  show_new_lines(line)
  show_top(0)
end

--- Goes to the first hunk of the current buffer at or below a row, around the end; stays where there is none.
---@param row integer
---@return boolean whether there is one
function M.go_on_from(row)
  local list = M.list_in_buffer(api.nvim_get_current_buf())
  local to = vim.iter(list):find(function(found)
    return found.first >= row
  end) or list[1]
  if to then
    M.go_to_row(to.first)
  end
  return to ~= nil
end

--- Keeps drawings right as buffers are shown, read again, renamed and resized.
function M.watch()
  local group = api.nvim_create_augroup('wherefore_hunks', {})
  local refresh = require('wherefore.guard').wrap('drawing hunks', function(event)
    M.refresh_buffer(event.buf)
  end)
  api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufWinEnter', 'BufFilePost' }, { group = group, callback = refresh })
  api.nvim_create_autocmd({ 'WinResized', 'OptionSet' }, {
    group = group,
    callback = function(event)
      if event.event == 'OptionSet' and not vim.tbl_contains({ 'number', 'signcolumn', 'tabstop' }, event.match) then
        return
      end
      for buf in pairs(drawn) do
        M.refresh_buffer(buf)
      end
    end,
  })
  api.nvim_create_autocmd('CursorMoved', {
    group = group,
    callback = function(event)
      draw_hint(event.buf)
      -- Only there: elsewhere a person may have scrolled it away.
      if above_first[event.buf] and api.nvim_win_get_cursor(0)[1] == 1 then
        show_top(0)
      end
    end,
  })
  api.nvim_create_autocmd({ 'BufUnload', 'BufWipeout' }, {
    group = group,
    callback = function(event)
      if drawn[event.buf] then
        pcall(clear_buffer, event.buf)
      end
    end,
  })
  highlights.watch()
  proposal_store.on_change(M.refresh_files)
end

return M
