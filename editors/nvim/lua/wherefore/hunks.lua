--- The hunks that are drawn in buffers, with extmarks alone. Of one that waits the old lines stand in the text and the new
--- ones are virtual; of one that was applied it is the other way round.
local M = {}

local api = vim.api
local colours = require('wherefore.colours')
local draw = require('wherefore.draw')
local keys = require('wherefore.keys')
local review = require('wherefore.review')

local ns = draw.namespace

---@class wherefore.Drawn one hunk in a buffer
---@field entry wherefore.Entry
---@field hunk wherefore.Hunk
---@field mark integer the extmark that moves with its lines

---@type table<integer, wherefore.Drawn[]> by buffer
local drawn = {}
---@type table<integer, integer> rows above line 1, by buffer
local above_first = {}

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
---@param entry wherefore.Entry
---@param hunk wherefore.Hunk
---@return wherefore.Hunk
local function placed(buf, entry, hunk)
  local seen, now = entry.file.version, vim.lsp.util.buf_versions[buf]
  if type(seen) ~= 'number' or type(now) ~= 'number' or seen >= now then
    return hunk
  end
  for _, item in ipairs(drawn[buf] or {}) do
    if item.hunk.id == hunk.id and item.entry.proposal.id == entry.proposal.id then
      local at = api.nvim_buf_get_extmark_by_id(buf, ns, item.mark, {})
      local below = #draw.sides(hunk) == 0 and item.hunk.start > 0 and 1 or 0
      return at[1] and setmetatable({ start = at[1] + below }, { __index = hunk }) or hunk
    end
  end
  return hunk
end

---@param buf integer
---@param entry wherefore.Entry
---@param hunks wherefore.Hunk[] the entry's, where they stand now
---@param width integer
---@param out wherefore.Drawn[]
---@param hinted table<boolean, true> whether the keys were told, of hunks that wait and of applied ones
local function draw_entry(buf, entry, hunks, width, out, hinted)
  local looks = draw.looks(buf, hunks)
  for index, hunk in ipairs(hunks) do
    local applied = review.is_applied(hunk)
    local said = { width = width, why = index == 1, keys = not hinted[applied] }
    hinted[applied] = true
    local id, top = draw.hunk(buf, entry, hunk, looks[index], said)
    above_first[buf] = (above_first[buf] or 0) + top
    table.insert(out, { entry = entry, hunk = hunk, mark = id })
  end
end

local function clear(buf)
  drawn[buf], above_first[buf] = nil, nil
  if api.nvim_buf_is_valid(buf) then
    api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  end
  keys.unset(buf)
end

--- Draws a buffer anew from what is pending for its file.
---@param buf integer
function M.refresh(buf)
  if not api.nvim_buf_is_loaded(buf) or vim.bo[buf].buftype ~= '' then
    return
  end
  local name = api.nvim_buf_get_name(buf)
  local found = name ~= '' and review.of(review.key(vim.fs.normalize(name))) or {}
  if #found == 0 then
    if drawn[buf] then
      clear(buf)
    end
    return
  end
  local width = draw.width(buf, drawn[buf] ~= nil)
  local hunks = vim.tbl_map(function(entry)
    return vim.tbl_map(function(hunk)
      return placed(buf, entry, hunk)
    end, entry.hunks)
  end, found)
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  above_first[buf] = nil
  local out, hinted = {}, {}
  for index, entry in ipairs(found) do
    draw_entry(buf, entry, hunks[index], width, out, hinted)
  end
  drawn[buf] = out
  require('wherefore.stale').look(buf, found)
  keys.set(buf)
  show_tops(buf)
end

--- Draws every loaded buffer of these files anew.
---@param touched table<string, true>
function M.refresh_files(touched)
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' then
      local name = api.nvim_buf_get_name(buf)
      if name ~= '' and touched[review.key(vim.fs.normalize(name))] then
        M.refresh(buf)
      end
    end
  end
end

--- The first and the last row that a drawn hunk stands at now.
---@param buf integer
---@param item wherefore.Drawn
---@return integer first
---@return integer last
local function span(buf, item)
  local at = api.nvim_buf_get_extmark_by_id(buf, ns, item.mark, { details = true })
  if not at[1] then
    return item.hunk.start, item.hunk.start
  end
  return at[1], math.max(at[1], at[3].end_row or at[1])
end

--- What is drawn in a buffer, from top to bottom, with the rows it stands at.
---@param buf integer
---@return { item: wherefore.Drawn, first: integer, last: integer }[]
function M.list(buf)
  local list = {}
  for _, item in ipairs(drawn[buf] or {}) do
    local first, last = span(buf, item)
    table.insert(list, { item = item, first = first, last = last })
  end
  table.sort(list, function(a, b)
    return a.first < b.first
  end)
  return list
end

--- The hunk under the cursor; one with no lines in the text counts on both lines that it stands between.
---@return wherefore.Drawn?
function M.at_cursor()
  local buf, row = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1] - 1
  local near
  for _, found in ipairs(M.list(buf)) do
    if row >= found.first and row <= found.last then
      return found.item
    end
    if #draw.sides(found.item.hunk) == 0 and row == found.first + 1 then
      near = near or found.item
    end
  end
  return near
end

--- The row that a hunk of the current buffer stands at now.
---@param item wherefore.Drawn
---@return integer
function M.row(item)
  return (span(api.nvim_get_current_buf(), item))
end

--- Moves the cursor to a row so that the hunk around it is seen.
---@param row integer
function M.go(row)
  local line = math.min(row + 1, api.nvim_buf_line_count(0))
  vim.cmd("normal! m'")
  api.nvim_win_set_cursor(0, { line, 0 })
  vim.cmd('normal! zvzz')
  show_top(0)
end

--- Goes to the first hunk of the current buffer at or below a row, around the end; stays where there is none.
---@param row integer
function M.go_on(row)
  local list = M.list(api.nvim_get_current_buf())
  local to = vim.iter(list):find(function(found)
    return found.first >= row
  end) or list[1]
  if to then
    M.go(to.first)
  end
end

--- Keeps drawings right as buffers are shown, read again, renamed and resized.
function M.watch()
  local group = api.nvim_create_augroup('wherefore_hunks', {})
  local refresh = require('wherefore.guard').wrap('drawing hunks', function(event)
    M.refresh(event.buf)
  end)
  api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufWinEnter', 'BufFilePost' }, { group = group, callback = refresh })
  api.nvim_create_autocmd({ 'WinResized', 'OptionSet' }, {
    group = group,
    callback = function(event)
      if event.event == 'OptionSet' and not vim.tbl_contains({ 'number', 'signcolumn', 'tabstop' }, event.match) then
        return
      end
      for buf in pairs(drawn) do
        M.refresh(buf)
      end
    end,
  })
  api.nvim_create_autocmd('CursorMoved', {
    group = group,
    callback = function(event)
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
        pcall(clear, event.buf)
      end
    end,
  })
  colours.watch()
  review.on_change(M.refresh_files)
end

return M
