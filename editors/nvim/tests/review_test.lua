--- Review as a person does it: hunks on the screen, keys, the buffer, the disk, the agent's answer, the log.
local check = require('check')
local child = require('child')

local eq, has, lacks, with, numbered, diff = check.eq, check.has, check.lacks, check.with, check.numbered, check.diff

local five = { [2] = 'TWO', [8] = 'EIGHT', [14] = 'FOURTEEN', [20] = 'TWENTY', [26] = 'TWENTY-SIX' }

--- Five hunks by an agent of another process where the program has a command line, else by the same client.
local function propose_five(editor, root)
  local arguments = { path = 'a.txt', why = 'Spell the numbers out for the reader', diff = diff('a.txt', numbered(30), numbered(30, five)) }
  local answer = { done = false, text = '' }
  vim.fn.jobstart({ child.bin, 'call', 'fs.patch', vim.json.encode(arguments), '--root', root, '--policy', 'ask' }, {
    env = child.env(root),
    on_stdout = function(_, data)
      answer.text = answer.text .. table.concat(data, '\n')
    end,
    on_exit = function()
      answer.done = true
    end,
  })
  if vim.env.WHEREFORE_FAKE then
    editor:agent('patch', 'fs.patch', arguments)
    answer = nil
  end
  return function()
    if not answer then
      return vim.json.encode(editor:answer('patch').result)
    end
    assert(vim.wait(10000, function()
      return answer.done
    end, 20))
    return answer.text
  end
end

local cases, case = check.cases()

case(
  'five hunks: accept 1, 3, 5, reject 2, 4 with a reason, undo',
  with({ ['a.txt'] = numbered(30) }, function(editor, root)
    editor:edit('a.txt')
    local answer = propose_five(editor, root)
    editor:pending(5)
    local screen = editor:screen()
    for _, part in ipairs({ 'Spell the numbers out', '1/5', '5/5', 'TWO', 'EIGHT', 'FOURTEEN', 'TWENTY', 'line 2', 'accept' }) do
      has(screen, part, 'the screen with five hunks')
    end
    eq(editor:lines(), vim.split(vim.trim(numbered(30)), '\n'), 'the buffer holds the old text')
    eq(child.bytes(root .. '/a.txt'), numbered(30), 'the disk holds the old text')
    eq(editor:lua("return require('wherefore').statusline()"), '5 hunks in 1 file')

    editor:keys('gg]v')
    local function stands(line)
      editor:wait(('return vim.api.nvim_win_get_cursor(0)[1] == %d'):format(line), 'the cursor in line ' .. line)
    end
    stands(2)
    editor:keys('gwy')
    stands(8)
    has(table.concat(editor:notes(), '\n'), 'accepted 1/5; 4 hunks left in this file')
    editor:keys('gwR')
    editor:keys('eight stays a digit<CR>')
    stands(14)
    editor:keys('gwy')
    stands(20)
    editor:keys('gwR')
    editor:keys('twenty too<CR>')
    stands(26)
    editor:keys('gwy')
    editor:pending(0)
    vim.wait(50)
    has(table.concat(editor:notes(), '\n'), 'all is decided: 3 accepted, 2 rejected')

    local want = numbered(30, { [2] = 'TWO', [14] = 'FOURTEEN', [26] = 'TWENTY-SIX' })
    eq(table.concat(editor:lines(), '\n') .. '\n', want, 'the buffer')
    eq(child.bytes(root .. '/a.txt'), want, 'the disk')
    eq(editor:lua('return vim.bo.modified'), false)
    eq(editor:lua("return vim.fn.maparg('gwy', 'n')"), '', 'the keys are gone')
    lacks(editor:screen(), 'EIGHT', 'nothing stays drawn')
    local text = answer()
    for _, part in ipairs({ 'partly_applied', 'eight stays a digit', 'twenty too', 'accepted', 'rejected' }) do
      has(text, part, "the agent's answer")
    end

    editor:cmd('Wherefore log')
    editor:wait("return vim.bo.filetype == 'wherefore-log' and table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), ' '):find('twenty too', 1, true) ~= nil", 'the log')
    has(editor:call('nvim_buf_get_name', 0), 'wherefore://log/')
    editor:cmd('wincmd p')
    editor:cmd('Wherefore undo')
    editor:wait("return vim.api.nvim_buf_get_lines(0, 1, 2, false)[1] == 'line 2'", 'the undo')
    vim.wait(5000, function()
      return child.bytes(root .. '/a.txt') == numbered(30)
    end, 20)
    eq(child.bytes(root .. '/a.txt'), numbered(30), 'undo restores the bytes')
    eq(editor:lines(), vim.split(vim.trim(numbered(30)), '\n'), 'undo restores the buffer')
  end)
)

