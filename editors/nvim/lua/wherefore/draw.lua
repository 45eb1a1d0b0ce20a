--- Draws one hunk into a buffer: its heading, the lines that are not in the text as virtual lines, and marks on those that
--- are.
local M = {}

local api = vim.api
local config = require('wherefore.config')
local guard = require('wherefore.guard')
local heading = require('wherefore.heading')
local review = require('wherefore.review')
local rows = require('wherefore.rows')
local syntax = require('wherefore.syntax')
local text = require('wherefore.text')
local words = require('wherefore.words')

M.namespace = api.nvim_create_namespace('wherefore')

--- Marks of lines stand above the colours of code, those of words above both.
local priority = 150

--- The cells that a line has in the narrowest window that shows the buffer.
---@param buf integer
---@param is_drawn boolean whether signs stand there already
---@return integer
function M.width(buf, is_drawn)
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
function M.sides(hunk)
  if review.is_applied(hunk) then
    return hunk.new, hunk.old
  end
  return hunk.old, hunk.new
end

---@class wherefore.Look how the lines of a hunk look
---@field spans? wherefore.Span[][] the colours of the lines that are not in the text
---@field there table<integer, wherefore.Range[]> changed words of the lines in the text
---@field other table<integer, wherefore.Range[]> changed words of those that are not

--- The lines of one side without their ends, and whether the last one had an end.
---@param buf integer
---@param lines string[]
---@return string[]
---@return boolean ended
local function plain(buf, lines)
  local out, dos, ended = {}, vim.bo[buf].fileformat == 'dos', true
  for index, line in ipairs(lines) do
    out[index], ended = text.chomp(line, dos)
  end
  return out, ended
end

--- How the lines of hunks look.
---@param buf integer
---@param list wherefore.Hunk[] in the order of their places
---@return wherefore.Look[]
function M.looks(buf, list)
  local pieces = {}
  local out = vim.tbl_map(function(hunk)
    local there, other = M.sides(hunk)
    there, other = plain(buf, there), plain(buf, other)
    table.insert(pieces, { start = hunk.start, there = #there, lines = vim.list_slice(other, 1, config.current.max_lines) })
    local in_there, in_other = words.marks(there, other)
    return { there = in_there, other = in_other }
  end, list)
  -- A parser that fails leaves the lines without colours.
  local spans = guard.wrap('colouring lines', syntax.of)(buf, pieces) or {}
  for index, look in ipairs(out) do
    look.spans = spans[index]
  end
  return out
end

---@param buf integer
---@param lines string[]
---@param width integer
---@param colour string
---@param look wherefore.Look
---@return wherefore.Chunk[][] virtual lines
local function virtual(buf, lines, width, colour, look)
  local out, tabstop = {}, vim.bo[buf].tabstop
  local shown, ended = plain(buf, lines)
  for index, line in ipairs(shown) do
    if index > config.current.max_lines then
      local more = ('… %s more, all in :Wherefore preview'):format(text.count(#lines - index + 1, 'line'))
      table.insert(out, { { more, 'WhereforeHint' } })
      break
    end
    local style = { base = colour, word = colour .. 'Word', spans = look.spans and look.spans[index], words = look.other[index] }
    vim.list_extend(out, rows.line(line, width, tabstop, style))
  end
  if not ended and #lines <= config.current.max_lines then
    table.insert(out, { { '(no line end at the end of the file)', 'WhereforeHint' } })
  end
  return out
end

--- Whether the lines of a hunk stand in the text, byte for byte.
---@param buf integer
---@param hunk wherefore.Hunk
---@return boolean
local function is_there(buf, hunk)
  local there, dos = M.sides(hunk), vim.bo[buf].fileformat == 'dos'
  local lines = api.nvim_buf_get_lines(buf, hunk.start, hunk.start + #there, false)
  for index, line in ipairs(there) do
    if lines[index] ~= text.chomp(line, dos) then
      return false
    end
  end
  return true
end

local function mark(buf, row, opts)
  opts.strict, opts.priority = false, opts.priority or priority
  return api.nvim_buf_set_extmark(buf, M.namespace, row, 0, opts)
end

--- The sign beside the lines of a hunk that stand in the text, or between which it stands.
---@param kind 'add'|'delete'
local function sign(kind)
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

---@class wherefore.Parts what is drawn of a hunk
---@field head wherefore.Chunk[][] its heading
---@field other wherefore.Chunk[][] the lines that are not in the text
---@field look wherefore.Look

--- A hunk with lines in the text: they are marked where they stand. New lines follow them, old ones stand above.
---@param buf integer
---@param hunk wherefore.Hunk
---@param parts wherefore.Parts
---@param lines integer how many the buffer has
local function change(buf, hunk, parts, lines)
  local there, applied = M.sides(hunk), review.is_applied(hunk)
  local first = math.min(hunk.start, lines - 1)
  local last = math.min(first + #there, lines)
  local above = applied and vim.list_extend(parts.head, parts.other) or parts.head
  mark(buf, first, { virt_lines = above, virt_lines_above = true })
  if #parts.other > 0 and not applied then
    mark(buf, last - 1, { virt_lines = parts.other })
  end
  local colour = applied and 'WhereforeAdd' or 'WhereforeDelete'
  mark(buf, first, { end_row = last, end_col = 0, hl_group = colour, hl_eol = true })
  if is_there(buf, hunk) then
    mark_words(buf, first, parts.look.there, colour)
  end
  local id = mark(buf, first, vim.tbl_extend('error', { end_row = last - 1 }, sign(applied and 'add' or 'delete')))
  return id, first == 0 and #above or 0
end

--- A hunk with no lines in the text: header and lines stand between two lines, or above the first.
---@param buf integer
---@param hunk wherefore.Hunk
---@param parts wherefore.Parts
---@param lines integer how many the buffer has
local function between(buf, hunk, parts, lines)
  local list = vim.list_extend(parts.head, parts.other)
  local above = hunk.start == 0
  local row = above and 0 or math.min(hunk.start, lines) - 1
  local kind = review.is_applied(hunk) and 'delete' or 'add'
  local id = mark(buf, row, vim.tbl_extend('error', { virt_lines = list, virt_lines_above = above }, sign(kind)))
  return id, above and #list or 0
end

--- Draws one hunk.
---@param buf integer
---@param entry wherefore.Entry
---@param hunk wherefore.Hunk where it stands now
---@param look wherefore.Look
---@param said { width: integer, why?: boolean, keys?: boolean } the room, and what its heading says beside its number
---@return integer mark the extmark that moves with its lines
---@return integer above rows of it above line 1
function M.hunk(buf, entry, hunk, look, said)
  local there, other = M.sides(hunk)
  local applied = review.is_applied(hunk)
  local changed = applied and not is_there(buf, hunk)
  local parts = {
    head = heading.of(entry, hunk, said.width, said, changed),
    other = virtual(buf, other, said.width, applied and 'WhereforeDelete' or 'WhereforeAdd', look),
    look = look,
  }
  return (#there > 0 and change or between)(buf, hunk, parts, api.nvim_buf_line_count(buf))
end

return M
