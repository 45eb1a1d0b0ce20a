--- Keys that stand in a buffer only while hunks wait there; what they covered comes back.
local M = {}

local config = require('wherefore.config')

---@type table<integer, table<string, table>> what stood there before, by buffer and key
local covered = {}

---@param buf integer
function M.set(buf)
  if covered[buf] or not config.current.keys then
    return
  end
  covered[buf] = {}
  for _, key in ipairs(config.keys) do
    local lhs = config.current.keys[key.name]
    if lhs then
      vim.api.nvim_buf_call(buf, function()
        local old = vim.fn.maparg(lhs, 'n', false, true)
        covered[buf][lhs] = old.buffer == 1 and old or {}
      end)
      vim.keymap.set('n', lhs, function()
        require('wherefore.act')[key.name]()
      end, { buffer = buf, desc = 'wherefore: ' .. key.desc, nowait = true })
    end
  end
end

---@param buf integer
function M.unset(buf)
  local before = covered[buf]
  covered[buf] = nil
  if not before or not vim.api.nvim_buf_is_valid(buf) then
    return
  end
  vim.api.nvim_buf_call(buf, function()
    for lhs, old in pairs(before) do
      pcall(vim.keymap.del, 'n', lhs, { buffer = buf })
      if old.lhs then
        vim.fn.mapset('n', false, old)
      end
    end
  end)
end

--- The keys of the common acts as a hint, for a header.
---@param applied? boolean whether it is of a hunk that was applied already
---@return string
function M.hint(applied)
  local keys = config.current.keys
  local words = applied and { accept = 'keep', reject = 'take back' } or {}
  if not keys then
    local hint = ':Wherefore accept | reject | next'
    return applied and hint .. ' (accept keeps it, reject takes it back)' or hint
  end
  local parts = {}
  for _, name in ipairs({ 'accept', 'reject', 'reject_reason', 'next' }) do
    if keys[name] then
      local shown = keys[name]:gsub('<[lL]eader>', function()
        return vim.g.mapleader == ' ' and '<space>' or vim.g.mapleader or '\\'
      end)
      table.insert(parts, shown .. ' ' .. (name == 'reject_reason' and 'with reason' or words[name] or name))
    end
  end
  return table.concat(parts, ' · ')
end

return M
