--- The panel *Ask the agent*, with a scripted model: what streams in, calls with their whys, hunks, questions, follow-ups,
--- cancelling, and going on later.
local check = require('check')
local child = require('child')
local modelserver = require('modelserver')

local eq, has, lacks, sees, numbered = check.eq, check.has, check.lacks, check.sees, check.numbered
local cases, case = check.cases()

--- Runs a test with a project, an editor and a model that plays a script.
local function with_model(script, files, run, more)
  return function()
    local model = modelserver.start(vim.deepcopy(script))
    local settings = ('[model]\nname = "http://127.0.0.1:%d/v1#scripted"\n%s'):format(model.port, more or '')
    local ok, err = pcall(check.with(files, function(editor, root)
      run(editor, model, root)
    end, { notify = 'none' }, settings))
    model.stop()
    if not ok then
      error(err, 0)
    end
  end
end

--- The text of the panel.
local function panel(editor)
  return editor:lua([[
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.bo[buf].filetype == 'wherefore-ask' and vim.fn.bufwinid(buf) > 0 then
        return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
      end
    end
    return ''
  ]])
end

--- Waits until a text stands in the panel.
local function panel_has(editor, part)
  local said
  vim.wait(10000, function()
    said = panel(editor)
    return said:find(part, 1, true) ~= nil
  end, 20)
  has(said, part, 'the panel')
  return said
end

--- What the person types where the editor asks.
local function types(editor, words)
  editor:lua('local words = ... vim.ui.input = function(opts, done) _G.prompt = opts.prompt done(words) end', words)
end

local change = { 'fs.write', { path = 'a.txt', content = numbered(9, { [2] = 'hello' }), why = 'The second line should greet' } }

