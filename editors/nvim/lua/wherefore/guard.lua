--- The border between the editor and our code: a fault of ours becomes one message, never a stack of them.
local M = {}

local reported = {}

--- Says once what went wrong inside the plugin.
---@param where string
---@param err any
function M.report_fault(where, err)
  local text = require('wherefore.text').escape_hidden(('wherefore: %s failed: %s'):format(where, tostring(err)))
  if not reported[text] then
    reported[text] = true
    vim.schedule(function()
      vim.notify(text, vim.log.levels.ERROR, { title = 'wherefore' })
    end)
  end
end

--- Wraps a function so that it never throws; it gives nil where it failed.
---@generic F: function
---@param where string what it does, for the message
---@param run F
---@return F
function M.wrap(where, run)
  return function(...)
    local result = vim.F.pack_len(pcall(run, ...))
    if not result[1] then
      M.report_fault(where, result[2])
      return nil
    end
    return unpack(result, 2, result.n)
  end
end

return M
