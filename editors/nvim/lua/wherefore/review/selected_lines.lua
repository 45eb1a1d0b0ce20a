--- A part of a hunk: those of its lines that a person selected. The others stay as they are.
local M = {}

local api = vim.api
local hunk_drawing = require('wherefore.review.hunk_drawing')
local drawn_hunks = require('wherefore.review.drawn_hunks')
local proposal_preview = require('wherefore.review.proposal_preview')
local proposal_store = require('wherefore.review.proposal_store')
local text = require('wherefore.text')
local changed_words = require('wherefore.review.changed_words')

--- Lines as the server takes them: each with a plain line end.
---@param lines string[]
---@return string
local function join_lines(lines)
  local out = vim.tbl_map(function(line)
    return text.chomp(line, true) .. '\n'
  end, lines)
  return table.concat(out)
end

--- The lines of a hunk with only the selected ones changed. New lines belong to the old ones that they stand for, those that
--- stand for none to the old line above.
---@param hunk wherefore.Hunk
---@param is_selected fun(line: integer): boolean of an old line, from 1
---@return string[]
local function change_selected(hunk, is_selected)
  local out, at = {}, 1
  local function put(lines, first, count)
    for index = first, first + count - 1 do
      table.insert(out, lines[index])
    end
  end
  for _, piece in ipairs(changed_words.find_pieces(hunk.old, hunk.new)) do
    local a, a_count, b, b_count = unpack(piece)
    local from = a_count == 0 and a + 1 or a
    put(hunk.old, at, from - at)
    at = from + a_count
    if b_count == 0 then
      for line = a, a + a_count - 1 do
        put(hunk.old, line, is_selected(line) and 0 or 1)
      end
    elseif a_count == b_count then
      for index = 0, a_count - 1 do
        local chosen = is_selected(a + index)
        put(chosen and hunk.new or hunk.old, (chosen and b or a) + index, 1)
      end
    else
      local chosen = false
      for line = math.max(a, 1), math.max(a + a_count - 1, 1) do
        chosen = chosen or is_selected(line)
      end
      put(chosen and hunk.new or hunk.old, chosen and b or a, chosen and b_count or a_count)
    end
  end
  put(hunk.old, at, #hunk.old - at + 1)
  return out
end

--- The hunk in a file's buffer that a selection touches, and its lines with only those changed.
---@param first integer
---@param last integer
local function find_in_file(first, last)
  for _, found in ipairs(drawn_hunks.list_in_buffer(api.nvim_get_current_buf())) do
    local hunk = found.item.hunk
    local touched = found.first <= last and found.last >= first
    if touched and proposal_store.is_pending(hunk) then
      local lines = #hunk_drawing.split_sides(hunk) > 0
        and change_selected(hunk, function(line)
          local row = found.first + line - 1
          return row >= first and row <= last
        end)
      return found.item, lines
    end
  end
end

--- The hunk in a preview that a selection touches, and its lines with only those changed.
---@param first integer
---@param last integer
local function find_in_preview(first, last)
  for _, at in ipairs(proposal_preview.list_places()) do
    local hunk = at.item.hunk
    if at.first <= last and at.last >= first and proposal_store.is_pending(hunk) then
      local lines = {}
      for index, line in ipairs(hunk.old) do
        local row = at.old + index - 1
        if row < first or row > last then
          table.insert(lines, line)
        end
      end
      for index, line in ipairs(hunk.new) do
        local row = at.new + index - 1
        if row >= first and row <= last then
          table.insert(lines, line)
        end
      end
      return at.item, lines
    end
  end
end

--- The hunk that a selection means, and what it adds where only the selected lines change; no text where that is all of it.
---@param first integer the first row
---@param last integer the last row
---@return wherefore.DrawnHunk?
---@return string? lines
function M.find_selected(first, last)
  local shown = proposal_preview.is_preview(api.nvim_get_current_buf())
  local item, lines = (shown and find_in_preview or find_in_file)(first, last)
  local kind = item and item.entry.file.kind
  if not item or not lines or kind ~= 'edit' and kind ~= 'create' then
    return item, nil
  end
  return item, not vim.deep_equal(lines, item.hunk.new) and join_lines(lines) or nil
end

return M