case(
  'ask: the answer streams in, a call shows its why, its hunk is reviewed in place, and the run ends with its summary',
  with_model({
    { text = { 'I look at ', 'the file first.' }, calls = { { 'fs.read', { path = 'a.txt', why = 'See what the second line says' } } } },
    { calls = { change } },
    { calls = { { 'task_complete', { summary = 'The second line greets now.', why = 'All is done' } } } },
  }, { ['a.txt'] = numbered(9) }, function(editor, model)
    editor:edit('a.txt')
    editor:cmd('Wherefore ask Make the second line greet')
    panel_has(editor, '▶ Make the second line greet')
    local said = panel_has(editor, 'its change waits for you: ]v goes there')
    has(said, 'I look at the file first.')
    has(said, '✓ fs.read a.txt\n  See what the second line says')
    has(said, '? fs.write a.txt\n  The second line should greet')
    editor:pending(1)
    editor:keys('<C-w>pgwy')
    said = panel_has(editor, '■ complete\n  The second line greets now.')
    has(said, '✓ fs.write a.txt')
    eq(child.bytes(editor.root .. '/a.txt'), numbered(9, { [2] = 'hello' }))
    eq(#model.seen, 3)
    local screen = sees(editor, 'scripted · waits')
    has(screen, '3 steps')
    has(screen, '300 in, 30 out')
  end)
)

case(
  'ask: a follow-up goes on with the conversation; a call opens in the log; no task shows the run again',
  with_model({ { text = { 'It has nine lines.' } }, { text = { 'Nine.' } }, { calls = { { 'fs.read', { path = 'a.txt', why = 'Count them again' } } } }, { text = { 'Still nine.' } }, { text = { 'Yes, nine.' } } }, {
    ['a.txt'] = numbered(9),
  }, function(editor, model)
    editor:edit('a.txt')
    types(editor, 'How many lines are there?')
    editor:cmd('Wherefore ask')
    panel_has(editor, '■ answered')
    eq(editor:lua('return _G.prompt'), 'Ask the agent: ')
    types(editor, 'Are you sure?')
    editor:keys('i')
    panel_has(editor, '▶ Are you sure?')
    panel_has(editor, 'Still nine.')
    local last = model.seen[3].messages
    has(vim.json.encode(last), 'It has nine lines.', 'the model has the conversation')
    has(vim.json.encode(last), 'Are you sure?')
    editor:keys('q')
    eq(panel(editor), '')
    editor:cmd('Wherefore ask')
    panel_has(editor, 'Still nine.')
    editor:lua("vim.fn.search('Count them again', 'w')")
    editor:keys('<CR>')
    editor:wait("return vim.bo.filetype == 'wherefore-log' and vim.api.nvim_get_current_line():find('fs.read', 1, true) ~= nil", 'the call in the log')
  end)
)

case(
  'ask: x cancels a model that goes on and on, and the run takes other words',
  with_model({ { text = { 'Let me think about ' }, hold = true }, { text = { 'Done at once.' } } }, { ['a.txt'] = numbered(9) }, function(editor)
    editor:edit('a.txt')
    editor:cmd('Wherefore ask Think')
    panel_has(editor, 'Let me think about')
    lacks(panel(editor), '■', 'it goes on')
    editor:keys('x')
    panel_has(editor, '■ cancelled')
    types(editor, 'Be quick')
    editor:keys('i')
    panel_has(editor, 'Done at once.')
    editor:keys('X')
    sees(editor, 'scripted · ended')
    types(editor, 'One thing more')
    editor:keys('i')
    local said = panel_has(editor, '▶ One thing more')
    has(said, 'Done at once.', 'what was said before')
    sees(editor, 'scripted · waits')
  end)
)

case(
  'ask: a question of the run stands in the panel and is answered there; the model reads the answer',
  with_model({
    { calls = { { 'fs.read', { path = 'private', why = 'See what is kept there' } } } },
    { calls = { { 'fs.read', { path = 'private', why = 'It matters after all' } } } },
    { calls = { { 'task_complete', { summary = 'I have read it.', why = 'All is done' } } } },
  }, { ['a.txt'] = numbered(9), private = 'a word of mine\n' }, function(editor, model)
    editor:edit('a.txt')
    editor:cmd('Wherefore ask Read it')
    has(panel_has(editor, 'a answers: Allow, Allow for this session, Deny'), 'private')
    eq(editor:lua("return require('wherefore').statusline()"), '1 question')
    editor:lua('vim.ui.select = function(items, _, done) done(items[#items]) end')
    editor:keys('a')
    panel_has(editor, 'you answered: Deny')
    panel_has(editor, 'It matters after all')
    editor:wait("return require('wherefore').statusline() == '1 question'", 'the second question')
    lacks(vim.json.encode(model.seen[2].messages), 'a word of mine')
    -- A question is also answered by the command, as that of any call.
    editor:cmd('Wherefore answer allow')
    panel_has(editor, 'you answered: Allow')
    panel_has(editor, 'I have read it.')
    has(vim.json.encode(model.seen[3].messages), 'a word of mine')
    eq(editor:lua("return #require('wherefore.calls.questions').list_open()"), 0)
  end, '[rules]\nask = ["private"]\n')
)

case(
  'ask: a run of an earlier editor is picked from the list and goes on from the log',
  with_model({ { text = { 'The answer is forty-two.' } }, { text = { 'That is all.' } }, { text = { 'As I said: forty-two.' } } }, { ['a.txt'] = numbered(9) }, function(editor, model, root)
    editor:edit('a.txt')
    editor:cmd('Wherefore ask What is the answer?')
    panel_has(editor, '■ answered')
    editor:cmd('Wherefore restart')
    editor:wait("return #vim.lsp.get_clients({ name = 'wherefore' }) == 1 and vim.lsp.get_clients({ name = 'wherefore' })[1].initialized == true", 'the new server')
    editor:keys('<C-w>o')
    editor:lua('vim.ui.select = function(items, opts, done) _G.rows = vim.tbl_map(opts.format_item, items) done(items[1]) end')
    types(editor, 'Say it again')
    editor:cmd('Wherefore runs')
    panel_has(editor, 'As I said: forty-two.')
    has(editor:lua('return _G.rows[1]'), 'What is the answer?')
    local said = panel(editor)
    has(said, '▶ What is the answer?\nThe answer is forty-two.', 'what was said before')
    has(said, 'as the log has it\n\n▶ Say it again')
    has(vim.json.encode(model.seen[3].messages), 'The answer is forty-two.', 'the model has the conversation')
    eq(vim.uv.fs_stat(root) ~= nil, true)
  end)
)

case(
  'ask: what the server left out is fetched, once',
  with_model({ { text = { 'one ', 'two ', 'three ', 'four' } }, { calls = { { 'task_complete', { summary = 'Counted.', why = 'All is done' } } } } }, {
    ['a.txt'] = numbered(9),
  }, function(editor)
    editor:edit('a.txt')
    editor:lua([[
      local agent_runs, count = require('wherefore.agent.agent_runs'), 0
      local receive = agent_runs.receive_event
      _G.left_out = 0
      agent_runs.receive_event = function(id, event)
        count = count + 1
        if event.kind ~= 'ended' and count % 2 == 0 then
          _G.left_out = _G.left_out + 1
          return
        end
        receive(id, event)
      end
    ]])
    editor:cmd('Wherefore ask Count')
    has(panel_has(editor, '■ complete\n  Counted.'), '▶ Count\none two three four\n✓ task_complete\n')
    assert(editor:lua('return _G.left_out') > 0, 'events were left out')
  end)
)

case(
  'ask: a turn that is cancelled asks nothing any more; a panel that was deleted comes back',
  with_model({ { calls = { { 'fs.read', { path = 'private', why = 'See what is kept there' } } } } }, { ['a.txt'] = numbered(9), private = 'p\n' }, function(editor)
    editor:edit('a.txt')
    editor:cmd('Wherefore ask Read it')
    panel_has(editor, 'a answers: Allow')
    editor:keys('x')
    has(panel_has(editor, '■ cancelled'), 'not asked any more')
    eq(editor:lua("return #require('wherefore.calls.questions').list_open()"), 0)
    editor:cmd('bdelete!')
    eq(panel(editor), '')
    editor:cmd('Wherefore ask')
    panel_has(editor, '■ cancelled')
  end, '[rules]\nask = ["private"]\n')
)

case(
  'ask: what keeps a run from beginning, and a model that fails, are told',
  with_model({ { status = 404 } }, { ['a.txt'] = numbered(9) }, function(editor)
    editor:edit('a.txt')
    editor:cmd('Wherefore runs')
    editor:wait("return #_G.notes > 0 and _G.notes[#_G.notes][1]:find('no run of the agent yet', 1, true) ~= nil", 'that there is none')
    editor:cmd('Wherefore ask Anything')
    has(panel_has(editor, '■ failed'), 'no such model')
    editor:cmd('Wherefore ask ' .. ('word '):rep(300000))
    editor:wait("return _G.notes[#_G.notes][1]:find('a task has at most', 1, true) ~= nil", 'the fault')
    editor:keys('x')
    has(editor:notes()[#editor:notes()], 'the agent is not at work')
  end)
)

return cases
