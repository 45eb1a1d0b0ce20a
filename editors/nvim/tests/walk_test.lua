--- The way through hunks: where they meet, where the keys are told, long ones, the next file, a server that ends on the way.
local check = require('check')
local child = require('child')

local eq, has, lacks, sees, with, numbered = check.eq, check.has, check.lacks, check.sees, check.with, check.numbered
local cases, case = check.cases()

local function write(editor, name, path, content)
  editor:agent(name, 'fs.write', { path = path, content = content, why = 'Spell the numbers out for the reader' })
end

local function patch(editor, name, path, old, new, why)
  editor:agent(name, 'fs.patch', { path = path, diff = check.diff(path, old, new), why = why })
end

--- Whether texts stand on the screen one below the other.
local function in_order(screen, parts)
  local from = 1
  for _, part in ipairs(parts) do
    local at = screen:find(part, from, true)
    assert(at, ('no %q below the one before in\n%s'):format(part, screen))
    from = at + 1
  end
end

case(
  'walk: where two hunks meet in one row the new lines of each stand under its own heading',
  with({ ['a.txt'] = numbered(9) }, function(editor)
    editor:edit('a.txt')
    patch(editor, 'one', 'a.txt', numbered(9), numbered(9, { [5] = 'line 5\nPUT BETWEEN' }), 'Put a line between')
    editor:pending(1)
    patch(editor, 'two', 'a.txt', numbered(9), numbered(9, { [5] = 'FIVE' }), 'Spell the five out')
    editor:pending(2)
    in_order(sees(editor, 'FIVE'), { 'Spell the five out', 'line 5', 'FIVE', 'Put a line between', 'PUT BETWEEN', 'line 6' })
  end)
)

case(
  'walk: the keys stand at the hunk that they take',
  with({ ['a.txt'] = numbered(20) }, function(editor)
    editor:edit('a.txt')
    write(editor, 'a', 'a.txt', numbered(20, { [2] = 'TWO', [14] = 'FOURTEEN' }))
    editor:pending(2)
    editor:keys('gg')
    local hint = 'gwy accept'
    in_order(sees(editor, hint), { '1/2', hint, '2/2' })
    editor:keys('14G')
    in_order(sees(editor, hint), { '1/2', '2/2', hint })
    local _, times = editor:screen():gsub(hint, '')
    eq(times, 1, 'how often the keys are told')
  end)
)

case(
  'walk: a hunk that is higher than the window shows its new text',
  with({ ['a.txt'] = numbered(90) }, function(editor)
    local changes = {}
    for n = 10, 60 do
      changes[n] = 'NEW ' .. n
    end
    editor:edit('a.txt')
    write(editor, 'a', 'a.txt', numbered(90, changes))
    editor:pending(1)
    editor:keys('gg]v')
    sees(editor, 'NEW 10')
    editor:keys('gwy')
    editor:pending(0)
    eq(editor:lines()[60], 'NEW 60')
  end)
)

case(
  'walk: a decision on a file by its key is answered, and after the last hunk of a file the next file follows',
  with({ ['a.txt'] = numbered(9), ['b.txt'] = numbered(9), ['c.txt'] = numbered(9) }, function(editor)
    editor:edit('a.txt')
    for _, name in ipairs({ 'a.txt', 'b.txt', 'c.txt' }) do
      write(editor, name, name, numbered(9, { [2] = 'TWO', [7] = 'SEVEN' }))
    end
    editor:pending(6)
    editor:keys('gg]vgwY')
    editor:wait("return vim.fs.basename(vim.api.nvim_buf_get_name(0)) == 'b.txt'", 'the next file')
    has(table.concat(editor:notes(), '\n'), 'accepted 2 hunks of a.txt; 4 hunks wait')
    editor:keys('gwr')
    editor:pending(3)
    editor:keys('gwr')
    editor:wait("return vim.fs.basename(vim.api.nvim_buf_get_name(0)) == 'c.txt'", 'the file after it')
    eq(editor:call('nvim_win_get_cursor', 0)[1], 2)
  end)
)

