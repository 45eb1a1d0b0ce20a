--- What a rule asks: told, answered from the command and from the list of calls, over when the call is.
local check = require('check')

local eq, has, lacks, sees = check.eq, check.has, check.lacks, check.sees
local with = check.with
local cases, case = check.cases()

local files = { ['a.txt'] = 'a\n', ['private'] = 'p\n' }
local settings = '[rules]\nask = ["private"]\n'

local function ask(editor, name)
  editor:agent(name, 'fs.read', { path = 'private', why = 'See what ' .. name .. ' keeps to itself' })
  editor:wait(("return vim.iter(require('wherefore.asks').list()):any(function(each) return each.params.why:find(%q, 1, true) ~= nil end)"):format(name), 'the question')
end

local function code(editor, name)
  return vim.tbl_get(editor:answer(name), 'error', 'code')
end

case(
  'a question is told with its why, blocks nothing, and is answered by a word',
  with(files, function(editor)
    editor:edit('a.txt')
    ask(editor, 'one')
    has(table.concat(editor:notes(), '\n'), 'you are asked; :Wherefore answer. fs.read: See what one keeps to itself')
    eq(editor:lua("return require('wherefore').statusline()"), '1 question')
    editor:keys('ityped meanwhile<Esc>')
    eq(editor:lines(), { 'typed meanwhilea' })
    eq(editor:lua("return vim.fn.getcompletion('Wherefore answer ', 'cmdline')"), { 'Allow', 'Allow for this session', 'Deny' })
    editor:cmd('Wherefore answer perhaps')
    has(editor:notes()[#editor:notes()], 'perhaps is not an answer; there are: Allow, Allow for this session, Deny')
    editor:cmd('Wherefore answer allow')
    eq(editor:answer('one').result.content, 'p\n')
    eq(editor:lua("return require('wherefore').statusline()"), '')
    editor:cmd('Wherefore answer')
    has(editor:notes()[#editor:notes()], 'nothing is asked')
  end, nil, settings)
)

case(
  'calls: one that asks is answered there; turned away it still waits',
  with(files, function(editor)
    editor:edit('a.txt')
    ask(editor, 'one')
    ask(editor, 'two')
    editor:cmd('Wherefore calls')
    sees(editor, 'asks you')
    editor:lua("vim.ui.select = function(items, opts, done) _G.asked = { items, opts.prompt } done(_G.choice) end")
    editor:keys('gga')
    has(editor:lua('return _G.asked[2]'), 'rules.ask `private`')
    eq(editor:lua("return #require('wherefore.asks').list()"), 2)
    editor:lua("_G.choice = 'Deny'")
    editor:keys('a')
    eq(code(editor, 'two'), 'PERMISSION_DENIED')
    editor:wait("return require('wherefore').statusline() == '1 question'", 'one question left')
    editor:keys('Gx')
    eq(code(editor, 'one'), 'CANCELLED')
    editor:wait("return require('wherefore').statusline() == ''", 'no question')
    vim.wait(2000, function()
      return not editor:screen():find('asks you', 1, true)
    end, 20)
    lacks(sees(editor, 'failed'), 'asks you')
    editor:keys('a')
    has(editor:notes()[#editor:notes()], 'asks nothing')
  end, nil, settings)
)

case(
  'an agent that is interrupted while hunks wait has the person asked whether they go',
  with({ ['a.txt'] = check.numbered(30) }, function(editor)
    editor:edit('a.txt')
    local agent = editor:mcp('claude-code')
    local change = { path = 'a.txt', diff = check.diff('a.txt', check.numbered(30), check.numbered(30, { [3] = 'THREE', [20] = 'TWENTY' })), why = 'Spell two numbers out' }
    for id, answer in ipairs({ 'keep them', 'withdraw them' }) do
      agent.send({ id = id, method = 'tools/call', params = { name = 'fs_patch', arguments = change } })
      editor:pending(2 * id)
      agent.send({ method = 'notifications/cancelled', params = { requestId = id, reason = 'Escape' } })
      editor:wait("return require('wherefore').statusline():find('1 question', 1, true) ~= nil", 'the question')
      has(editor:notes()[#editor:notes()], 'claude-code was interrupted while 2 hunks in a.txt wait for you. Keep them for review, or withdraw them?')
      editor:cmd('Wherefore answer ' .. answer)
      editor:wait("return require('wherefore').statusline():find('question', 1, true) == nil", 'no question')
      editor:pending(2)
    end
    agent.stop()
  end)
)

case(
  'a server that ends takes its questions with it',
  with(files, function(editor)
    editor:edit('a.txt')
    ask(editor, 'one')
    editor:cmd('Wherefore restart')
    editor:wait("return require('wherefore').statusline() == ''", 'no question')
    editor:edit('a.txt')
    ask(editor, 'two')
    editor:cmd('Wherefore answer Allow')
    eq(editor:answer('two').result.content, 'p\n')
  end, nil, settings)
)

return cases
