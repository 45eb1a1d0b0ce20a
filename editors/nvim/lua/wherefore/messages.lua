--- Shows messages to the person.
local M = {}

local text = require('wherefore.text')

local levels = vim.log.levels

--- Shows a message. The message line of the editor holds one row; a longer text would ask for a key, so that a longer
--- warning is shown in a float. The lines below the first only draw what it says.
---@param message string
---@param level? integer
function M.show(message, level)
  message = text.escape_hidden(message)
  local plain = debug.getinfo(vim.notify, 'S').source
  if plain:find('vim/_') or plain == '=?' or plain == '?' then
    local whole = message:gsub(':?\n.*', '')
    message = text.clip(whole, vim.v.echospace)
    if level == levels.WARN and message ~= vim.trim(whole) then
      require('wherefore.warning_float').show_warning(whole)
    end
  end
  vim.notify(message, level or levels.INFO, { title = 'wherefore' })
end

function M.warn(message)
  M.show('wherefore: ' .. message, levels.WARN)
end

return M
