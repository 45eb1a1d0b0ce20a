--- What goes wrong around a review: files that go, texts that are typed in, servers that die, sizes, and undo twice over.
local check = require('check')
local child = require('child')

local eq, has, with, numbered = check.eq, check.has, check.with, check.numbered
local cases, case = check.cases()

local function write(editor, name, path, content, why)
  editor:agent(name, 'fs.write', { path = path, content = content, why = why or 'Spell the numbers out for the reader' })
end

local function notes(editor)
  return table.concat(editor:notes(), '\n')
end

local function faults(editor)
  return editor:lua("return vim.tbl_filter(function(n) return n[1]:find(' failed: ', 1, true) ~= nil end, _G.notes)")
end

--- Measures the slowest drawing from here on.
local function measure(editor)
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
end

case(
  'a file that is deleted while hunks wait in it',
  with({ ['a.txt'] = 'a\n', ['b.txt'] = numbered(9) }, function(editor, root)
    editor:edit('a.txt')
    write(editor, 'b', 'b.txt', numbered(9, { [5] = 'FIVE' }))
    editor:pending(1)
    vim.uv.fs_unlink(root .. '/b.txt')
    editor:cmd('Wherefore next')
    has(editor:call('nvim_buf_get_name', 0), 'wherefore://proposal/')
    has(editor:screen(), '+FIVE')
    editor:keys('gwy')
    editor:wait('return #_G.notes > 1', 'a message')
    editor:pending(0)
    eq(child.bytes(root .. '/b.txt'), nil, 'it is not made again')
    has(notes(editor), '1 hunk of b.txt no longer fits the text')
    eq(faults(editor), {})
  end)
)

case(
  'a file that is renamed while it is open and hunks wait in it',
  with({ ['a.txt'] = numbered(9) }, function(editor, root)
    editor:edit('a.txt')
    write(editor, 'a', 'a.txt', numbered(9, { [5] = 'FIVE' }))
    editor:pending(1)
    vim.uv.fs_rename(root .. '/a.txt', root .. '/c.txt')
    editor:keys('gg]vgwy')
    vim.wait(500)
    eq(child.bytes(root .. '/c.txt'), numbered(9), 'the renamed file is left alone')
    eq(faults(editor), {})
    eq(editor:call('nvim_get_mode').blocking, false)
  end)
)

case(
  'a file that is typed in as the proposal comes',
  with({ ['a.txt'] = numbered(30) }, function(editor)
    editor:edit('a.txt')
    editor:keys('gg')
    editor:agent('a', 'fs.patch', {
      path = 'a.txt',
      why = 'Spell the numbers out for the reader',
      diff = check.diff('a.txt', numbered(30), numbered(30, { [5] = 'FIVE', [20] = 'TWENTY' })),
    })
    for n = 1, 20 do
      editor:call('nvim_input', ('Otyped %d<Esc>'):format(n))
      vim.wait(10)
    end
    editor:pending(2)
    local placed = vim.wait(5000, function()
      editor:keys('gg]v')
      return editor:call('nvim_get_current_line') == 'line 5'
    end, 50)
    assert(placed, 'the first hunk is at its line: ' .. editor:screen())
    editor:keys('gwY')
    editor:pending(0)
    local text = table.concat(editor:lines(), '\n')
    for n = 1, 20 do
      has(text, 'typed ' .. n)
    end
    eq(faults(editor), {})
  end)
)

case(
  '200 hunks in 5,000 lines are drawn fast, waiting and applied',
  check.with({ ['big.txt'] = numbered(5000), ['auto.txt'] = numbered(5000) }, function(editor)
    local changes = {}
    for n = 1, 200 do
      changes[n * 24] = 'CHANGED ' .. n
    end
    editor:edit('big.txt')
    measure(editor)
    write(editor, 'big', 'big.txt', numbered(5000, changes), 'Mark every 24th line for the reader')
    editor:wait("return require('wherefore').pending() == 200", '200 hunks', 60000)
    local ms = editor:lua('return _G.slowest')
    editor:cmd('Wherefore reject-all')
    editor:pending(0)
    editor:edit('auto.txt')
    editor:agent('auto', 'fs.write', { path = 'auto.txt', content = numbered(5000, changes), why = 'Mark every 24th line for the reader' }, 'auto')
    editor:answer('auto')
    editor:lua('_G.slowest = 0')
    editor:cmd('Wherefore applied')
    editor:wait("return require('wherefore.review.proposal_store').count_applied() == 200", '200 hunks', 60000)
    local applied = editor:lua('return _G.slowest')
    io.stdout:write(('     200 hunks in 5,000 lines: drawn in %.0f ms waiting, %.0f ms applied\n'):format(ms, applied))
    assert(ms < 1500 and applied < 1500, 'drawing takes too long')
  end, nil, '[review]\npolicy = "auto"\n')
)

