--- Keys that stand in a buffer only while hunks wait there; what they covered comes back. Those that go to a hunk stand
--- everywhere.
local M = {}

local config = require('wherefore.config')

---@type table<integer, { mode: string, lhs: string, old?: table }[]> what stood there before, by buffer
local covered = {}

--- Keys that also act on the lines that a person selected.
local on_lines = { accept = 'accept_lines', comment = 'send_lines' }

---@param buf integer
---@param mode 'n'|'x'
---@param lhs string
---@param key wherefore.ReviewKey
---@param act string
local function map_key(buf, mode, lhs, key, act)
  vim.api.nvim_buf_call(buf, function()
    local old = vim.fn.maparg(lhs, mode, false, true)
    table.insert(covered[buf], { mode = mode, lhs = lhs, old = old.buffer == 1 and old or nil })
  end)
  vim.keymap.set(mode, lhs, function()
    require('wherefore.review.hunk_actions')[act]()
  end, { buffer = buf, desc = 'wherefore: ' .. key.desc, nowait = true })
end

---@param buf integer
function M.map_buffer(buf)
  if covered[buf] or not config.current.keys then
    return
  end
  covered[buf] = {}
  for _, key in ipairs(config.keys) do
    local lhs = config.current.keys[key.name]
    if lhs then
      map_key(buf, 'n', lhs, key, key.name)
      if on_lines[key.name] then
        map_key(buf, 'x', lhs, key, on_lines[key.name])
      end
    end
  end
end

---@param buf integer
function M.unmap_buffer(buf)
  local before = covered[buf]
  covered[buf] = nil
  if not before or not vim.api.nvim_buf_is_valid(buf) then
    return
  end
  vim.api.nvim_buf_call(buf, function()
    for _, each in ipairs(before) do
      pcall(vim.keymap.del, each.mode, each.lhs, { buffer = buf })
      if each.old then
        vim.fn.mapset(each.mode, false, each.old)
      end
    end
  end)
end

--- Maps the keys that go to a hunk in every buffer, where nothing else stands on them.
function M.map_everywhere()
  for _, key in ipairs(config.current.keys and config.keys or {}) do
    local lhs = config.current.keys[key.name]
    local goes = key.name == 'next' or key.name == 'prev'
    if goes and lhs and vim.fn.maparg(lhs, 'n') == '' then
      vim.keymap.set('n', lhs, function()
        require('wherefore.review.hunk_actions')[key.name]()
      end, { desc = 'wherefore: ' .. key.desc })
    end
  end
end

---@param lhs string
---@return string as a person reads it
local function format_key(lhs)
  return (lhs:gsub('<[lL]eader>', function()
    return vim.g.mapleader == ' ' and '<space>' or vim.g.mapleader or '\\'
  end))
end

--- Maps the keys of a page of hunks, for as long as its buffer is there.
---@param buf integer
---@param acts table<string, fun()> by the name of the key
function M.map_page(buf, acts)
  for _, key in ipairs(config.current.keys and config.keys or {}) do
    local lhs = config.current.keys[key.name]
    if lhs and acts[key.name] then
      vim.keymap.set('n', lhs, acts[key.name], { buffer = buf, desc = 'wherefore: ' .. key.desc, nowait = true })
    end
  end
end

--- The keys of a page of hunks, as a hint.
---@return string
function M.describe_page_keys()
  local keys, parts = config.current.keys or {}, {}
  for _, each in ipairs({ { 'next', 'next hunk' }, { 'accept', 'accept' }, { 'reject', 'reject, or take back' }, { 'reject_reason', 'with reason' } }) do
    if keys[each[1]] then
      table.insert(parts, format_key(keys[each[1]]) .. ' ' .. each[2])
    end
  end
  return table.concat(vim.list_extend(parts, { '<CR> open the file', 'K why', 'q close' }), ' · ')
end

--- Describes how to go to the next hunk: by a key, or a command where there is none.
---@return string
function M.describe_next_key()
  local lhs = config.current.keys and config.current.keys.next
  return lhs and format_key(lhs) or ':Wherefore next'
end

--- The keys of the common acts as a hint, for a header.
---@param applied? boolean whether it is of a hunk that was applied already
---@return string
function M.describe_keys(applied)
  local keys = config.current.keys
  local words = applied and { accept = 'keep', reject = 'take back' } or {}
  if not keys then
    local hint = ':Wherefore accept | reject | next'
    return applied and hint .. ' (accept keeps it, reject takes it back)' or hint
  end
  local parts = {}
  for _, name in ipairs({ 'accept', 'reject', 'reject_reason', 'next' }) do
    if keys[name] then
      table.insert(parts, format_key(keys[name]) .. ' ' .. (name == 'reject_reason' and 'with reason' or words[name] or name))
    end
  end
  return table.concat(parts, ' · ')
end

return M