case(
  'unsaved text stays, and stays unsaved, around an accepted hunk',
  with({ ['a.txt'] = numbered(10) }, function(editor, root)
    editor:edit('a.txt')
    editor:keys('Omy own line<Esc>')
    editor:agent('a', 'fs.patch', {
      path = 'a.txt',
      why = 'Name the fifth line',
      diff = diff('a.txt', 'my own line\n' .. numbered(10), 'my own line\n' .. numbered(10, { [5] = 'FIFTH' })),
    })
    editor:pending(1)
    editor:keys('ggOanother above<Esc>')
    editor:cmd('Wherefore next')
    eq(editor:call('nvim_win_get_cursor', 0)[1], 7, 'the hunk moved with its lines')
    has(editor:screen(), 'FIFTH')
    editor:keys('gwy')
    editor:pending(0)
    eq(table.concat(editor:lines(), '\n') .. '\n', 'another above\nmy own line\n' .. numbered(10, { [5] = 'FIFTH' }))
    eq(editor:lua('return vim.bo.modified'), true, 'it was not saved')
    eq(child.bytes(root .. '/a.txt'), numbered(10), 'the disk keeps the saved text')
  end)
)

case(
  'a new file is previewed, accepted, and opened',
  with({ ['a.txt'] = 'a\n' }, function(editor, root)
    editor:edit('a.txt')
    editor:agent('n', 'fs.write', { path = 'sub/new.lua', content = 'local x = 1\nreturn x\n', why = 'Add the module that the test needs' })
    editor:pending(1)
    editor:cmd('Wherefore next')
    has(editor:call('nvim_buf_get_name', 0), 'wherefore://proposal/')
    local screen = editor:screen()
    has(screen, 'return x')
    has(screen, 'Add the module that the test needs')
    editor:keys('gwy')
    editor:pending(0)
    eq(child.bytes(root .. '/sub/new.lua'), 'local x = 1\nreturn x\n')
    eq(editor:call('nvim_buf_get_name', 0), root .. '/sub/new.lua')
  end)
)

case(
  'a file that is not open: next goes there; the quickfix list names every hunk',
  with({ ['a.txt'] = 'a\n', ['b.txt'] = numbered(30) }, function(editor, root)
    editor:edit('a.txt')
    editor:agent('b', 'fs.write', { path = 'b.txt', content = numbered(30, five), why = 'Spell the numbers out for the reader' })
    editor:pending(5)
    editor:cmd('Wherefore proposals')
    eq(editor:lua('return #vim.fn.getqflist()'), 5)
    editor:cmd('cclose')
    editor:cmd('Wherefore next')
    eq(editor:call('nvim_buf_get_name', 0), root .. '/b.txt')
    eq(editor:call('nvim_win_get_cursor', 0)[1], 2)
    editor:cmd('Wherefore prev')
    eq(editor:call('nvim_win_get_cursor', 0)[1], 26, 'around the end')
    editor:cmd('Wherefore reject-all not now')
    editor:pending(0)
    eq(child.bytes(root .. '/b.txt'), numbered(30))
    has(vim.json.encode(editor:answer('b')), 'not now')
  end)
)

