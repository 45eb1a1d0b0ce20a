--- The floating lists: calls as they come and go, files that matter.
local check = require('check')
local child = require('child')

local eq, has, lacks, sees = check.eq, check.has, check.lacks, check.sees
local with, numbered = check.with, check.numbered
local cases, case = check.cases()

--- Calls as a server tells them, all at once.
local function tell_calls(editor, count)
  editor:lua(
    [[
    local count = ...
    local handlers = require('wherefore.server.handlers').by_method
    local ctx = { client_id = vim.lsp.get_clients({ name = 'wherefore' })[1].id }
    local start = vim.uv.hrtime()
    for n = 1, count do
      local id = ('c-%04d'):format(1000 + n)
      handlers['wherefore/didCall'](nil, {
        call_id = id, tool = 'fs.read', why = 'See what stands at place ' .. n, origin = { door = 'mcp', agent = 'burst/1' },
        paths = { 'a.txt' }, writes = false, session = 's', time = '2026-01-01T12:00:00.5Z', root = 'file:///',
      }, ctx)
      handlers['wherefore/didFinish'](nil, { call_id = id, session = 's', root = 'file:///', tool = 'fs.read', status = 'ok', duration_ms = 1 }, ctx)
    end
    _G.took = (vim.uv.hrtime() - start) / 1e6
  ]],
    count
  )
  return editor:lua('return _G.took')
end

