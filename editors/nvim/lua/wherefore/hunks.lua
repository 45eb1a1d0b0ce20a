--- Draws the hunks of a buffer, with extmarks alone. Of one that waits the old lines stand in the text and the new ones
--- are virtual; of one that was applied it is the other way round.
local M = {}

local api = vim.api
local config = require('wherefore.config')
local keys = require('wherefore.keys')
local review = require('wherefore.review')
local text = require('wherefore.text')

local ns = api.nvim_create_namespace('wherefore')
M.namespace = ns

---@class wherefore.Drawn one hunk in a buffer
---@field entry wherefore.Entry
---@field hunk wherefore.Hunk
---@field mark integer the extmark that moves with its lines

---@type table<integer, wherefore.Drawn[]> by buffer
local drawn = {}
---@type table<integer, integer> rows above line 1, by buffer
local above_first = {}

local links = {
  WhereforeDelete = 'DiffDelete',
  WhereforeAdd = 'DiffAdd',
  WhereforeHeader = 'Title',
  WhereforeWhy = 'Normal',
  WhereforeHint = 'Comment',
  WhereforeWarn = 'WarningMsg',
  WhereforeSign = 'Title',
}

function M.highlights()
  for name, link in pairs(links) do
    api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

--- The cells that a line has in the narrowest window that shows the buffer.
---@param buf integer
---@return integer
local function width_of(buf)
  local width
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local info = vim.fn.getwininfo(win)[1]
    local sign = not drawn[buf] and vim.wo[win].signcolumn:find('^auto') and 2 or 0
    width = math.min(width or math.huge, info.width - info.textoff - sign)
  end
  return math.max(width or vim.o.columns - 8, 20)
end

--- The lines of a hunk that stand in the text, and those that do not.
---@param hunk wherefore.Hunk
---@return string[] there
---@return string[] other
local function sides(hunk)
  if review.is_applied(hunk) then
    return hunk.new, hunk.old
  end
  return hunk.old, hunk.new
end

