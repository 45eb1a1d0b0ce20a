--- Who is told when something changes.
local M = {}

--- A list of listeners: what adds one, and what tells all of them.
---@return fun(run: fun(...)) on_change
---@return fun(...) changed
function M.make_list()
  local list = {}
  return function(run)
    table.insert(list, run)
  end, function(...)
    for _, run in ipairs(list) do
      run(...)
    end
  end
end

return M
