--- Searching: places found by text and by meaning, picked, and gone to.
local check = require('check')

local eq, has = check.eq, check.has
local with, numbered = check.with, check.numbered
local cases, case = check.cases()

-- A server whose wire has no search cannot be asked for one.
local wire = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/../lua/wherefore/server/wire.lua'
if not table.concat(vim.fn.readfile(wire), '\n'):find('`wherefore/search`', 1, true) then
  return cases
end

local files = {
  ['a.txt'] = numbered(60),
  ['src/retry.js'] = numbered(40) .. '// Waits longer after each failure.\nfunction backoff(attempt) {\n  return 2 ** attempt;\n}\n',
  ['src/read.js'] = 'function readAll(stream) {\n  return stream.text();\n}\n',
}

--- Picks the row that holds a text, as a person would, or turns all of them away.
local function picks(editor, part)
  editor:lua(
    [[
    local part = ...
    _G.rows = nil
    vim.ui.select = function(items, opts, done)
      _G.rows, _G.prompt = vim.tbl_map(opts.format_item, items), opts.prompt
      done(vim.iter(items):find(function(item) return part and opts.format_item(item):find(part, 1, true) ~= nil end))
    end
  ]],
    part
  )
end

local function shown(editor)
  editor:wait('return _G.rows ~= nil', 'the places')
  return editor:lua('return _G.rows')
end

local function here(editor)
  return { vim.fs.basename(editor:call('nvim_buf_get_name', 0)), editor:call('nvim_win_get_cursor', 0)[1] }
end

case(
  'search: by a regular expression, to the line, and back; unsaved text as one sees it',
  with(files, function(editor)
    editor:edit('a.txt')
    picks(editor, 'src/retry.js')
    editor:cmd('Wherefore search lexical line 4[02]')
    eq(shown(editor), { 'a.txt:40: line 40', 'a.txt:42: line 42', 'src/retry.js:40: line 40' })
    has(editor:lua('return _G.prompt'), 'line 4[02]')
    eq(here(editor), { 'retry.js', 40 })
    eq(editor:call('nvim_eval', 'bufname()'), 'src/retry.js', 'the name is short')
    editor:keys('<C-o>')
    eq(here(editor), { 'a.txt', 1 })
    editor:keys('Otyped just now<Esc>')
    picks(editor)
    editor:cmd('Wherefore search lexical typed just')
    eq(shown(editor), { 'a.txt:1: typed just now' })
    eq(here(editor), { 'a.txt', 1 })
  end)
)

case(
  'search: by meaning; what to search for is asked where it is not said',
  with(files, function(editor)
    editor:edit('a.txt')
    picks(editor, 'src/retry.js')
    editor:cmd('Wherefore search wait longer after a failure')
    has(shown(editor)[1], 'src/retry.js')
    eq(here(editor)[1], 'retry.js')
    editor:lua("vim.ui.input = function(opts, done) _G.asked = opts.prompt done('readAll') end")
    picks(editor, 'src/read.js')
    editor:cmd('Wherefore search lexical')
    shown(editor)
    has(editor:lua('return _G.asked'), 'pattern')
    eq(here(editor), { 'read.js', 1 })
  end)
)

case(
  'search: nothing found and a wrong pattern are said, and a picker that is set and not there',
  with(files, function(editor)
    editor:edit('a.txt')
    picks(editor)
    editor:cmd('Wherefore search lexical no such words')
    editor:wait("return table.concat(vim.tbl_map(function(n) return n[1] end, _G.notes)):find('nothing found for no such words', 1, true) ~= nil", 'the message')
    editor:cmd('Wherefore search lexical back(')
    editor:wait('return #_G.notes == 2', 'the fault')
    editor:cmd('Wherefore search lexical line 60')
    eq(shown(editor), { 'a.txt:60: line 60' })
    has(editor:notes()[#editor:notes()], 'telescope is set as the picker and cannot be loaded')
    eq(editor:lua("return vim.fn.getcompletion('Wherefore search ', 'cmdline')"), { 'lexical' })
  end, { picker = 'telescope' })
)

return cases
