--- Writes a page of hunks into a buffer: file by file, each with its reason, how it stands, its removed and its new lines.
local M = {}

local api = vim.api
local call_list = require('wherefore.calls.call_list')
local hunk_heading = require('wherefore.review.hunk_heading')
local keys = require('wherefore.review.keys')
local proposal_store = require('wherefore.review.proposal_store')
local syntax_colours = require('wherefore.review.syntax_colours')
local text = require('wherefore.text')
local changed_words = require('wherefore.review.changed_words')

local ns = api.nvim_create_namespace('wherefore_page')

---@class wherefore.SessionRow a hunk on a page
---@field entry wherefore.ReviewEntry
---@field hunk wherefore.Hunk
---@field first integer its first row, from 0
---@field last integer its last row

---@class wherefore.SessionPage
---@field rows wherefore.SessionRow[]
---@field lines string[]
---@field marks { [1]: integer, [2]: integer, [3]: table }[] row, column, what stands there

--- The group of a hunk's state, and the state in words.
---@param hunk wherefore.Hunk
---@param undone boolean whether its call was taken back
---@return string group
---@return string words
local function describe_state(hunk, undone)
  if undone and hunk.state == 'accepted' then
    return 'WhereforeHint', 'undone'
  end
  if proposal_store.is_pending(hunk) then
    return 'WhereforeWarn', 'waits for you'
  elseif proposal_store.is_applied(hunk) then
    return 'WhereforeWarn', 'applied with nobody looking'
  elseif hunk.state == 'accepted' then
    return 'WhereforeAddSign', hunk.edited == true and 'accepted, changed by hand' or 'accepted'
  end
  return 'WhereforeDeleteSign', hunk.state == 'stale' and 'set aside: its text was changed' or 'rejected'
end

---@param page wherefore.SessionPage
---@param line string
---@param group? string
---@return integer row
local function add_line(page, line, group)
  table.insert(page.lines, (text.escape_hidden(line):gsub('\n', ' ')))
  local row = #page.lines - 1
  if group then
    table.insert(page.marks, { row, 0, { end_col = #page.lines[row + 1], hl_group = group } })
  end
  return row
end

--- Adds the lines of one side of a hunk, with the colours of their code.
---@param page wherefore.SessionPage
---@param path string
---@param lines string[]
---@param ranges table<integer, wherefore.WordRange[]>
---@param kind 'Add'|'Delete'
local function add_code(page, path, lines, ranges, kind)
  local spans = syntax_colours.colour_lines(path, lines)
  local group = 'Wherefore' .. kind
  for index, line in ipairs(lines) do
    local row = add_line(page, line)
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

---@param page wherefore.SessionPage
---@param entry wherefore.ReviewEntry
---@param hunk wherefore.Hunk
local function add_hunk(page, entry, hunk)
  local group, state_words = describe_state(hunk, call_list.is_undone(entry.client, entry.proposal))
  local title = ('%s %s: '):format(hunk_heading.format_number(entry, hunk), hunk_heading.describe_change(entry, hunk))
  local first = add_line(page, title .. state_words, 'WhereforeHeader')
  table.insert(page.marks, { first, #page.lines[first + 1] - #state_words, { end_col = #page.lines[first + 1], hl_group = group, priority = 4100 } })
  if type(hunk.reason) == 'string' and hunk.reason ~= '' then
    add_line(page, 'your word: ' .. hunk.reason, 'WhereforeHint')
  end
  for _, warning in ipairs(hunk_heading.list_warnings(hunk)) do
    add_line(page, 'look twice: ' .. warning, 'WhereforeWarn')
  end
  local function plain(lines)
    return vim.tbl_map(function(line)
      return (text.chomp(line, true))
    end, lines)
  end
  local old, new = plain(hunk.old), plain(hunk.new)
  local in_old, in_new = changed_words.find_changed_words(old, new)
  add_code(page, entry.file.path, old, in_old, 'Delete')
  add_code(page, entry.file.path, new, in_new, 'Add')
  table.insert(page.rows, { entry = entry, hunk = hunk, first = first, last = #page.lines - 1 })
end

--- Describes what became of all hunks.
---@param entries wherefore.ReviewEntry[]
---@return string
local function describe_sum(entries)
  local counts, files, order = {}, {}, { 'waits', 'accepted', 'rejected', 'undone', 'set aside' }
  for _, entry in ipairs(entries) do
    local undone = call_list.is_undone(entry.client, entry.proposal)
    files[entry.key] = true
    for _, hunk in ipairs(entry.hunks) do
      local name = proposal_store.is_pending(hunk) and 'waits' or hunk.state == 'stale' and 'set aside' or undone and hunk.state == 'accepted' and 'undone' or hunk.state
      counts[name] = (counts[name] or 0) + 1
    end
  end
  local parts = { text.format_count(vim.tbl_count(files), 'file') }
  for _, name in ipairs(order) do
    if counts[name] then
      local verb = name == 'waits' and counts[name] > 1 and 'wait' or name
      table.insert(parts, ('%s %s'):format(#parts == 1 and text.format_count(counts[name], 'hunk') or counts[name], verb))
    end
  end
  return table.concat(parts, ', ')
end

--- The first lines: which session it is, what became of all, and the keys.
---@param page wherefore.SessionPage
---@param session string
---@param entries wherefore.ReviewEntry[]
local function add_head(page, session, entries)
  local title = session == 'all' and 'Every session that is kept' or 'Session ' .. session
  add_line(page, ('%s: %s'):format(title, #entries > 0 and describe_sum(entries) or 'nothing was changed'), 'WhereforeHeader')
  add_line(page, keys.describe_page_keys(), 'WhereforeHint')
end

---@param page wherefore.SessionPage
---@param entries wherefore.ReviewEntry[]
local function add_files(page, entries)
  local last
  for _, entry in ipairs(entries) do
    add_line(page, '')
    if entry.key ~= last then
      local row = add_line(page, text.clip(entry.file.path, 400), 'Directory')
      table.insert(page.marks, { row, 0, { line_hl_group = 'CursorLine' } })
      last = entry.key
    end
    local proposal = entry.proposal
    add_line(page, proposal.why, 'WhereforeWhy')
    for _, line in ipairs(hunk_heading.format_command(proposal)) do
      add_line(page, line, 'WhereforeHint')
    end
    local who = hunk_heading.find_agent(proposal) or 'an agent without a name'
    add_line(page, ('%s · %s · %s · %s'):format(who, proposal.tool, proposal.call_id, text.format_clock(proposal.created)), 'WhereforeHint')
    for _, hunk in ipairs(entry.hunks) do
      add_hunk(page, entry, hunk)
    end
  end
end

--- Writes a page into a buffer. The cursors of its windows stay on their rows.
---@param buf integer
---@param session string
---@param entries wherefore.ReviewEntry[] by file
---@return wherefore.SessionPage
function M.write_page(buf, session, entries)
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
