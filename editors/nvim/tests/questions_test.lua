--- What a rule asks: told, answered from the command and from the list of calls, over when the call is.
local check = require('check')

local eq, has, lacks, sees = check.eq, check.has, check.lacks, check.sees
local with = check.with
local cases, case = check.cases()

local files = { ['a.txt'] = 'a\n', ['private'] = 'p\n' }
local settings = '[rules]\nask = ["private"]\n'

local function ask(editor, name)
  editor:agent(name, 'fs.read', { path = 'private', why = 'See what ' .. name .. ' keeps to itself' })
  editor:wait(("return vim.iter(require('wherefore.calls.questions').list_open()):any(function(each) return each.params.why:find(%q, 1, true) ~= nil end)"):format(name), 'the question')
end

--- Waits for each part on the screen.
local function sees_all(editor, parts)
  for _, part in ipairs(parts) do
    sees(editor, part)
  end
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
  'a question stays on the screen until it is answered, whatever is said and shown meanwhile, in every tab page',
  with(files, function(editor)
    editor:edit('a.txt')
    ask(editor, 'one')
    -- The message of the call, and others.
    editor:agent('reader', 'fs.read', { path = 'a.txt', why = 'Say something else in the meantime' })
    editor:answer('reader')
    editor:cmd('echo "more"')
    local card = { 'test-agent/1 asks you', 'fs.read: See what one keeps to itself', 'rules.ask `private`', ':Wherefore answer Allow · Allow for this session · Deny' }
    sees_all(editor, card)
    sees(editor, '1 question waits · :Wherefore answer')
    eq(editor:lua('return vim.api.nvim_win_get_config(0).relative'), '')
    editor:keys('<C-w>w<C-w>witext<Esc>')
    eq(editor:lua('return vim.api.nvim_win_get_config(0).relative'), '')
    editor:cmd('tabnew')
    sees_all(editor, card)
    ask(editor, 'two')
    sees_all(editor, { 'See what one keeps', '1 more question waits', '2 questions wait · :Wherefore answer' })
    editor:cmd('Wherefore answer deny')
    eq(code(editor, 'one'), 'PERMISSION_DENIED')
    sees_all(editor, { 'test-agent/1 asks you', 'See what two keeps to itself' })
    editor:cmd('Wherefore answer allow')
    eq(editor:answer('two').result.content, 'p\n')
    vim.wait(2000, function()
      return not editor:screen():find('asks you', 1, true)
    end, 20)
    lacks(editor:screen(), 'asks you')
    lacks(editor:screen(), ':Wherefore answer')
  end, nil, settings)
)

case(
  'a word is no answer to a question that came up in the place of another one just now',
  with(files, function(editor)
    editor:edit('a.txt')
    editor:lua([[
      local questions = require('wherefore.calls.questions')
      _G.said = {}
      for _, id in ipairs({ 'c-1', 'c-2' }) do
        local params = { root = '', session = 's', call_id = id, tool = 't', why = '', text = 'May it ' .. id .. '?', answers = { 'Allow', 'Deny' } }
        questions.add_question(1, params, function(answer) _G.said[id] = answer or 'none' end)
      end
      questions.end_of_call(1, { session = 's', call_id = 'c-1' })
    ]])
    editor:cmd('Wherefore answer allow')
    has(editor:notes()[#editor:notes()], 'this is another one: May it c-2?')
    sees(editor, 'May it c-2?')
    eq(editor:lua('return _G.said'), { ['c-1'] = 'none' })
    vim.wait(1100)
    editor:cmd('Wherefore answer allow')
    eq(editor:lua('return _G.said'), { ['c-1'] = 'none', ['c-2'] = 'Allow' })
  end)
)

case(
  'a question rings the bell of a terminal, once',
  with(files, function(editor)
    editor:edit('a.txt')
    editor:lua([[
      _G.rung = {}
      vim.api.nvim_list_uis = function() return { { stdout_tty = true } } end
      local function ring(...) table.insert(_G.rung, select(-1, ...)) end
      if vim.api.nvim_ui_send then vim.api.nvim_ui_send = ring else vim.api.nvim_chan_send = ring end
    ]])
    ask(editor, 'one')
    editor:cmd('Wherefore answer allow')
    eq(editor:answer('one').result.content, 'p\n')
    eq(editor:lua('return _G.rung'), { '\7' })
  end, nil, settings)
)

case(
  'the card of a long question shows its beginning and how to answer, in a small window too',
  with(files, function(editor)
    editor:lua([[require('wherefore.calls.questions').add_question(1, {
      root = '', session = 's', call_id = '', tool = 'srv', why = '', answers = { 'Allow', 'Deny' },
      text = 'srv wants to start:' .. ('\n/a/program --with=an-argument-that-goes-on'):rep(60) .. '\nits end \u{202e}',
    }, function() end)]])
    sees_all(editor, { 'you are asked', 'srv wants to start:', '…', ':Wherefore answer', 'Allow · Deny' })
    lacks(editor:screen(), 'its end')
    editor:cmd('set columns=30 lines=10')
    sees_all(editor, { 'srv wants to start:', ':Wherefore answer' })
    lacks(editor:screen(), '\u{202e}')
  end)
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
    editor:keys('gg')
    editor:wait("return vim.api.nvim_get_current_line():find('two', 1, true) ~= nil", 'the newest call on top')
    editor:keys('a')
    has(editor:lua('return _G.asked[2]'), 'rules.ask `private`')
    eq(editor:lua("return #require('wherefore.calls.questions').list_open()"), 2)
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
