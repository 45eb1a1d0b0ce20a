--- Draws one hunk into a buffer: its heading, the lines that are not in the text as virtual lines, and marks on those that
--- are.
local M = {}

local api = vim.api
local config = require('wherefore.config')
local guard = require('wherefore.guard')
local hunk_heading = require('wherefore.review.hunk_heading')
local proposal_store = require('wherefore.review.proposal_store')
local virtual_rows = require('wherefore.review.virtual_rows')
local syntax_colours = require('wherefore.review.syntax_colours')
local text = require('wherefore.text')
local changed_words = require('wherefore.review.changed_words')

M.namespace = api.nvim_create_namespace('wherefore')

--- Marks of lines stand above the colours of code, those of words above both.
local priority = 150

--- The cells that a line has in the narrowest window that shows the buffer.
---@param buf integer
---@param is_drawn boolean whether signs stand there already
---@return integer
function M.find_width(buf, is_drawn)
  local width
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local info = vim.fn.getwininfo(win)[1]
    local sign = not is_drawn and vim.wo[win].signcolumn:find('^auto') and 2 or 0
    width = math.min(width or math.huge, info.width - info.textoff - sign)
  end
  return math.max(width or vim.o.columns - 8, 20)
end

--- The lines of a hunk that stand in the text, and those that do not.
---@param hunk wherefore.Hunk
---@return string[] there
---@return string[] other
function M.split_sides(hunk)
  if proposal_store.is_applied(hunk) then
    return hunk.new, hunk.old
  end
  return hunk.old, hunk.new
end

---@class wherefore.HunkLook how the lines of a hunk look
---@field spans? wherefore.SyntaxSpan[][] the colours of the lines that are not in the text
---@field there table<integer, wherefore.WordRange[]> changed words of the lines in the text
---@field other table<integer, wherefore.WordRange[]> changed words of those that are not

--- The lines of one side without their ends, and whether the last one had an end.
---@param buf integer
---@param lines string[]
---@return string[]
---@return boolean ended
local function chomp_lines(buf, lines)
  local out, dos, ended = {}, vim.bo[buf].fileformat == 'dos', true
  for index, line in ipairs(lines) do
    out[index], ended = text.chomp(line, dos)
  end
  return out, ended
end

