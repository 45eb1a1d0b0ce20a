--- Lines as rows of coloured pieces: for virtual lines, which have no colours and no wrapping of their own.
local M = {}

local api = vim.api
local text = require('wherefore.text')

--- Longer lines are shown without the colours of their code.
local most_bytes = 2000

---@alias wherefore.TextChunk { [1]: string, [2]: string|string[] } a text and its highlight groups, the strongest last

---@class wherefore.LineStyle how a line is drawn
---@field base string group of the whole row
---@field word string group of its changed words
---@field spans? wherefore.SyntaxSpan[] the colours of its code
---@field words? wherefore.WordRange[] its changed words

--- The group of each byte: of spans that overlap the last one wins.
---@param line string
---@param ranges { [1]: integer, [2]: integer, [3]: any }[]
---@return table<integer, any> by byte, from 1
local function map_bytes(line, ranges)
  local of = {}
  for _, range in ipairs(ranges) do
    for byte = range[1] + 1, math.min(range[2], #line) do
      of[byte] = range[3] or true
    end
  end
  return of
end

--- Cuts a line where its colours change.
---@param line string
---@param style wherefore.LineStyle
---@return wherefore.TextChunk[]
local function cut_line(line, style)
  local spans, words = style.spans or {}, style.words or {}
  if #line > most_bytes or #spans == 0 and #words == 0 then
    return { { line, style.base } }
  end
  local of_span, of_word = map_bytes(line, spans), map_bytes(line, words)
  local out, from = {}, 1
  for byte = 1, #line do
    if byte == #line or of_span[byte] ~= of_span[byte + 1] or of_word[byte] ~= of_word[byte + 1] then
      -- A scheme may give code backgrounds, which would be holes in the row.
      local groups = { of_span[byte] }
      groups[#groups + 1] = style.base
      groups[#groups + 1] = of_word[byte] and style.word or nil
      out[#out + 1] = { line:sub(from, byte), groups }
      from = byte + 1
    end
  end
  return out
end

--- Puts chunks into rows of at most `width` cells; the last one is filled up.
---@param chunks wherefore.TextChunk[]
---@param width integer
---@param base string
---@return wherefore.TextChunk[][]
local function wrap_chunks(chunks, width, base)
  local rows, row, used = {}, {}, 0
  local function fill()
    if used < width then
      row[#row + 1] = { (' '):rep(width - used), base }
    end
    rows[#rows + 1], row, used = row, {}, 0
  end
  for _, chunk in ipairs(chunks) do
    local cells = api.nvim_strwidth(chunk[1])
    if used + cells <= width then
      row[#row + 1], used = chunk, used + cells
    else
      local part = {}
      for _, sign in ipairs(vim.fn.split(chunk[1], '\\zs')) do
        local wide = api.nvim_strwidth(sign)
        if used + wide > width and used > 0 then
          row[#row + 1] = { table.concat(part), chunk[2] }
          part = {}
          fill()
        end
        part[#part + 1], used = sign, used + wide
      end
      row[#row + 1] = { table.concat(part), chunk[2] }
    end
  end
  fill()
  return rows
end

--- A line of code as rows.
---@param line string without its end
---@param width integer
---@param tabstop integer
---@param style wherefore.LineStyle
---@return wherefore.TextChunk[][]
function M.make_line_rows(line, width, tabstop, style)
  local chunks, column = {}, 0
  for _, piece in ipairs(cut_line(line, style)) do
    local shown
    shown, column = text.expand_tabs(piece[1], tabstop, column)
    chunks[#chunks + 1] = { shown, piece[2] }
  end
  return wrap_chunks(chunks, width, style.base)
end

--- A sentence as rows, each behind a mark.
---@param mark string
---@param sentence string
---@param width integer
---@param group string
---@return wherefore.TextChunk[][]
function M.make_sentence_rows(mark, sentence, width, group)
  local room = math.max(width - api.nvim_strwidth(mark), 10)
  return vim.tbl_map(function(row)
    return { { mark, 'WhereforeHeader' }, { row, group } }
  end, text.wrap(sentence, room))
end

return M