case(
  'calls: how each stands, its place in the log, and one that is stopped',
  with({ ['a.txt'] = 'a\n' }, function(editor)
    editor:edit('a.txt')
    editor:cmd('Wherefore calls')
    sees(editor, 'No call came yet.')
    editor:agent('r', 'fs.read', { path = 'a.txt', why = 'See which letter the file begins with' })
    editor:answer('r')
    editor:agent('m', 'fs.read', { path = 'none.txt', why = 'See whether there is another file too' })
    editor:answer('m')
    editor:agent('w', 'fs.write', { path = 'a.txt', content = 'b\n', why = 'Turn the letter into the next one' })
    editor:pending(1)
    local screen = sees(editor, 'waiting for you')
    for _, part in ipairs({ 'wherefore: calls', 'ok', 'failed', 'waiting for you', 'fs.write', 'test-agent/1', 'Turn the letter', 'x cancel' }) do
      has(screen, part)
    end
    assert(screen:find('Turn the letter', 1, true) < screen:find('See which letter', 1, true), 'the newest stands on top')
    eq(#editor:lua("return vim.fn.getcompletion('Wherefore cancel ', 'cmdline')"), 1)
    editor:keys('ggx')
    has(vim.json.encode(editor:answer('w')), 'CANCELLED')
    editor:wait("return #require('wherefore.calls.call_list').list_running() == 0", 'the end of the call')
    vim.wait(200)
    lacks(editor:screen(), 'waiting for you', 'it runs no longer')
    editor:keys('x')
    has(table.concat(editor:notes(), '\n'), 'has ended; :Wherefore undo')
    editor:keys('G<CR>')
    editor:wait("return vim.bo.filetype == 'wherefore-log' and vim.fn.getline('.'):find('c%-%d+ +fs.read') ~= nil", 'the log at the call')
    has(table.concat(editor:call('nvim_buf_get_lines', 0, editor:call('nvim_win_get_cursor', 0)[1] - 1, -1, false), '\n'):sub(1, 200), 'begins with')
    lacks(editor:screen(), 'wherefore: calls', 'the list is closed')
    editor:cmd('Wherefore cancel')
    has(editor:notes()[#editor:notes()], 'no call runs')
    editor:cmd('Wherefore cancel c-0099')
    has(editor:notes()[#editor:notes()], 'c-0099 does not run; :Wherefore calls')
  end)
)

case(
  'calls: a command that fails has failed, one that is cancelled or whose server ended has not, and neither is ok',
  with({ ['a.txt'] = 'a\n' }, function(editor)
    editor:edit('a.txt')
    local function run(name, line, more)
      local args = { cmd = { 'sh', '-c', line }, why = 'See how ' .. name .. ' ends' }
      editor:agent(name, 'terminal.run', vim.tbl_extend('force', args, more or {}))
    end
    -- The one whose message is looked for comes first: those beyond a number a second are counted together.
    for _, one in ipairs({ { 'wrong', 'exit 3' }, { 'good', 'true' }, { 'killed', 'kill -SEGV $$' } }) do
      run(one[1], one[2])
      editor:answer(one[1])
    end
    run('long', 'sleep 60', { timeout_ms = 300 })
    editor:answer('long')
    run('behind', 'sleep 0.5; exit 4', { background = true })
    editor:answer('behind')
    local told = 'terminal.run failed: exit code 3 (See how wrong ends)'
    -- Messages come by another way than the answers.
    vim.wait(5000, function()
      return table.concat(editor:notes(), '\n'):find(told, 1, true) ~= nil
    end, 50)
    has(table.concat(editor:notes(), '\n'), told)
    editor:cmd('Wherefore calls')
    local function row(name, state, how)
      editor:wait(
        ("return vim.iter(vim.api.nvim_buf_get_lines(0, 0, -1, false)):any(function(line) return line:find(%q, 1, true) ~= nil and line:find(%q, 1, true) ~= nil and line:find(%q, 1, true) ~= nil end)"):format(
          ' ' .. state .. ' ',
          'See how ' .. name .. ' ends',
          how
        ),
        name .. ': ' .. state
      )
    end
    row('good', 'ok', '')
    row('wrong', 'failed', '(exit code 3)')
    row('killed', 'failed', '(ended by ')
    row('long', 'failed', '(ended by ')
    row('behind', 'failed', '(exit code')
    run('stopped', 'sleep 60')
    row('stopped', 'running', '')
    editor:keys('ggx')
    row('stopped', 'cancelled', '')
    run('lost', 'sleep 60')
    row('lost', 'running', '')
    editor:cmd('Wherefore restart')
    row('lost', 'server ended', '')
  end, { notify = 'all' })
)

case(
  'calls: one of two that run is stopped by its name',
  with({ ['a.txt'] = numbered(9), ['b.txt'] = 'b\n' }, function(editor)
    editor:edit('a.txt')
    for _, name in ipairs({ 'a.txt', 'b.txt' }) do
      editor:agent(name, 'fs.write', { path = name, content = 'new\n', why = 'Put something new into ' .. name })
    end
    editor:pending(2)
    editor:cmd('Wherefore cancel')
    has(editor:notes()[#editor:notes()], '2 calls run; name one')
    local ids = editor:lua("return vim.fn.getcompletion('Wherefore cancel ', 'cmdline')")
    eq(#ids, 2)
    editor:cmd('Wherefore cancel ' .. ids[1])
    editor:wait('return vim.tbl_count(_G.answers) == 1', 'the answer')
    editor:wait("return #vim.fn.getcompletion('Wherefore cancel ', 'cmdline') == 1", 'the end of the call')
    eq(editor:lua("return vim.fn.getcompletion('Wherefore cancel ', 'cmdline')"), { ids[2] })
  end)
)

case(
  'calls: 500 in a second, no more than 500 kept, drawn a few times',
  with({ ['a.txt'] = 'a\n' }, function(editor)
    editor:edit('a.txt')
    editor:cmd('Wherefore calls')
    editor:lua([[
      _G.draws = 0
      local set = vim.api.nvim_buf_set_lines
      vim.api.nvim_buf_set_lines = function(...) _G.draws = _G.draws + 1 return set(...) end
    ]])
    local ms = tell_calls(editor, 500)
    sees(editor, 'See what stands at place 500')
    local draws = editor:lua('return _G.draws')
    assert(draws <= 3, draws .. ' drawings')
    tell_calls(editor, 500)
    vim.wait(300)
    eq(editor:lua('return vim.api.nvim_buf_line_count(0)'), 500)
    local start = vim.uv.hrtime()
    editor:keys('G')
    editor:call('nvim_win_get_cursor', 0)
    io.stdout:write(('     500 calls taken in %.0f ms, a key then in %.0f ms\n'):format(ms, (vim.uv.hrtime() - start) / 1e6))
    editor:keys('q')
    eq(editor:lua('return #vim.api.nvim_list_wins()'), 1)
  end, { notify = 'none' })
)

case(
  'calls: the cursor stays on its call while others come',
  with({ ['a.txt'] = 'a\n' }, function(editor)
    editor:edit('a.txt')
    tell_calls(editor, 5)
    editor:cmd('Wherefore calls')
    editor:keys('jj')
    has(editor:call('nvim_get_current_line'), 'place 3')
    editor:agent('r', 'fs.read', { path = 'a.txt', why = 'See which letter the file begins with' })
    editor:answer('r')
    vim.wait(200)
    has(editor:call('nvim_get_current_line'), 'place 3')
    editor:keys('<Esc>')
    eq(editor:lua('return #vim.api.nvim_list_wins()'), 1)
  end)
)

case(
  'working set: files and reasons, as they come and go, and from there to one',
  with({ ['a.txt'] = 'a\n', ['sub/b.txt'] = 'b\n', ['c.txt'] = 'c\n' }, function(editor, root)
    editor:edit('a.txt')
    editor:cmd('Wherefore working-set')
    editor:wait("return vim.fn.getline(1):find('a.txt', 1, true) ~= nil", 'the list')
    sees(editor, 'open in the editor')
    editor:agent('b', 'fs.write', { path = 'sub/b.txt', content = 'B\n', why = 'Turn the letter into a capital' })
    editor:wait("return vim.fn.search('sub/b.txt.*proposal .* wait', 'nw') > 0", 'the proposal there')
    editor:lua("vim.fn.bufload(vim.fn.bufadd('c.txt'))")
    editor:wait("return vim.fn.search(' c.txt', 'nw') > 0", 'the file opened since')
    editor:cmd("call search('sub/b.txt')")
    editor:keys('<CR>')
    eq(editor:call('nvim_buf_get_name', 0), root .. '/sub/b.txt')
    eq(editor:lua('return #vim.api.nvim_list_wins()'), 1)
    editor:keys('gwy')
    editor:pending(0)
  end)
)

case(
  'working set: pin, hot, cold and clear; what is read and looked at heats, as one watches',
  with({ ['a.txt'] = 'a\n', ['b.txt'] = 'b\n' }, function(editor, root)
    editor:edit('a.txt')
    editor:cmd('Wherefore working-set')
    editor:wait("return vim.fn.search('a.txt .*looked at', 'nw') > 0", 'the file that is looked at')
    sees(editor, 'p pin · h hot · c cold · x clear · K why · C clean up')
    sees(editor, 'tokens')
    editor:agent('r', 'fs.read', { path = 'b.txt', why = 'See which letter the file begins with' })
    editor:answer('r')
    editor:wait("return vim.fn.search('b.txt .*1 read by test-agent', 'nw') > 0", 'the file that was read')
    local function on(path, key)
      editor:cmd(("call search('%s')"):format(path))
      editor:keys(key)
    end
    editor:cmd('call cursor(1, 1)')
    has(editor:call('nvim_get_current_line'), 'a.txt')
    editor:lua([[
      local lsp = vim.lsp.get_clients({ name = 'wherefore' })[1]
      local pin = { root = lsp.config.root_dir, path = 'b.txt', advice = 'pin' }
      require('wherefore.server.client').request(lsp, 'wherefore/hint', pin, function() end)
    ]])
    editor:wait("return vim.fn.getline(1):find('pinned .*b.txt') ~= nil", 'the pinned file on top')
    has(editor:call('nvim_get_current_line'), 'a.txt', 'a key acts on the file that the person sees under the cursor')
    on('b.txt', 'p')
    editor:wait("return vim.fn.search('pinned', 'nw') == 0", 'no pin')
    on('b.txt', 'p')
    editor:wait("return vim.fn.search('pinned .*b.txt', 'nw') > 0", 'the pin')
    editor:lua("vim.ui.input = function(opts, done) _G.prompt = opts.prompt done(_G.why) end")
    on('b.txt', 'h')
    has(editor:lua('return _G.prompt'), 'Why does b.txt matter')
    eq(child.bytes(root .. '/.wherefore/hot.yml'), nil, 'turned away it marks nothing')
    editor:lua("_G.why = ' It holds the letter '")
    on('b.txt', 'h')
    editor:wait("return vim.fn.search('pinned, hot .*b.txt', 'nw') > 0", 'the mark')
    has(child.bytes(root .. '/.wherefore/hot.yml'), 'It holds the letter')
    editor:lua("_G.why = ''")
    on('b.txt', 'c')
    editor:wait("return vim.fn.search('pinned, cold .*b.txt', 'nw') > 0", 'the other mark')
    on('b.txt', 'x')
    editor:wait("return vim.fn.search('cold', 'nw') == 0", 'no mark')
    on('b.txt', 'p')
    editor:wait("return vim.fn.search('pinned', 'nw') == 0", 'no pin')
    on('b.txt', 'C')
    editor:wait("return table.concat(vim.tbl_map(function(n) return n[1] end, _G.notes)):find('the working set', 1, true) ~= nil", 'the message')
    on('b.txt', '')
    editor:keys('K')
    sees(editor, '- 1 read by test-agent/1, just now: See which letter the file begins with')
    editor:keys('q')
    editor:lua([[
      local client, told = require('wherefore.server.client'), {}
      local send = client.send_notification
      _G.told = told
      client.send_notification = function(lsp, method, params)
        table.insert(told, method .. ' ' .. vim.fs.basename(params.uri))
        send(lsp, method, params)
      end
    ]])
    for _, path in ipairs({ 'b.txt', 'a.txt', 'b.txt' }) do
      editor:edit(path)
    end
    editor:cmd('Wherefore working-set')
    editor:wait('return #_G.told > 0', 'the file that is looked at')
    eq(editor:lua('return _G.told'), { 'wherefore/didFocus b.txt' }, 'files that are passed by are not told')
    sees(editor, 'b.txt  open in the editor; 1 read')
  end)
)

return cases