case(
  'walk: what was applied is gone to, not what waits beside it',
  check.with({ ['a.txt'] = numbered(20) }, function(editor)
    editor:edit('a.txt')
    editor:agent('auto', 'fs.write', { path = 'a.txt', content = numbered(20, { [14] = 'FOURTEEN' }), why = 'Spell it out' }, 'auto')
    editor:answer('auto')
    patch(editor, 'ask', 'a.txt', numbered(20, { [14] = 'FOURTEEN' }), numbered(20, { [2] = 'TWO', [14] = 'FOURTEEN' }), 'Spell another out')
    editor:pending(1)
    editor:keys('gg]v')
    editor:cmd('Wherefore applied')
    editor:wait('return vim.api.nvim_win_get_cursor(0)[1] == 14', 'the applied hunk')
  end, nil, '[review]\npolicy = "auto"\n')
)

case(
  'walk: a server that is killed is started again with its hunks, and what waits is never called nothing',
  with({ ['a.txt'] = numbered(9) }, function(editor, root)
    editor:edit('a.txt')
    editor:agent('a', 'fs.write', { path = 'a.txt', content = numbered(9, { [5] = 'FIVE' }), why = 'Spell the five out' }, 'hold')
    editor:answer('a')
    editor:pending(1)
    editor:lua([[
      local client = require('wherefore.server.client')
      client.request(client.find_current(), 'wherefore/status', nil, function(answer) _G.pid = answer.pid end)
    ]])
    editor:wait('return _G.pid ~= nil', 'the status')
    vim.uv.kill(editor:lua('return _G.pid'), 'sigkill')
    editor:wait("return require('wherefore').pending() == 0", 'the end of the client')
    -- Asked for while the server starts, the hunk comes with it.
    editor:keys('gg]v')
    editor:pending(1)
    editor:wait('return vim.api.nvim_win_get_cursor(0)[1] == 5', 'the hunk')
    has(table.concat(editor:notes(), '\n'), 'and is started again; nothing is lost')
    lacks(table.concat(editor:notes(), '\n'), 'nothing waits')
    editor:lua("require('wherefore.review.proposal_store').forget_client(require('wherefore.server.client').find_current().id)")
    editor:keys('gg]v')
    editor:wait('return vim.api.nvim_win_get_cursor(0)[1] == 5', 'the hunk that was not known')
    editor:keys('gwy')
    editor:pending(0)
    eq(child.bytes(root .. '/a.txt'), numbered(9, { [5] = 'FIVE' }))
    editor:cmd('Wherefore undo')
    editor:wait("return table.concat(vim.api.nvim_buf_get_lines(0, 4, 5, false)) == 'line 5'", 'the undo')
    editor:keys('gg]v')
    editor:wait("return vim.iter(_G.notes):any(function(n) return n[1] == 'wherefore: nothing waits' end)", 'it says so where nothing does')
  end)
)

case(
  'walk: a call that was taken back is called undone, and made again it is not',
  check.with({ ['a.txt'] = numbered(9) }, function(editor)
    editor:edit('a.txt')
    editor:agent('a', 'fs.write', { path = 'a.txt', content = numbered(9, { [5] = 'FIVE' }), why = 'Spell the five out' }, 'auto')
    editor:answer('a')
    editor:cmd('Wherefore undo')
    editor:wait("return vim.iter(_G.notes):any(function(n) return n[1]:find(' undone: ', 1, true) ~= nil end)", 'the undo')
    editor:cmd('Wherefore calls')
    sees(editor, 'undone')
    editor:keys('q')
    editor:cmd('Wherefore session')
    sees(editor, '1 hunk undone')
    editor:cmd('bdelete')
    local back = editor:lua("return vim.iter(_G.notes):map(function(n) return n[1]:match(':Wherefore undo (%S+) takes') end):totable()[1]")
    editor:cmd('Wherefore undo ' .. back)
    editor:wait("return table.concat(vim.api.nvim_buf_get_lines(0, 4, 5, false)) == 'FIVE'", 'the change again')
    editor:cmd('Wherefore calls')
    editor:wait("return vim.api.nvim_get_current_line():find('undone', 1, true) == nil", 'the call as it is again')
  end, nil, '[review]\npolicy = "auto"\n')
)

case(
  'walk: :checkhealth finds the editor that it runs in',
  with({ ['a.txt'] = 'a\n' }, function(editor)
    editor:edit('a.txt')
    editor:cmd('checkhealth wherefore')
    local said = table.concat(editor:lines(), '\n')
    lacks(said, 'Install Neovim')
    has(said, 'Neovim')
  end)
)

return cases
