--- What every test file shares: comparing, one project and one editor for each test, texts to change.
local M = {}

local child = require('child')

function M.eq(got, want, what)
  if not vim.deep_equal(got, want) then
    error(('%s\n got: %s\nwant: %s'):format(what or 'differs', vim.inspect(got), vim.inspect(want)), 2)
  end
end

function M.has(text, part, what)
  if not text:find(part, 1, true) then
    error(('%s: no %q in\n%s'):format(what or 'missing', part, text), 2)
  end
end

function M.lacks(text, part, what)
  if text:find(part, 1, true) then
    error(('%s: there is %q in\n%s'):format(what or 'unwanted', part, text), 2)
  end
end

--- Waits until a text stands on the screen; gives the screen.
function M.sees(editor, part)
  local screen
  vim.wait(2000, function()
    screen = editor:screen()
    return screen:find(part, 1, true) ~= nil
  end, 20)
  M.has(screen, part, 'the screen')
  return screen
end

--- Lines `line 1` … `line n`, with some replaced; false removes one.
function M.numbered(count, changes)
  local out = {}
  for n = 1, count do
    local line = (changes or {})[n]
    if line ~= false then
      table.insert(out, line or 'line ' .. n)
    end
  end
  return table.concat(out, '\n') .. '\n'
end

--- A unified diff that a model would write.
function M.diff(path, old, new)
  return ('--- a/%s\n+++ b/%s\n%s'):format(path, path, vim.diff(old, new, { ctxlen = 1 }))
end

--- Runs one test with a project and an editor, and ends both whatever happens.
---@param files table<string, string>
---@param run fun(editor: Child, root: string)
---@param opts? table options of `setup`
---@param settings? string the person's settings of the server, as TOML
function M.with(files, run, opts, settings)
  return function()
    local root = child.project(files)
    if settings then
      child.write(child.env(root).XDG_CONFIG_HOME .. '/wherefore/config.toml', settings)
    end
    local editor = child.start(root, opts)
    local ok, err = xpcall(run, debug.traceback, editor, root)
    editor:stop()
    child.remove(root)
    if not ok then
      error(err, 0)
    end
  end
end

--- A list of cases, and what adds one to it.
function M.cases()
  local cases = {}
  return cases, function(name, run)
    table.insert(cases, { name, run })
  end
end

return M
