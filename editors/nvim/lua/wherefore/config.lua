--- What can be set, its defaults, and the check of what a person gave.
local M = {}

---@class wherefore.Keys
---@field next string|false
---@field prev string|false
---@field accept string|false
---@field reject string|false
---@field reject_reason string|false
---@field accept_file string|false
---@field reject_file string|false

---@class wherefore.Config
---@field cmd string[] how the server is started
---@field env table<string, string> added to the server's environment
---@field root_markers string[] names that mark a workspace's root
---@field autostart boolean start with the first file of a workspace
---@field notify 'all'|'writes'|'none' which calls are shown as messages
---@field per_second integer messages in one second above which further ones are folded
---@field keys wherefore.Keys|false
---@field max_lines integer proposed lines of one hunk that are drawn; the preview shows all
local defaults = {
  cmd = { 'wherefore', 'lsp' },
  env = {},
  root_markers = { '.wherefore', '.git' },
  autostart = true,
  notify = 'all',
  per_second = 4,
  keys = {
    next = ']w',
    prev = '[w',
    accept = '<leader>wa',
    reject = '<leader>wr',
    reject_reason = '<leader>wR',
    accept_file = '<leader>wA',
    reject_file = '<leader>wX',
  },
  max_lines = 400,
}

---@type wherefore.Config
M.current = vim.deepcopy(defaults)

local function strings(value)
  return vim.islist(value) and vim.iter(value):all(function(item)
    return type(item) == 'string'
  end)
end

--- Each option: what it must be, in words, and whether it is.
local checks = {
  cmd = {
    'a list of strings with the program first',
    function(value)
      return type(value) == 'table' and strings(value) and #value > 0
    end,
  },
  env = {
    'a table of strings',
    function(value)
      return type(value) == 'table' and strings(vim.tbl_values(value))
    end,
  },
  root_markers = {
    'a list of strings',
    function(value)
      return type(value) == 'table' and strings(value)
    end,
  },
  autostart = {
    'true or false',
    function(value)
      return type(value) == 'boolean'
    end,
  },
  notify = {
    "'all', 'writes' or 'none'",
    function(value)
      return value == 'all' or value == 'writes' or value == 'none'
    end,
  },
  per_second = {
    'a number of 1 or more',
    function(value)
      return type(value) == 'number' and value >= 1
    end,
  },
  keys = {
    'a table of keys, or false for none',
    function(value)
      return value == false or type(value) == 'table'
    end,
  },
  max_lines = {
    'a number of 1 or more',
    function(value)
      return type(value) == 'number' and value >= 1
    end,
  },
}

local function names(of)
  local list = vim.tbl_keys(of)
  table.sort(list)
  return table.concat(list, ', ')
end

local function check_keys(keys)
  for name, lhs in pairs(keys) do
    if defaults.keys[name] == nil then
      return ('wherefore: keys.%s is not a key that can be set; there are: %s'):format(name, names(defaults.keys))
    end
    if lhs ~= false and (type(lhs) ~= 'string' or lhs == '') then
      return ('wherefore: keys.%s must be a key as a string, or false for none; it is %s'):format(name, vim.inspect(lhs))
    end
  end
end

--- What is wrong with options, in a sentence; nil when nothing is.
---@param opts table
---@return string?
function M.check(opts)
  if type(opts) ~= 'table' then
    return ('wherefore: setup() takes a table of options; it got a %s'):format(type(opts))
  end
  for name, value in pairs(opts) do
    local check = checks[name]
    if not check then
      return ('wherefore: %s is not an option; there are: %s'):format(tostring(name), names(checks))
    end
    if not check[2](value) then
      return ('wherefore: option %s must be %s; it is %s'):format(name, check[1], vim.inspect(value))
    end
  end
  return type(opts.keys) == 'table' and check_keys(opts.keys) or nil
end

--- Takes options over, or throws a sentence that names the wrong one.
---@param opts? table
function M.set(opts)
  opts = opts == nil and {} or opts
  local wrong = M.check(opts)
  if wrong then
    error(wrong, 0)
  end
  local keys = opts.keys
  M.current = vim.tbl_extend('force', vim.deepcopy(defaults), opts)
  if keys ~= false then
    M.current.keys = vim.tbl_extend('force', vim.deepcopy(defaults.keys), keys or {})
  end
end

return M
