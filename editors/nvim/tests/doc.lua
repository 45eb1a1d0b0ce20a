-- nvim --headless --clean -l editors/nvim/tests/doc.lua [--check]: writes the sections of doc/wherefore.txt on options,
-- keys and commands from the tables that the code uses, and doc/tags; with --check it fails where they differ.
local M = {}

local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
local plugin = vim.fs.dirname(here)
vim.opt.runtimepath:prepend(plugin)
M.path = plugin .. '/doc/wherefore.txt'

--- One entry of a list: a name, and what it is from a column on.
local function entry(lines, name, desc, column)
  local gap = column - #name
  if gap < 1 then
    table.insert(lines, name)
    name, gap = '', column
  end
  local row = name .. (' '):rep(gap)
  for word in desc:gmatch('%S+') do
    if #row > column and #row + 1 + #word > 78 then
      table.insert(lines, row)
      row = (' '):rep(column)
    end
    row = row .. (#row > column and ' ' or '') .. word
  end
  table.insert(lines, row)
end

local function literal(value)
  return (vim.inspect(value, { newline = ' ', indent = '' }):gsub('"', "'"))
end

local function options(config)
  local lines = { 'All of them, each at its default: >lua', "    require('wherefore').setup({" }
  for _, option in ipairs(config.options) do
    table.insert(lines, ('      -- %s'):format((option.desc:gsub('|', ''))))
    if option.name ~= 'keys' then
      table.insert(lines, ('      %s = %s,'):format(option.name, literal(option.default)))
    end
  end
  table.insert(lines, '      keys = {')
  for _, key in ipairs(config.keys) do
    table.insert(lines, ('        %s = %s,'):format(key.name, literal(key.lhs)))
  end
  return vim.list_extend(lines, { '      },', '    })', '<', 'An option that is wrong throws an error that names it:', '' }), config.options
end

--- The sections that are made, by their tag.
local function sections()
  local config = require('wherefore.config')
  local set, list = options(config)
  for _, option in ipairs(list) do
    entry(set, option.name, 'must be ' .. option.must, 20)
  end
  local keys = {
    'They stand only in buffers where a hunk waits, but for those that go to a',
    'hunk. No motion of Vim begins with the second letter of those that begin with',
    '`gw`, so that |gw| formats as before, and |gww|, `gwip` and `gwap` are as they',
    'were. Where a mapping of yours stands on `]v` or `[v`, it stays.',
    '',
  }
  for _, key in ipairs(config.keys) do
    entry(keys, ('%-15s%s'):format(key.lhs, key.name), key.desc, 32)
  end
  local words = {}
  for _, word in ipairs(require('wherefore.command').words) do
    entry(words, (':Wherefore %s %s'):format(word.name, word.takes or ''), word.desc, 32)
  end
  return { ['wherefore-options'] = set, ['wherefore-keys'] = keys, [':Wherefore'] = words }
end

---@return string
function M.read()
  local file = assert(io.open(M.path, 'rb'))
  local text = file:read('*a')
  file:close()
  return text
end

--- The help as it should be: what stands there, with the sections made anew.
---@return string
function M.made()
  local made, out, skip = sections(), {}, false
  for line in vim.gsplit(M.read(), '\n', { plain = true }) do
    if vim.startswith(line, '=====') then
      skip = false
    end
    if not skip then
      table.insert(out, line)
    end
    local tag = line:match('^%d+%. .*%*(%S+)%*$')
    if tag and made[tag] then
      skip = true
      table.insert(out, '')
      for _, row in ipairs(made[tag]) do
        table.insert(out, (row:gsub('%s+$', '')))
      end
      table.insert(out, '')
      made[tag] = nil
    end
  end
  assert(not next(made), 'the help has no section for ' .. tostring(next(made)))
  return table.concat(out, '\n')
end

if (_G.arg[0] or ''):find('doc%.lua$') then
  local made = M.made()
  if made ~= M.read() and _G.arg[1] == '--check' then
    io.stdout:write('doc/wherefore.txt is out of date: run this without --check\n')
    os.exit(1)
  end
  if _G.arg[1] ~= '--check' then
    local file = assert(io.open(M.path, 'wb'))
    file:write(made)
    file:close()
    vim.cmd.helptags(vim.fs.dirname(M.path))
  end
  os.exit(0)
end

return M
