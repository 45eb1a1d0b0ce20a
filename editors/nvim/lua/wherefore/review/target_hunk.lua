--- Which hunk a key means: the one under the cursor, else the nearest that the window shows. One that is not on the screen
--- is never decided on.
local M = {}

local drawn_hunks = require('wherefore.review.drawn_hunks')

--- True if a row of the span is seen in the current window: neither scrolled away nor in a closed fold.
---@param first integer
---@param last integer
---@return boolean
local function is_visible(first, last)
  local row = math.max(first + 1, vim.fn.line('w0'))
  while row <= math.min(last + 1, vim.fn.line('w$')) do
    local fold = vim.fn.foldclosedend(row)
    if fold < 0 then
      return true
    end
    row = fold + 1
  end
  return false
end

--- The hunk that is meant; nil where none is on the screen.
---@return wherefore.DrawnHunk?
function M.find_hunk()
  local at = drawn_hunks.find_at_cursor()
  if at then
    return at
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local nearest, least
  for _, found in ipairs(drawn_hunks.list_in_buffer(vim.api.nvim_get_current_buf())) do
    local away = math.max(found.first - row, row - found.last, 0)
    if (not least or away < least) and is_visible(found.first, found.last) then
      nearest, least = found.item, away
    end
  end
  return nearest
end

--- The row of the hunk to go to where none is on the screen: of the next in this buffer, around the end.
---@return integer?
function M.find_next_row()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local list = drawn_hunks.list_in_buffer(vim.api.nvim_get_current_buf())
  local below = vim.iter(list):find(function(found)
    return found.last >= row
  end)
  local to = below or list[1]
  return to and to.first
end

return M
