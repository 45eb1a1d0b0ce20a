--- Review at the end: what a policy applied is looked at, kept and taken back, beside hunks that wait.
local check = require('check')
local child = require('child')

local eq, has, lacks, sees, numbered = check.eq, check.has, check.lacks, check.sees, check.numbered
local cases, case = check.cases()

local function with(files, run, opts)
  return check.with(files, run, opts, '[review]\npolicy = "auto"\n')
end

local three = { [2] = 'TWO', [8] = 'EIGHT', [14] = 'FOURTEEN' }

--- An agent writes a file, and the policy applies it.
local function apply(editor, path, content, why)
  editor:agent(path, 'fs.write', { path = path, content = content, why = why or 'Spell the numbers out for the reader' }, 'auto')
  eq(editor:answer(path).result.status, 'applied')
  return editor:answer(path).call_id
end

local function applied(editor, count)
  editor:wait(("return require('wherefore.review.proposal_store').count_applied() == %d"):format(count), count .. ' applied hunks')
end

local function notes(editor)
  return table.concat(editor:notes(), '\n')
end

case(
  'applied: keep one, take one back with a reason, and the last ends it',
  with({ ['a.txt'] = numbered(20) }, function(editor, root)
    editor:edit('a.txt')
    apply(editor, 'a.txt', numbered(20, three))
    lacks(editor:screen(), '1/3', 'nothing is drawn before it is asked for')
    eq(editor:lua("return require('wherefore').statusline()"), '')
    editor:cmd('Wherefore applied')
    applied(editor, 3)
    has(notes(editor), '3 hunks were applied with nobody looking; :Wherefore applied off leaves')
    eq(editor:lua("return require('wherefore').statusline()"), '3 applied')
    eq(editor:call('nvim_win_get_cursor', 0)[1], 2)
    local screen = sees(editor, '1/3 applied')
    for _, part in ipairs({ '1/3 applied', 'Spell the numbers out', 'keep', 'take back', 'TWO', 'line 2', 'line 14' }) do
      has(screen, part)
    end
    assert(screen:find('line 2\n') < screen:find('TWO\n'), 'what was removed stands above what was added:\n' .. screen)
    editor:cmd('Wherefore proposals')
    has(editor:lua('return vim.fn.getqflist()[2].text'), 'applied edit 2/3')
    editor:cmd('cclose')

    editor:keys('gwy')
    editor:wait('return vim.api.nvim_win_get_cursor(0)[1] == 8', 'the next hunk')
    has(notes(editor), 'kept 1/3; 2 hunks left in this file')
    editor:keys('gwR')
    editor:keys('eight stays a digit<CR>')
    applied(editor, 1)
    eq(table.concat(editor:lines(), '\n') .. '\n', numbered(20, { [2] = 'TWO', [14] = 'FOURTEEN' }))
    eq(child.bytes(root .. '/a.txt'), numbered(20, { [2] = 'TWO', [14] = 'FOURTEEN' }))
    editor:wait('return vim.api.nvim_win_get_cursor(0)[1] == 14', 'the last hunk')
    editor:keys('gwr')
    applied(editor, 0)
    has(notes(editor), 'all that was applied has been looked at')
    eq(child.bytes(root .. '/a.txt'), numbered(20, { [2] = 'TWO' }))
    lacks(editor:screen(), 'applied Spell')
    eq(editor:lua("return vim.fn.maparg('gwy', 'n')"), '', 'the keys are gone')
    editor:agent('told', 'fs.read', { path = 'a.txt', why = 'See what the person made of it' })
    has(vim.json.encode(editor:answer('told')), 'eight stays a digit')
    editor:cmd('Wherefore applied')
    editor:wait("return table.concat(vim.tbl_map(function(n) return n[1] end, _G.notes)):find('nothing was applied that nobody') ~= nil", 'the message')
  end)
)

case(
  'applied: beside a hunk that waits, with typing, and left with off',
  with({ ['a.txt'] = numbered(20) }, function(editor, root)
    editor:edit('a.txt')
    apply(editor, 'a.txt', numbered(20, three))
    editor:wait("return vim.api.nvim_buf_get_lines(0, 1, 2, false)[1] == 'TWO'", 'the text')
    editor:agent('p', 'fs.write', { path = 'a.txt', content = numbered(20, vim.tbl_extend('force', three, { [18] = 'EIGHTEEN' })), why = 'Spell one more number out' })
    editor:pending(1)
    editor:cmd('Wherefore applied')
    applied(editor, 3)
    eq(editor:lua("return require('wherefore').statusline()"), '1 hunk in 1 file, 3 applied')
    editor:keys('ggOtyped<Esc>')
    vim.wait(200)
    editor:keys('gg')
    local rows = {}
    for _ = 1, 4 do
      editor:keys(']v')
      table.insert(rows, editor:call('nvim_win_get_cursor', 0)[1])
    end
    eq(rows, { 3, 9, 15, 19 })
    editor:cmd('Wherefore applied off')
    eq(editor:lua("return require('wherefore').statusline()"), '1 hunk in 1 file')
    lacks(editor:screen(), 'applied Spell')
    sees(editor, 'EIGHTEEN')
    editor:cmd('Wherefore applied off')
    has(notes(editor), ':Wherefore applied shows them')
    editor:cmd('Wherefore applied')
    applied(editor, 3)
    editor:keys('gwX')
    applied(editor, 0)
    editor:pending(0)
    eq(table.concat(editor:lines(), '\n') .. '\n', 'typed\n' .. numbered(20))
    eq(child.bytes(root .. '/a.txt'), numbered(20, three), 'what is unsaved stays so')
  end)
)