case(
  'hidden buffers, renamed and deleted ones',
  with({ ['a.txt'] = numbered(9), ['b.txt'] = 'b\n' }, function(editor, root)
    editor:edit('a.txt')
    editor:edit('b.txt')
    editor:agent('a', 'fs.write', { path = 'a.txt', content = numbered(9, { [5] = 'FIVE' }), why = 'Spell the five out' })
    editor:pending(1)
    editor:cmd('buffer a.txt')
    has(editor:screen(), 'FIVE', 'a buffer shown later')
    editor:cmd('file other.txt')
    vim.wait(100)
    lacks(editor:screen(), 'FIVE', 'a buffer that is another file now')
    editor:cmd('bwipeout!')
    editor:cmd('Wherefore next')
    eq(editor:call('nvim_buf_get_name', 0), root .. '/a.txt')
    editor:keys('gwy')
    editor:pending(0)
    eq(child.bytes(root .. '/a.txt'), numbered(9, { [5] = 'FIVE' }))
    eq(editor:lua("return vim.tbl_filter(function(note) return note[2] >= 3 end, _G.notes)"), {}, 'no warnings')
  end)
)

--- A proposal as a server tells it, with one file.
local function told(id, root, file)
  local uri = vim.uri_from_fname(root .. '/' .. file.path)
  return {
    id = id,
    call_id = 'c-1',
    session = 's-1',
    tool = 'fs.write',
    why = 'Because of ' .. id,
    origin = { door = 'mcp', agent = 'agent-' .. id },
    created = '2025-01-01T00:00:0' .. id:sub(-1) .. 'Z',
    files = { vim.tbl_extend('force', { uri = uri }, file) },
  }
end

local function put(editor, proposal)
  editor:lua("local c = vim.lsp.get_clients({ name = 'wherefore' })[1] require('wherefore.server.handlers').take_proposals(c.id, { ... })", proposal)
end

case(
  'a removal, a folder, a copy, two agents on one line, a hunk that goes stale',
  with({ ['a.txt'] = numbered(3), ['z.txt'] = numbered(3) }, function(editor, root)
    editor:edit('a.txt')
    local old = { 'line 1\n', 'line 2\n', 'line 3\n' }
    put(editor, told('p-1', root, { path = 'a.txt', kind = 'delete', hunks = { { id = 'h1', state = 'pending', start = 0, old = old, new = {} } } }))
    put(editor, told('p-2', root, { path = 'a.txt', kind = 'edit', hunks = { { id = 'h1', state = 'pending', start = 1, old = { 'line 2\n' }, new = { 'TWO\n' } } } }))
    put(editor, told('p-3', root, { path = 'm/folder', kind = 'mkdir', hunks = { { id = 'h1', state = 'pending', start = 0, old = {}, new = {} } } }))
    put(editor, told('p-4', root, { path = 'n.txt', kind = 'copy', from = 'a.txt', hunks = { { id = 'h1', state = 'pending', start = 0, old = {}, new = {} } } }))
    eq(editor:lua("return { require('wherefore').pending() }"), { 4, 3 })
    vim.wait(50)
    local screen = editor:screen()
    for _, part in ipairs({ '1/1 delete the file', 'Because of p-1', 'Because of p-2', 'TWO', 'agent-p-2' }) do
      has(screen, part)
    end
    editor:cmd('3')
    editor:cmd('Wherefore next')
    has(editor:screen(), 'A new folder: m/folder')
    editor:cmd('Wherefore next')
    has(editor:screen(), 'A copy of a.txt: n.txt')
    editor:cmd('Wherefore next')
    eq(editor:call('nvim_buf_get_name', 0), root .. '/a.txt')
    put(editor, told('p-2', root, { path = 'a.txt', kind = 'edit', hunks = { { id = 'h1', state = 'stale', start = 1, old = { 'line 2\n' }, new = { 'TWO\n' } } } }))
    lacks(editor:screen(), 'TWO')
    has(table.concat(editor:notes(), '\n'), '1 hunk of a.txt no longer fits the text and was set aside')
  end)
)

