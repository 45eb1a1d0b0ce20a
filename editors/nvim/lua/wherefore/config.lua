--- Options, their defaults, and the check of those that a person gave.
local M = {}

---@class wherefore.KeySettings
---@field next string|false
---@field prev string|false
---@field accept string|false
---@field reject string|false
---@field reject_reason string|false
---@field edit string|false
---@field comment string|false
---@field why string|false
---@field accept_file string|false
---@field reject_file string|false

---@class wherefore.Config
---@field cmd string[]
---@field env table<string, string>
---@field root_markers string[]
---@field autostart boolean
---@field notify 'all'|'writes'|'none'
---@field per_second integer
---@field max_lines integer
---@field advance boolean
---@field banner boolean
---@field picker 'auto'|'telescope'|'fzf-lua'|'snacks'|'select'
---@field why { virtual_text?: boolean }
---@field keys wherefore.KeySettings|false

---@class wherefore.ReviewKey
---@field name string also what it does, in `wherefore.review.hunk_actions`
---@field lhs string the key, unless another is set
---@field desc string

--- The keys that stand where hunks wait, in the order of the help.
---@type wherefore.ReviewKey[]
M.keys = {
  { name = 'next', lhs = ']v', desc = 'next hunk; on to the next file, around the end; works in every buffer' },
  { name = 'prev', lhs = '[v', desc = 'previous hunk; works in every buffer' },
  { name = 'accept', lhs = 'gwy', desc = 'yes: accept the hunk under the cursor, else the nearest on the screen' },
  { name = 'reject', lhs = 'gwr', desc = 'reject it' },
  { name = 'reject_reason', lhs = 'gwR', desc = 'reject it, and say why: the agent reads it' },
  { name = 'edit', lhs = 'gwc', desc = 'change what it adds before you accept it' },
  { name = 'comment', lhs = 'gws', desc = 'say something about it to its agent, and decide nothing' },
  { name = 'why', lhs = 'gwK', desc = 'show its reason, its agent and what to look at twice' },
  { name = 'accept_file', lhs = 'gwY', desc = 'accept every hunk of this file' },
  { name = 'reject_file', lhs = 'gwX', desc = 'reject every hunk of this file' },
}

local function is_string_list(value)
  return type(value) == 'table' and vim.islist(value) and vim.iter(value):all(function(item)
    return type(item) == 'string'
  end)
end

local function is_count(value)
  return type(value) == 'number' and value >= 1
end

---@class wherefore.ConfigOption
---@field name string
---@field default any
---@field desc string
---@field must string what a value must be
---@field is fun(value: any): boolean whether it is that

--- The options, in the order of the help.
---@type wherefore.ConfigOption[]
M.options = {
  {
    name = 'cmd',
    default = { 'wherefore', 'lsp' },
    desc = 'how the server is started',
    must = 'a list of strings with the program first',
    is = function(value)
      return is_string_list(value) and #value > 0
    end,
  },
  {
    name = 'env',
    default = {},
    desc = "added to the server's environment",
    must = 'a table of strings',
    is = function(value)
      return type(value) == 'table' and is_string_list(vim.tbl_values(value))
    end,
  },
  {
    name = 'root_markers',
    default = { '.wherefore', '.git' },
    desc = "names that mark a workspace's root",
    must = 'a list of strings',
    is = is_string_list,
  },
  {
    name = 'autostart',
    default = true,
    desc = 'start with the first file of a workspace',
    must = 'true or false',
    is = function(value)
      return type(value) == 'boolean'
    end,
  },
  {
    name = 'notify',
    default = 'all',
    desc = "which calls are messages: 'all', 'writes' or 'none'",
    must = "'all', 'writes' or 'none'",
    is = function(value)
      return value == 'all' or value == 'writes' or value == 'none'
    end,
  },
  {
    name = 'per_second',
    default = 4,
    desc = 'messages in one second; further ones become one',
    must = 'a number of 1 or more',
    is = is_count,
  },
  {
    name = 'max_lines',
    default = 400,
    desc = 'lines of one hunk that are drawn; the preview has all',
    must = 'a number of 1 or more',
    is = is_count,
  },
  {
    name = 'advance',
    default = true,
    desc = 'go to the next hunk after a decision, and on into the next file',
    must = 'true or false',
    is = function(value)
      return type(value) == 'boolean'
    end,
  },
  {
    name = 'banner',
    default = true,
    desc = 'a line that stays while questions wait, or hunks that no window shows',
    must = 'true or false',
    is = function(value)
      return type(value) == 'boolean'
    end,
  },
  {
    name = 'picker',
    default = 'auto',
    desc = 'what shows lists of places and of hunks, see |wherefore-review|',
    must = "'auto', 'telescope', 'fzf-lua', 'snacks' or 'select'",
    is = function(value)
      return vim.list_contains({ 'auto', 'telescope', 'fzf-lua', 'snacks', 'select' }, value)
    end,
  },
  {
    name = 'why',
    default = { virtual_text = false },
    desc = "a why behind the cursor's line, see |wherefore-why|",
    must = 'a table with virtual_text as true or false',
    is = function(value)
      return type(value) == 'table'
        and vim.iter(pairs(value)):all(function(name, set)
          return name == 'virtual_text' and type(set) == 'boolean'
        end)
    end,
  },
  {
    name = 'keys',
    default = vim.iter(M.keys):fold({}, function(keys, key)
      keys[key.name] = key.lhs
      return keys
    end),
    desc = 'see |wherefore-keys|; false: none, or one of them false',
    must = 'a table of keys, or false for none',
    is = function(value)
      return value == false or type(value) == 'table'
    end,
  },
}

---@type table<string, wherefore.ConfigOption>
local by_name = {}
---@type wherefore.Config
local defaults = {}
for _, option in ipairs(M.options) do
  by_name[option.name], defaults[option.name] = option, option.default
end

---@type wherefore.Config
M.current = vim.deepcopy(defaults)

local function join_names(of)
  local list = vim.tbl_keys(of)
  table.sort(list)
  return table.concat(list, ', ')
end

local function check_keys(keys)
  for name, lhs in pairs(keys) do
    if defaults.keys[name] == nil then
      return ('wherefore: keys.%s is not a key that can be set; there are: %s'):format(name, join_names(defaults.keys))
    end
    if lhs ~= false and (type(lhs) ~= 'string' or lhs == '') then
      return ('wherefore: keys.%s must be a key as a string, or false for none; it is %s'):format(name, vim.inspect(lhs))
    end
  end
end

--- Describes what is wrong with options; nil when nothing is.
---@param opts table
---@return string?
function M.check(opts)
  if type(opts) ~= 'table' then
    return ('wherefore: setup() takes a table of options; it got a %s'):format(type(opts))
  end
  for name, value in pairs(opts) do
    local option = by_name[name]
    if not option then
      return ('wherefore: %s is not an option; there are: %s'):format(tostring(name), join_names(by_name))
    end
    if not option.is(value) then
      return ('wherefore: option %s must be %s; it is %s'):format(name, option.must, vim.inspect(value))
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