--- Finds how the lines of hunks look.
---@param buf integer
---@param list wherefore.Hunk[] in the order of their places
---@return wherefore.HunkLook[]
function M.find_looks(buf, list)
  local pieces = {}
  local out = vim.tbl_map(function(hunk)
    local there, other = M.split_sides(hunk)
    there, other = chomp_lines(buf, there), chomp_lines(buf, other)
    table.insert(pieces, { start = hunk.start, there = #there, lines = vim.list_slice(other, 1, config.current.max_lines) })
    local in_there, in_other = changed_words.find_changed_words(there, other)
    return { there = in_there, other = in_other }
  end, list)
  -- A parser that fails leaves the lines without colours.
  local spans = guard.wrap('colouring lines', syntax_colours.colour_pieces)(buf, pieces) or {}
  for index, look in ipairs(out) do
    look.spans = spans[index]
  end
  return out
end

---@param buf integer
---@param lines string[]
---@param width integer
---@param colour string
---@param look wherefore.HunkLook
---@return wherefore.TextChunk[][] virtual lines
local function make_virtual_lines(buf, lines, width, colour, look)
  local out, tabstop = {}, vim.bo[buf].tabstop
  local shown, ended = chomp_lines(buf, lines)
  for index, line in ipairs(shown) do
    if index > config.current.max_lines then
      local more = ('… %s more, all in :Wherefore preview'):format(text.format_count(#lines - index + 1, 'line'))
      table.insert(out, { { more, 'WhereforeHint' } })
      break
    end
    local style = { base = colour, word = colour .. 'Word', spans = look.spans and look.spans[index], words = look.other[index] }
    vim.list_extend(out, virtual_rows.make_line_rows(line, width, tabstop, style))
  end
  if not ended and #lines <= config.current.max_lines then
    table.insert(out, { { '(no line end at the end of the file)', 'WhereforeHint' } })
  end
  return out
end

--- True if the lines of a hunk stand in the text, byte for byte.
---@param buf integer
---@param hunk wherefore.Hunk
---@return boolean
local function is_in_text(buf, hunk)
  local there, dos = M.split_sides(hunk), vim.bo[buf].fileformat == 'dos'
  local lines = api.nvim_buf_get_lines(buf, hunk.start, hunk.start + #there, false)
  for index, line in ipairs(there) do
    if lines[index] ~= text.chomp(line, dos) then
      return false
    end
  end
  return true
end

---@param buf integer
---@param row integer
---@param opts vim.api.keyset.set_extmark
---@param column? integer
---@return integer id
local function set_mark(buf, row, opts, column)
  opts.strict, opts.priority = false, opts.priority or priority
  return api.nvim_buf_set_extmark(buf, M.namespace, row, column or 0, opts)
end

--- The sign beside the lines of a hunk that stand in the text, or between which it stands.
---@param kind 'add'|'delete'
local function make_sign(kind)
  local add = kind == 'add'
  return { sign_text = add and '+' or '-', sign_hl_group = add and 'WhereforeAddSign' or 'WhereforeDeleteSign' }
end

--- Marks the changed words of lines in the text.
local function mark_words(buf, first, ranges, colour)
  for index, list in pairs(ranges) do
    for _, range in ipairs(list) do
      api.nvim_buf_set_extmark(buf, M.namespace, first + index - 1, range[1], {
        end_col = range[2],
        hl_group = colour .. 'Word',
        strict = false,
        priority = priority + 1,
      })
    end
  end
end

---@class wherefore.HunkParts what is drawn of a hunk
---@field head fun(keys: boolean): wherefore.TextChunk[][] its heading, with the keys or without
---@field other wherefore.TextChunk[][] the lines that are not in the text
---@field look wherefore.HunkLook

--- A hunk with lines in the text: they are marked where they stand. New lines follow them, old ones stand above.
---@param buf integer
---@param hunk wherefore.Hunk
---@param parts wherefore.HunkParts
---@param lines integer how many the buffer has
---@return integer id
---@return wherefore.HunkHeading
local function draw_change(buf, hunk, parts, lines)
  local there, applied = M.split_sides(hunk), proposal_store.is_applied(hunk)
  local first = math.min(hunk.start, lines - 1)
  local last = math.min(first + #there, lines)
  local above = { is_first = first == 0 }
  function above.rows(keys)
    local head = parts.head(keys)
    return applied and vim.list_extend(head, parts.other) or head
  end
  above.opts = { virt_lines_above = true }
  above.id = set_mark(buf, first, vim.tbl_extend('error', { virt_lines = above.rows(false) }, above.opts))
  if #parts.other > 0 and not applied then
    set_mark(buf, last - 1, { virt_lines = parts.other })
  end
  local colour = applied and 'WhereforeAdd' or 'WhereforeDelete'
  set_mark(buf, first, { end_row = last, end_col = 0, hl_group = colour, hl_eol = true })
  if is_in_text(buf, hunk) then
    mark_words(buf, first, parts.look.there, colour)
  end
  local id = set_mark(buf, first, vim.tbl_extend('error', { end_row = last - 1 }, make_sign(applied and 'add' or 'delete')))
  return id, above
end

--- A hunk with no lines in the text: header and lines stand between two lines, or above the first.
---@param buf integer
---@param hunk wherefore.Hunk
---@param parts wherefore.HunkParts
---@param lines integer how many the buffer has
---@return integer id
---@return wherefore.HunkHeading
local function draw_between(buf, hunk, parts, lines)
  local is_first = hunk.start == 0
  local above = { is_first = is_first }
  function above.rows(keys)
    return vim.list_extend(parts.head(keys), parts.other)
  end
  local row = is_first and 0 or math.min(hunk.start, lines) - 1
  local id = set_mark(buf, row, make_sign(proposal_store.is_applied(hunk) and 'delete' or 'add'))
  -- Above the line that follows, so that it comes below the new lines of a hunk that ends here. Of marks in one place those
  -- with left gravity come first: here before the heading of a hunk that begins here.
  local is_end = row + 1 >= lines and not is_first
  above.opts = is_end and {} or { virt_lines_above = true, right_gravity = false }
  local at, column = is_first and 0 or is_end and row or row + 1, 0
  if is_end then
    column = #api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
  end
  above.id = set_mark(buf, at, vim.tbl_extend('error', { virt_lines = above.rows(false) }, above.opts), column)
  return id, above
end

---@class wherefore.HunkHeading the rows of a hunk that begin with its heading
---@field id integer the extmark that holds them
---@field is_first boolean whether they stand above line 1
---@field opts vim.api.keyset.set_extmark what the extmark has beside them
---@field rows fun(keys: boolean): wherefore.TextChunk[][]

--- Draws the heading of a hunk anew where it stands, with the keys or without.
---@param buf integer
---@param above wherefore.HunkHeading
---@param keys boolean
---@return integer rows above line 1
function M.draw_heading(buf, above, keys)
  local at = api.nvim_buf_get_extmark_by_id(buf, M.namespace, above.id, {})
  local list = above.rows(keys)
  if at[1] then
    set_mark(buf, at[1], vim.tbl_extend('error', { id = above.id, virt_lines = list }, above.opts), at[2])
  end
  return above.is_first and #list or 0
end

--- Draws one hunk.
---@param buf integer
---@param entry wherefore.ReviewEntry
---@param hunk wherefore.Hunk where it stands now
---@param look wherefore.HunkLook
---@param options { width: integer, why?: boolean } the room, and whether its heading says the reason
---@return integer mark the extmark that moves with its lines
---@return wherefore.HunkHeading above
function M.draw_hunk(buf, entry, hunk, look, options)
  local there, other = M.split_sides(hunk)
  local applied = proposal_store.is_applied(hunk)
  local changed = applied and not is_in_text(buf, hunk)
  local parts = {
    head = function(keys)
      return hunk_heading.make_heading(entry, hunk, options.width, { why = options.why, keys = keys }, changed)
    end,
    other = make_virtual_lines(buf, other, options.width, applied and 'WhereforeDelete' or 'WhereforeAdd', look),
    look = look,
  }
  return (#there > 0 and draw_change or draw_between)(buf, hunk, parts, api.nvim_buf_line_count(buf))
end

return M