--- A hunk without lines.
local bare = { id = 'h1', state = 'pending', start = 0, old = {}, new = {} }

case(
  'a rename, a mode, a link and bytes: each is shown by its sentence',
  with({ ['a.txt'] = numbered(3), ['run.sh'] = '#!/bin/sh\n' }, function(editor, root)
    editor:edit('run.sh')
    local whats = {
      { path = 'run.sh', kind = 'mode', executable = true, what = 'makes run.sh executable' },
      { path = 's.txt', kind = 'rename', from = 'a.txt', what = 'renames a.txt to s.txt' },
      { path = 't', kind = 'symlink', what = 'links t to a.txt' },
      { path = 'u.bin', kind = 'binary', what = 'new binary u.bin, 14 KB, hash ab12' },
    }
    for index, file in ipairs(whats) do
      file.hunks = { bare }
      put(editor, told('p-' .. index, root, file))
    end
    vim.wait(50)
    has(editor:screen(), '1/1 makes run.sh executable')
    has(editor:screen(), 'Because of p-1')
    for index = 2, #whats do
      editor:cmd('Wherefore next')
      has(editor:screen(), whats[index].what)
    end
    editor:cmd('Wherefore proposals')
    has(editor:screen(), 'rename 1/1 renames a.txt to s.txt: Because of p-2')
  end)
)

case(
  'a file that is open is renamed with its buffer, byte for byte',
  with({ ['a.txt'] = 'no end' }, function(editor, root)
    editor:edit('a.txt')
    local patch = 'diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n'
    editor:agent('p', 'fs.patch', { diff = patch, why = 'Call the file what it is' })
    editor:pending(1)
    editor:cmd('Wherefore accept-all')
    editor:pending(0)
    eq(child.bytes(root .. '/b.txt'), 'no end')
    eq(vim.uv.fs_stat(root .. '/a.txt'), nil)
    eq(editor:call('nvim_buf_get_name', 0), root .. '/b.txt')
    editor:keys('Aed<Esc>')
    editor:cmd('w')
    has(child.bytes(root .. '/b.txt'), 'no ended')
  end)
)

case(
  'typing goes on while hunks wait; the editor takes an accepted hunk back by itself',
  with({ ['a.txt'] = numbered(30) }, function(editor)
    editor:edit('a.txt')
    editor:agent('p', 'fs.write', { path = 'a.txt', content = numbered(30, five), why = 'Spell the numbers out for the reader' })
    editor:pending(5)
    editor:keys('gg]vgwy')
    editor:pending(4)
    editor:keys('GAtyped<CR>more<Esc>')
    editor:keys('ggOabove<Esc>')
    editor:keys(']v]v')
    eq(editor:lua("return vim.api.nvim_get_current_line()"), 'line 14')
    editor:keys('gwy')
    editor:pending(3)
    local want = 'above\n' .. numbered(30, { [2] = 'TWO', [14] = 'FOURTEEN', [30] = 'line 30typed' }) .. 'more\n'
    eq(table.concat(editor:lines(), '\n') .. '\n', want)
    eq(editor:lua('return vim.bo.modified'), true)
    editor:keys('u')
    eq(table.concat(editor:lines(), '\n') .. '\n', (want:gsub('FOURTEEN', 'line 14')), 'u takes back that hunk alone')
  end)
)

case(
  'a file that another program changed is not overwritten, and nothing asks',
  with({ ['a.txt'] = numbered(9) }, function(editor, root)
    editor:edit('a.txt')
    editor:agent('p', 'fs.write', { path = 'a.txt', content = numbered(9, { [5] = 'FIVE' }), why = 'Spell the five out' })
    editor:pending(1)
    vim.wait(1100)
    child.write(root .. '/a.txt', 'of another program\n')
    editor:keys('gg]vgwy')
    vim.wait(1000)
    eq(child.bytes(root .. '/a.txt'), 'of another program\n')
    eq(editor:call('nvim_get_mode').blocking, false)
  end)
)

