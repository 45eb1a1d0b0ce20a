--- Buffers by their whole names.
local M = {}

--- The buffer that has this name, a path or a URI; -1 where there is none. |bufnr()| would also take one whose name only
--- begins so: that of `a.tsx` for `a.ts`.
---@param name string
---@return integer
function M.find_by_name(name)
  return vim.fn.bufexists(name) == 1 and vim.fn.bufadd(name) or -1
end

return M