case(
  'u after an accept, then :Wherefore undo: both agree, and nothing is lost',
  with({ ['a.txt'] = numbered(9) }, function(editor, root)
    editor:edit('a.txt')
    write(editor, 'a', 'a.txt', numbered(9, { [5] = 'FIVE' }))
    editor:pending(1)
    editor:keys('gg]vgwy')
    editor:pending(0)
    eq(child.bytes(root .. '/a.txt'), numbered(9, { [5] = 'FIVE' }))
    editor:keys('u')
    vim.wait(200)
    eq(table.concat(editor:lines(), '\n') .. '\n', numbered(9))
    editor:lua('_G.notes = {}')
    editor:cmd('Wherefore undo')
    editor:wait('return #_G.notes > 0', 'the message')
    has(notes(editor), 'is left to take back: a.txt is as it was before, in the editor, where it is not saved yet')
    eq(table.concat(editor:lines(), '\n') .. '\n', numbered(9), 'the buffer')
    eq(child.bytes(root .. '/a.txt'), numbered(9, { [5] = 'FIVE' }), 'the disk')
    editor:keys(':w<CR>')
    eq(child.bytes(root .. '/a.txt'), numbered(9), 'the disk when it is written')
    editor:keys('<C-r>')
    eq(editor:lines()[5], 'FIVE', 'the editor still knows what was accepted')
    eq(faults(editor), {})
  end)
)

case(
  'the server is killed while applied hunks are looked at, and started again',
  check.with({ ['a.txt'] = numbered(9) }, function(editor, root)
    editor:edit('a.txt')
    editor:agent('a', 'fs.write', { path = 'a.txt', content = numbered(9, { [5] = 'FIVE' }), why = 'Spell the five out' }, 'auto')
    editor:answer('a')
    editor:cmd('Wherefore applied')
    editor:wait("return require('wherefore.review.proposal_store').count_applied() == 1", 'the hunk')
    editor:cmd('Wherefore calls')
    editor:keys('q')
    editor:lua([[
      local client = require('wherefore.server.client')
      client.request(client.find_current(), 'wherefore/status', nil, function(answer) _G.pid = answer.pid end)
    ]])
    editor:wait('return _G.pid ~= nil', 'the status')
    vim.uv.kill(editor:lua('return _G.pid'), 'sigkill')
    editor:wait("return require('wherefore.review.proposal_store').count_applied() == 0", 'the end of the client')
    for _, word in ipairs({ 'applied', 'applied off', 'accept', 'edit', 'cancel', 'working-set', 'calls' }) do
      editor:cmd('Wherefore ' .. word)
    end
    editor:keys('q')
    eq(faults(editor), {})
    has(notes(editor), 'server ended (signal 9) and is started again; nothing is lost')
    editor:wait("return #vim.lsp.get_clients({ name = 'wherefore', bufnr = 0 }) == 1", 'the new client')
    editor:wait("return vim.lsp.get_clients({ name = 'wherefore' })[1].initialized == true", 'its start')
    write(editor, 'again', 'a.txt', numbered(9, { [5] = 'FIVE', [7] = 'SEVEN' }))
    editor:pending(1)
    editor:keys('gg]vgwy')
    editor:pending(0)
    eq(child.bytes(root .. '/a.txt'), numbered(9, { [5] = 'FIVE', [7] = 'SEVEN' }))
  end, nil, '[review]\npolicy = "auto"\n')
)

case(
  'a server that does not know what is asked says how to go on',
  with({ ['a.txt'] = 'a\n' }, function(editor)
    editor:edit('a.txt')
    editor:lua("require('wherefore.server.client').request(vim.lsp.get_clients({ name = 'wherefore' })[1], 'wherefore/none', {}, function() end)")
    editor:wait('return #_G.notes > 0', 'the message')
    has(notes(editor), 'the server is too old for wherefore/none; build it anew, then :Wherefore restart')
  end)
)

case(
  'a program that is not there: each command says how to go on',
  with({ ['a.txt'] = 'a\n' }, function(editor)
    editor:cmd('edit a.txt')
    vim.wait(50)
    for _, word in ipairs({ 'applied', 'working-set', 'undo', 'log', 'status' }) do
      editor:lua('_G.notes = {}')
      editor:cmd('Wherefore ' .. word)
      has(notes(editor), 'no server runs here; :Wherefore restart', word)
    end
  end, { cmd = { 'no-such-program', 'lsp' } })
)

return cases