case(
  'applied: since a call, and what is applied meanwhile; all of it taken back, new files too',
  with({ ['a.txt'] = 'a\n', ['b.txt'] = 'b\n', ['c.txt'] = 'c\n' }, function(editor, root)
    editor:edit('a.txt')
    local first = apply(editor, 'a.txt', 'A\n')
    editor:cmd('Wherefore applied c-0400')
    editor:wait("return table.concat(vim.tbl_map(function(n) return n[1] end, _G.notes)):find('since c%-0400') ~= nil", 'the message')
    editor:cmd('Wherefore applied soon')
    editor:wait("return table.concat(vim.tbl_map(function(n) return n[1] end, _G.notes)):find('is no point in the log') ~= nil", 'the message')
    apply(editor, 'b.txt', 'B\n')
    editor:cmd('Wherefore applied ' .. first)
    applied(editor, 1)
    eq(editor:call('nvim_buf_get_name', 0), root .. '/b.txt')
    apply(editor, 'new.txt', 'new\n')
    applied(editor, 2)
    editor:keys(']v')
    eq(editor:call('nvim_buf_get_name', 0), root .. '/new.txt')
    sees(editor, 'applied: a new file')
    editor:agent('p', 'fs.write', { path = 'c.txt', content = 'C\n', why = 'Turn the letter into a capital' })
    editor:pending(1)
    editor:cmd('Wherefore reject-all')
    applied(editor, 0)
    editor:pending(0)
    lacks(notes(editor), 'no pending hunk', 'each is decided once')
    local all = vim.tbl_map(function(path)
      return child.bytes(root .. '/' .. path) or '(none)'
    end, { 'a.txt', 'b.txt', 'c.txt', 'new.txt' })
    eq(all, { 'A\n', 'b\n', 'c\n', '(none)' })
  end)
)

case(
  'applied: all is rejected at once, what waits and what was applied',
  with({ ['a.txt'] = 'a\n', ['b.txt'] = 'b\n' }, function(editor, root)
    editor:edit('a.txt')
    apply(editor, 'a.txt', 'A\n')
    editor:agent('p', 'fs.write', { path = 'b.txt', content = 'B\n', why = 'Turn the letter into a capital' })
    editor:pending(1)
    editor:cmd('Wherefore status')
    editor:wait("return vim.fn.execute('messages'):find('1 hunk was applied with nobody looking', 1, true) ~= nil", 'the status')
    editor:keys('<CR>')
    editor:cmd('Wherefore applied')
    applied(editor, 1)
    editor:cmd('Wherefore reject-all')
    editor:pending(0)
    applied(editor, 0)
    eq({ child.bytes(root .. '/a.txt'), child.bytes(root .. '/b.txt') }, { 'a\n', 'b\n' })
    lacks(notes(editor), 'no pending hunk', 'each is decided once')
  end)
)

--- Whole-file changes: the old text, the new one, and what the screen must show of the old one.
local shapes = {
  { 'line 1 is changed', numbered(5), numbered(5, { 'FIRST' }), { 'line 1', 'FIRST' } },
  { 'a removal', numbered(9), numbered(9, { [4] = false }), { 'line 4' } },
  { 'line 1 is removed', numbered(4), numbered(4, { false }), { 'line 1' } },
  { 'the last line is removed', numbered(4), numbered(4, { [4] = false }), { 'line 4' } },
  { 'lines behind the last', numbered(5), numbered(7), { 'line 7' } },
  { 'no last line end, and it stays so', 'a\nb', 'a\nB', { 'no line end' } },
  { 'CR LF', 'a\r\nbb\r\nc\r\n', 'a\r\nB2\r\nc\r\n', { 'bb', 'B2' } },
}
for _, shape in ipairs(shapes) do
  local name, old, new, parts = unpack(shape)
  case(
    'applied: ' .. name,
    with({ ['s.txt'] = old }, function(editor, root)
      editor:edit('s.txt')
      apply(editor, 's.txt', new)
      editor:cmd('Wherefore applied')
      applied(editor, 1)
      local screen = sees(editor, parts[1])
      for _, part in ipairs(parts) do
        has(screen, part)
      end
      lacks(screen, 'changed since')
      editor:keys('gwr')
      applied(editor, 0)
      eq(child.bytes(root .. '/s.txt'), old)
    end)
  )
end

case(
  'applied: text changed since is said; the server ends, and the review with it',
  with({ ['a.txt'] = numbered(20) }, function(editor)
    editor:edit('a.txt')
    apply(editor, 'a.txt', numbered(20, three))
    editor:cmd('Wherefore applied')
    applied(editor, 3)
    editor:keys('Aend<Esc>')
    sees(editor, 'its text was changed since; take it back by hand')
    editor:keys('gwr')
    editor:wait("return vim.iter(_G.notes):any(function(n) return n[1]:find('h1', 1, true) ~= nil end)", 'the problem')
    eq(editor:lines()[2], 'TWOend', 'what the person typed stays')
    editor:cmd('Wherefore stop')
    applied(editor, 0)
    lacks(editor:screen(), 'applied Spell')
    lacks(notes(editor), 'has been looked at')
  end)
)

return cases