case(
  'two windows, two tabs: both show the hunks',
  with({ ['a.txt'] = numbered(9) }, function(editor, root)
    editor:edit('a.txt')
    editor:cmd('vsplit')
    editor:cmd('tab split')
    editor:agent('p', 'fs.write', { path = 'a.txt', content = 'zero\n' .. numbered(9), why = 'Count from zero as the code does' })
    editor:pending(1)
    vim.wait(50)
    has(editor:screen(), 'zero')
    editor:cmd('tabprevious')
    local _, count = editor:screen():gsub('zero', '')
    assert(count >= 2, 'both windows show it:\n' .. editor:screen())
    editor:keys('gwy')
    editor:pending(0)
    eq(child.bytes(root .. '/a.txt'), 'zero\n' .. numbered(9))
  end)
)

case(
  'the server is killed in the middle of a review',
  with({ ['a.txt'] = numbered(30) }, function(editor, root)
    editor:edit('a.txt')
    editor:agent('p', 'fs.write', { path = 'a.txt', content = numbered(30, five), why = 'Spell the numbers out for the reader' })
    editor:pending(5)
    editor:keys('gg]vgwy')
    editor:pending(4)
    editor:lua([[
      local client = require('wherefore.server.client')
      client.request(client.find_current(), 'wherefore/status', nil, function(answer) _G.status = answer end)
    ]])
    editor:wait('return _G.status ~= nil', 'the status')
    local status = editor:lua('return _G.status')
    vim.uv.kill(status.pid, 'sigkill')
    editor:wait("return vim.iter(_G.notes):any(function(n) return n[1]:find('is started again', 1, true) ~= nil end)", 'the message')
    editor:keys('gwy')
    editor:wait("return #vim.lsp.get_clients({ name = 'wherefore', bufnr = 0 }) == 1", 'the new client')
    if not vim.env.WHEREFORE_FAKE then
      editor:pending(4)
      editor:cmd('Wherefore accept-all')
      editor:pending(0)
      eq(child.bytes(root .. '/a.txt'), numbered(30, five))
    end
  end)
)

case(
  '50,000 lines with 200 hunks are drawn fast',
  with({ ['big.txt'] = numbered(50000) }, function(editor, root)
    local changes = {}
    for n = 1, 200 do
      changes[n * 240] = 'CHANGED ' .. n
    end
    editor:edit('big.txt')
    editor:lua([[
      local drawn_hunks = require('wherefore.review.drawn_hunks')
      local refresh = drawn_hunks.refresh_buffer
      _G.slowest = 0
      drawn_hunks.refresh_buffer = function(buf)
        local start = vim.uv.hrtime()
        refresh(buf)
        _G.slowest = math.max(_G.slowest, (vim.uv.hrtime() - start) / 1e6)
      end
    ]])
    editor:agent('big', 'fs.patch', { path = 'big.txt', why = 'Mark every 240th line for the reader', diff = diff('big.txt', numbered(50000), numbered(50000, changes)) })
    editor:wait("return require('wherefore').pending() == 200", '200 hunks', 60000)
    editor:cmd('Wherefore next')
    eq(editor:call('nvim_win_get_cursor', 0)[1], 240)
    local ms = editor:lua('return _G.slowest')
    assert(ms < 150, ('drawing took %.0f ms'):format(ms))
    io.stdout:write(('     drawn in %.0f ms\n'):format(ms))
    editor:keys('gwy')
    editor:pending(199)
    editor:cmd('Wherefore reject-file')
    editor:pending(0)
    eq(child.bytes(root .. '/big.txt'), numbered(50000, { [240] = 'CHANGED 1' }))
  end)
)

return cases
