-- What a person says to an agent: a comment on a hunk, selected lines, a diagnostic, a question.
local check = require('check')

local eq, has, with, numbered = check.eq, check.has, check.with, check.numbered
local cases, case = check.cases()

--- What the agent is told with its next result.
local function told(editor, name)
  editor:agent(name, 'fs.ls', { path = '.', why = 'Learn whether the person said something meanwhile' })
  return editor:answer(name).messages or {}
end

--- Waits until so many messages were sent.
local function sent(editor, count)
  local said
  local came = vim.wait(5000, function()
    said = table.concat(editor:notes(), '\n')
    return select(2, said:gsub('test%-agent/1 gets it with its next result', '')) == count
  end, 20)
  eq(came, true, said)
end

case(
  'send: a comment by a key goes to the agent, and the hunk waits as before',
  with({ ['a.txt'] = numbered(9) }, function(editor)
    editor:edit('a.txt')
    editor:agent('p', 'fs.write', { path = 'a.txt', content = numbered(9, { [5] = 'FIVE' }), why = 'Spell the odd one out for the reader' })
    editor:pending(1)
    editor:keys(']vgwsWhy a word?<CR>')
    sent(editor, 1)
    local message = told(editor, 'q')[1]
    eq(message.text, 'Why a word?')
    eq({ message.path, message.hunk, message.quoted }, { 'a.txt', 'h1', '-line 5\n+FIVE\n' })
    eq(editor:lua("return require('wherefore').pending()"), 1)
    eq(#told(editor, 'r'), 0, 'it is told once')
    editor:keys('2GVjgwsKeep both<CR>')
    sent(editor, 2)
    message = told(editor, 's')[1]
    eq({ message.text, message.quoted, message.hunk }, { 'Keep both', 'line 2\nline 3\n' })
    eq(editor:call('nvim_get_mode').mode, 'n')
    editor:keys('5Ggws<Esc>')
    eq(#told(editor, 't'), 0, 'nothing is sent without words')
    editor:keys('5Ggwy')
    editor:pending(0)
  end)
)

case(
  'send: words, lines as they are shown, and diagnostics',
  with({ ['a.txt'] = numbered(9) }, function(editor)
    editor:edit('a.txt')
    told(editor, 'hello')
    editor:cmd('Wherefore send Use tabs')
    sent(editor, 1)
    local message = told(editor, 'one')[1]
    eq({ message.text, message.path }, { 'Use tabs' })
    editor:keys(':2s/2/unsaved/<CR>:1,2Wherefore send These<CR>')
    sent(editor, 2)
    local list = told(editor, 'two')
    eq(list[#list].quoted, 'line 1\nline unsaved\n')
    editor:lua([[vim.diagnostic.set(vim.api.nvim_create_namespace('x'), 0, {
      { lnum = 3, col = 0, message = 'no such number', severity = 1, source = 'lint' },
      { lnum = 6, col = 0, message = 'too large', severity = 2 },
    })]])
    editor:keys('4G:Wherefore send<CR>Mend this<CR>')
    sent(editor, 3)
    message = told(editor, 'three')[1]
    eq({ message.text, message.quoted, message.diagnostics[1] }, { 'Mend this', 'line 4\n', 'line 4: error: no such number (lint)' })
    editor:cmd('Wherefore! send All of them')
    sent(editor, 4)
    message = told(editor, 'four')[1]
    eq(message.diagnostics[2], 'line 7: warning: too large')
    editor:cmd('enew')
    editor:cmd('1Wherefore send x')
    has(editor:notes()[#editor:notes()], 'shows no file')
  end)
)

return cases
