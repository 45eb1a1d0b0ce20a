--- Writes a page of hunks into a buffer: file by file, each with its reason, how it stands, its removed and its new lines.
local M = {}

local api = vim.api
local heading = require('wherefore.heading')
local keys = require('wherefore.keys')
local review = require('wherefore.review')
local syntax = require('wherefore.syntax')
local text = require('wherefore.text')
local words = require('wherefore.words')

local ns = api.nvim_create_namespace('wherefore_page')

---@class wherefore.PageRow a hunk on a page
---@field entry wherefore.Entry
---@field hunk wherefore.Hunk
---@field first integer its first row, from 0
---@field last integer its last row

---@class wherefore.Page
---@field rows wherefore.PageRow[]
---@field lines string[]
---@field marks { [1]: integer, [2]: integer, [3]: table }[] row, column, what stands there

--- The group of a hunk's state, and the state in words.
---@param hunk wherefore.Hunk
---@return string group
---@return string words
local function state(hunk)
  if review.is_pending(hunk) then
    return 'WhereforeWarn', 'waits for you'
  elseif review.is_applied(hunk) then
    return 'WhereforeWarn', 'applied with nobody looking'
  elseif hunk.state == 'accepted' then
    return 'WhereforeAddSign', hunk.edited == true and 'accepted, changed by hand' or 'accepted'
  end
  return 'WhereforeDeleteSign', hunk.state == 'stale' and 'set aside: its text was changed' or 'rejected'
end

---@param page wherefore.Page
---@param line string
---@param group? string
---@return integer row
local function add(page, line, group)
  table.insert(page.lines, (text.plain(line):gsub('\n', ' ')))
  local row = #page.lines - 1
  if group then
    table.insert(page.marks, { row, 0, { end_col = #page.lines[row + 1], hl_group = group } })
  end
  return row
end

--- Adds the lines of one side of a hunk, with the colours of their code.
---@param page wherefore.Page
---@param path string
---@param lines string[]
---@param ranges table<integer, wherefore.Range[]>
---@param kind 'Add'|'Delete'
local function add_code(page, path, lines, ranges, kind)
  local spans = syntax.alone(path, lines)
  local group = 'Wherefore' .. kind
  for index, line in ipairs(lines) do
    local row = add(page, line)
    local shown = page.lines[row + 1]
    table.insert(page.marks, { row, 0, { end_row = row + 1, end_col = 0, hl_group = group, hl_eol = true, priority = 110 } })
    table.insert(page.marks, { row, 0, { sign_text = kind == 'Add' and '+' or '-', sign_hl_group = group .. 'Sign' } })
    -- Where something hidden was written out, bytes do not count as they did.
    if shown == line then
      for _, span in ipairs(spans[index] or {}) do
        table.insert(page.marks, { row, span[1], { end_col = math.min(span[2], #line), hl_group = span[3], priority = 100 } })
      end
      for _, range in ipairs(ranges[index] or {}) do
        table.insert(page.marks, { row, range[1], { end_col = range[2], hl_group = group .. 'Word', priority = 120 } })
      end
    end
  end
end

---@param page wherefore.Page
---@param entry wherefore.Entry
---@param hunk wherefore.Hunk
local function add_hunk(page, entry, hunk)
  local group, stands = state(hunk)
  local title = ('%s %s: '):format(heading.number(entry, hunk), heading.act(entry, hunk))
  local first = add(page, title .. stands, 'WhereforeHeader')
  table.insert(page.marks, { first, #page.lines[first + 1] - #stands, { end_col = #page.lines[first + 1], hl_group = group, priority = 4100 } })
  if type(hunk.reason) == 'string' and hunk.reason ~= '' then
    add(page, 'your word: ' .. hunk.reason, 'WhereforeHint')
  end
  for _, warning in ipairs(heading.warnings(hunk)) do
    add(page, 'look twice: ' .. warning, 'WhereforeWarn')
  end
  local function plain(lines)
    return vim.tbl_map(function(line)
      return (text.chomp(line, true))
    end, lines)
  end
  local old, new = plain(hunk.old), plain(hunk.new)
  local in_old, in_new = words.marks(old, new)
  add_code(page, entry.file.path, old, in_old, 'Delete')
  add_code(page, entry.file.path, new, in_new, 'Add')
  table.insert(page.rows, { entry = entry, hunk = hunk, first = first, last = #page.lines - 1 })
end

--- What became of all hunks, in words.
---@param entries wherefore.Entry[]
---@return string
local function sum(entries)
  local counts, files, order = {}, {}, { 'waits', 'accepted', 'rejected', 'set aside' }
  for _, entry in ipairs(entries) do
    files[entry.key] = true
    for _, hunk in ipairs(entry.hunks) do
      local name = review.is_pending(hunk) and 'waits' or hunk.state == 'stale' and 'set aside' or hunk.state
      counts[name] = (counts[name] or 0) + 1
    end
  end
  local parts = { text.count(vim.tbl_count(files), 'file') }
  for _, name in ipairs(order) do
    if counts[name] then
      local verb = name == 'waits' and counts[name] > 1 and 'wait' or name
      table.insert(parts, ('%s %s'):format(#parts == 1 and text.count(counts[name], 'hunk') or counts[name], verb))
    end
  end
  return table.concat(parts, ', ')
end

--- The first lines: which session it is, what became of all, and the keys.
---@param page wherefore.Page
---@param session string
---@param entries wherefore.Entry[]
local function add_head(page, session, entries)
  local title = session == 'all' and 'Every session that is kept' or 'Session ' .. session
  add(page, ('%s: %s'):format(title, #entries > 0 and sum(entries) or 'nothing was changed'), 'WhereforeHeader')
  add(page, keys.page_hint(), 'WhereforeHint')
end

---@param page wherefore.Page
---@param entries wherefore.Entry[]
local function add_files(page, entries)
  local last
  for _, entry in ipairs(entries) do
    add(page, '')
    if entry.key ~= last then
      local row = add(page, text.clip(entry.file.path, 400), 'Directory')
      table.insert(page.marks, { row, 0, { line_hl_group = 'CursorLine' } })
      last = entry.key
    end
    local proposal = entry.proposal
    add(page, proposal.why, 'WhereforeWhy')
    local who = heading.agent(proposal) or 'an agent without a name'
    add(page, ('%s · %s · %s · %s'):format(who, proposal.tool, proposal.call_id, text.clock(proposal.created)), 'WhereforeHint')
    for _, hunk in ipairs(entry.hunks) do
      add_hunk(page, entry, hunk)
    end
  end
end

--- Writes a page into a buffer. The cursors of its windows stay on their rows.
---@param buf integer
---@param session string
---@param entries wherefore.Entry[] by file
---@return wherefore.Page
function M.write(buf, session, entries)
  local page = { rows = {}, lines = {}, marks = {} }
  add_head(page, session, entries)
  add_files(page, entries)
  vim.bo[buf].modifiable = true
  local views = vim.tbl_map(function(win)
    return { win = win, at = api.nvim_win_get_cursor(win) }
  end, vim.fn.win_findbuf(buf))
  api.nvim_buf_set_lines(buf, 0, -1, false, page.lines)
  for _, view in ipairs(views) do
    api.nvim_win_set_cursor(view.win, { math.min(view.at[1], #page.lines), view.at[2] })
  end
  vim.bo[buf].modifiable, vim.bo[buf].modified = false, false
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  for _, mark in ipairs(page.marks) do
    mark[3].strict = false
    api.nvim_buf_set_extmark(buf, ns, mark[1], mark[2], mark[3])
  end
  return page
end

return M
