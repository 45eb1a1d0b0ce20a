--- Parts of hunks, what is said after a decision, and going on.
local check = require('check')
local child = require('child')

local eq, has, lacks, with, numbered = check.eq, check.has, check.lacks, check.with, check.numbered
local cases, case = check.cases()

local function propose(editor, path, content)
  editor:agent('p', 'fs.write', { path = path, content = content, why = 'Spell the numbers out for the reader' })
  editor:wait("return require('wherefore').pending() > 0", 'the proposal')
  vim.wait(50)
end

--- The old text, the new one, the rows that are selected, and the text after it.
local parts = {
  { 'of two lines the second', 'a\nb\nc\nd\n', 'a\nB\nC\nd\n', '3GV', 'a\nb\nC\nd\n' },
  { 'both are the whole hunk', 'a\nb\nc\nd\n', 'a\nB\nC\nd\n', '2GVj', 'a\nB\nC\nd\n' },
  { 'of a removal one line', 'a\nb\nc\nd\n', 'a\nd\n', '2GV', 'a\nc\nd\n' },
  { 'lines that become more', 'x\nfoo = 1\nbar = 2\ny\n', 'x\nfoo = 10\nnew = 3\nbar = 20\ny\n', '3GV', 'x\nfoo = 1\nbar = 20\ny\n' },
  { 'CR LF', 'a\r\nb\r\nc\r\n', 'a\r\nB\r\nC\r\n', '2GV', 'a\r\nB\r\nc\r\n' },
  { 'no last line end', 'a\nb\nc', 'a\nB\nC', '2GV', 'a\nB\nc' },
}
for _, part in ipairs(parts) do
  local name, old, new, select, want = unpack(part)
  case(
    'part: ' .. name,
    with({ ['s.txt'] = old }, function(editor, root)
      editor:edit('s.txt')
      propose(editor, 's.txt', new)
      editor:keys(select .. 'gwy')
      editor:pending(0)
      eq(child.bytes(root .. '/s.txt'), want)
      eq(editor:call('nvim_get_mode').mode, 'n')
    end)
  )
end

case(
  'part: of a new file, of a deletion, with a range, where there is none; the agent reads what was taken',
  with({ ['a.txt'] = 'a\nb\nc\n', ['other.txt'] = 'x\n' }, function(editor, root)
    editor:edit('a.txt')
    propose(editor, 'new.txt', 'one\ntwo\nthree\n')
    editor:keys(']v')
    has(editor:call('nvim_buf_get_name', 0), 'wherefore://proposal/')
    editor:keys('ggVjgwy')
    editor:pending(0)
    eq(child.bytes(root .. '/new.txt'), 'one\ntwo\n')
    local answer = vim.json.encode(editor:answer('p'))
    has(answer, 'one\\ntwo\\n')
    editor:edit('a.txt')
    propose(editor, 'a.txt', 'A\nB\nc\n')
    editor:cmd('1Wherefore accept')
    editor:pending(0)
    eq(child.bytes(root .. '/a.txt'), 'A\nb\nc\n')
    has(table.concat(editor:notes(), '\n'), 'accepted a part of 1/1; nothing else waits')
    propose(editor, 'a.txt', 'A\nb\nC\n')
    editor:cmd('1Wherefore accept')
    has(editor:notes()[#editor:notes()], 'no hunk that waits is in these lines')
    eq(editor:lua("return require('wherefore').pending()"), 1)
  end)
)

case(
  'going on: what is left is said, here and elsewhere; typing stops it, and so does the option',
  with({ ['a.txt'] = numbered(30), ['b.txt'] = numbered(9) }, function(editor)
    editor:edit('a.txt')
    propose(editor, 'b.txt', numbered(9, { [2] = 'TWO', [6] = 'SIX' }))
    propose(editor, 'a.txt', numbered(30, { [2] = 'TWO', [20] = 'TWENTY' }))
    editor:pending(4)
    editor:keys('gg]vgwr')
    editor:wait('return vim.api.nvim_win_get_cursor(0)[1] == 20', 'the next hunk')
    has(table.concat(editor:notes(), '\n'), 'rejected 1/2; 1 hunk left in this file')
    editor:keys('gwy')
    editor:pending(2)
    vim.wait(50)
    has(table.concat(editor:notes(), '\n'), 'accepted 2/2; 2 hunks wait in another file · ]v goes there')
    editor:lua("require('wherefore').setup({ advance = false, cmd = require('wherefore.config').current.cmd })")
    editor:wait("return vim.fs.basename(vim.api.nvim_buf_get_name(0)) == 'b.txt'", 'the next file')
    editor:keys('gwy')
    editor:pending(1)
    vim.wait(100)
    eq(editor:call('nvim_win_get_cursor', 0)[1], 2, 'the cursor stays')
    editor:cmd('Wherefore reject-all')
    editor:pending(0)
    vim.wait(50)
    has(table.concat(editor:notes(), '\n'), 'all is decided: 2 accepted, 2 rejected in 2 files')
    lacks(table.concat(editor:notes(), '\n'), '(s)')
  end)
)

case(
  'keys: those that go to a hunk work in every buffer, and cover no mapping of a person',
  with({ ['a.txt'] = numbered(9), ['b.txt'] = 'b\n' }, function(editor, root)
    editor:edit('b.txt')
    propose(editor, 'a.txt', numbered(9, { [5] = 'FIVE' }))
    editor:cmd('enew')
    editor:keys(']v')
    eq(editor:call('nvim_buf_get_name', 0), root .. '/a.txt')
    eq(editor:call('nvim_win_get_cursor', 0)[1], 5)
    -- The format operator is as it was.
    editor:keys('ggOa long line that is folded by it<Esc>:set tw=12<CR>gwipgg')
    eq(editor:lines()[1], 'a long line')
    editor:lua("vim.keymap.set('n', ']z', 'x') require('wherefore').setup({ keys = { next = ']z' } })")
    eq(editor:lua("return vim.fn.maparg(']z', 'n')"), 'x')
  end)
)

return cases