---@param buf integer
---@param lines string[]
---@param width integer
---@param colour string
---@return table[] virtual lines
local function virtual(buf, lines, width, colour)
  local rows, dos, tabstop = {}, vim.bo[buf].fileformat == 'dos', vim.bo[buf].tabstop
  for index, line in ipairs(lines) do
    if index > config.current.max_lines then
      local more = ('… %d more lines, all in :Wherefore preview'):format(#lines - index + 1)
      table.insert(rows, { { more, 'WhereforeHint' } })
      break
    end
    local plain, ended = text.chomp(line, dos)
    for _, row in ipairs(text.rows(text.visible(plain, tabstop), width)) do
      table.insert(rows, { { row, colour } })
    end
    if not ended and index == #lines then
      table.insert(rows, { { '(no line end at the end of the file)', 'WhereforeHint' } })
    end
  end
  return rows
end

--- Whether the lines of a hunk stand in the text, byte for byte.
---@param buf integer
---@param hunk wherefore.Hunk
---@return boolean
local function is_there(buf, hunk)
  local there, dos = sides(hunk), vim.bo[buf].fileformat == 'dos'
  local lines = api.nvim_buf_get_lines(buf, hunk.start, hunk.start + #there, false)
  for index, line in ipairs(there) do
    if lines[index] ~= text.chomp(line, dos) then
      return false
    end
  end
  return true
end

local doing = {
  pending = { delete = ' delete the file', create = ' new file' },
  applied = { delete = ' applied: the file was deleted', create = ' applied: a new file' },
}

--- Which of its file's hunks one is; decided ones count, so that a number stays.
---@param entry wherefore.Entry
---@param hunk wherefore.Hunk
---@return string
function M.number(entry, hunk)
  for index, each in ipairs(entry.file.hunks) do
    if each.id == hunk.id then
      return ('%d/%d'):format(index, #entry.file.hunks)
    end
  end
  return hunk.id
end

---@param buf integer
---@param entry wherefore.Entry
---@param hunk wherefore.Hunk
---@param width integer
---@param first boolean whether it is the first of its sort in the buffer
---@return table[] virtual lines
local function header(buf, entry, hunk, width, first)
  local applied = review.is_applied(hunk)
  local said = review.what(entry.file)
  local what = said and (applied and ' applied: ' or ' ') .. text.clip(said, 400)
    or doing[applied and 'applied' or 'pending'][entry.file.kind]
    or applied and ' applied'
    or ''
  local title = ('▎%s%s '):format(M.number(entry, hunk), what)
  local agent = entry.proposal.origin and entry.proposal.origin.agent
  local who = type(agent) == 'string' and ' · ' .. text.clip(agent, 24) or ''
  local room = width - vim.fn.strdisplaywidth(title .. who)
  local rows = {
    {
      { title, 'WhereforeHeader' },
      { text.clip(entry.proposal.why, math.max(room, 10)), 'WhereforeWhy' },
      { who, 'WhereforeHint' },
    },
  }
  if type(hunk.loose) == 'string' then
    table.insert(rows, { { '▎look twice: ' .. text.clip(hunk.loose, width - 14), 'WhereforeWarn' } })
  end
  if type(hunk.warning) == 'string' then
    table.insert(rows, { { '▎look twice: ' .. text.clip(hunk.warning, width - 14), 'WhereforeWarn' } })
  end
  if applied and not is_there(buf, hunk) then
    table.insert(rows, { { '▎look twice: its text was changed since; take it back by hand', 'WhereforeWarn' } })
  end
  if first then
    table.insert(rows, { { '▎' .. text.clip(keys.hint(applied), width - 1), 'WhereforeHint' } })
  end
  return rows
end

local function mark(buf, row, opts)
  opts.strict, opts.priority = false, 150
  return api.nvim_buf_set_extmark(buf, ns, row, 0, opts)
end

--- A hunk with lines in the text: they are marked where they stand. New lines follow them, old ones stand above.
local function draw_change(buf, hunk, head, other, lines)
  local there, applied = sides(hunk), review.is_applied(hunk)
  local first = math.min(hunk.start, lines - 1)
  local last = math.min(first + #there, lines)
  local above = applied and vim.list_extend(head, other) or head
  mark(buf, first, { virt_lines = above, virt_lines_above = true })
  if #other > 0 and not applied then
    mark(buf, last - 1, { virt_lines = other })
  end
  local colour = applied and 'WhereforeAdd' or 'WhereforeDelete'
  mark(buf, first, { end_row = last, end_col = 0, hl_group = colour, hl_eol = true })
  return mark(buf, first, {
    end_row = last - 1,
    sign_text = #other > 0 and '~' or applied and '+' or '-',
    sign_hl_group = 'WhereforeSign',
  }), first == 0 and #above or 0
end

--- A hunk with no lines in the text: header and lines stand between two lines, or above the first.
local function draw_between(buf, hunk, head, other, lines)
  local rows = vim.list_extend(head, other)
  local above = hunk.start == 0
  local row = above and 0 or math.min(hunk.start, lines) - 1
  return mark(buf, row, {
    virt_lines = rows,
    virt_lines_above = above,
    sign_text = review.is_applied(hunk) and '-' or '+',
    sign_hl_group = 'WhereforeSign',
  }), above and #rows or 0
end

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
      local below = #sides(hunk) == 0 and item.hunk.start > 0 and 1 or 0
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
  local lines = api.nvim_buf_line_count(buf)
  for _, hunk in ipairs(hunks) do
    local there, other = sides(hunk)
    local applied = review.is_applied(hunk)
    local head = header(buf, entry, hunk, width, not hinted[applied])
    hinted[applied] = true
    local rows = virtual(buf, other, width, applied and 'WhereforeDelete' or 'WhereforeAdd')
    local draw = #there > 0 and draw_change or draw_between
    local id, top = draw(buf, hunk, head, rows, lines)
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
  local width = width_of(buf)
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
    if #sides(found.item.hunk) == 0 and row == found.first + 1 then
      near = near or found.item
    end
  end
  return near
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
  api.nvim_create_autocmd('ColorScheme', { group = group, callback = M.highlights })
  M.highlights()
  review.on_change(M.refresh_files)
end

return M
