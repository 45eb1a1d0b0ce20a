-- Which hunk a key means: one on the screen, or none.
local check = require('check')
local child = require('child')

local eq, has, numbered, with = check.eq, check.has, check.numbered, check.with
local cases, case = check.cases()

--- Proposes two hunks far apart, and puts the cursor on a line.
local function two_far(editor, line)
  editor:edit('a.txt')
  local diff = check.diff('a.txt', numbered(400), numbered(400, { [5] = 'FIVE', [300] = 'THREE HUNDRED' }))
  editor:agent('p', 'fs.patch', { path = 'a.txt', diff = diff, why = 'Spell two numbers out' })
  editor:pending(2)
  editor:cmd(('normal! %dGzz'):format(line))
end

local function row(editor)
  return editor:lua('return vim.api.nvim_win_get_cursor(0)[1]')
end

for _, key in ipairs({ 'gwy', 'gwr', ':Wherefore accept<CR>', ':Wherefore reject no<CR>', ':Wherefore edit<CR>' }) do
  case(
    'aim: with no hunk on the screen ' .. key .. ' decides on nothing and goes to the next one',
    with({ ['a.txt'] = numbered(400) }, function(editor, root)
      two_far(editor, 150)
      editor:keys(key)
      editor:wait('return vim.api.nvim_win_get_cursor(0)[1] == 300', 'the next hunk')
      vim.wait(100)
      editor:pending(2)
      eq(child.bytes(root .. '/a.txt'), numbered(400))
      has(editor:notes()[#editor:notes()], 'nothing is decided')
      editor:keys('gwy')
      editor:pending(1)
      eq(child.bytes(root .. '/a.txt'), numbered(400, { [300] = 'THREE HUNDRED' }))
    end)
  )
end

case(
  'aim: below the last hunk it goes around to the first, and into another file where this one has none',
  with({ ['a.txt'] = numbered(400), ['b.txt'] = numbered(9) }, function(editor)
    two_far(editor, 390)
    editor:keys('gwy')
    editor:wait('return vim.api.nvim_win_get_cursor(0)[1] == 5', 'the first hunk')
    editor:pending(2)
    editor:cmd('edit b.txt')
    editor:cmd('Wherefore reject')
    editor:wait("return vim.fs.basename(vim.api.nvim_buf_get_name(0)) == 'a.txt'", 'the other file')
    editor:pending(2)
  end)
)

case(
  'aim: the nearest of the hunks on the screen is meant',
  with({ ['a.txt'] = numbered(40) }, function(editor, root)
    editor:edit('a.txt')
    local diff = check.diff('a.txt', numbered(40), numbered(40, { [4] = 'FOUR', [12] = 'TWELVE' }))
    editor:agent('p', 'fs.patch', { path = 'a.txt', diff = diff, why = 'Spell two numbers out' })
    editor:pending(2)
    editor:cmd('normal! ggjjjjjjjjj')
    eq(row(editor), 10)
    editor:keys('gwy')
    editor:pending(1)
    eq(child.bytes(root .. '/a.txt'), numbered(40, { [12] = 'TWELVE' }))
  end)
)

case(
  'aim: a hunk in a closed fold is not on the screen',
  with({ ['a.txt'] = numbered(40) }, function(editor)
    editor:edit('a.txt')
    local diff = check.diff('a.txt', numbered(40), numbered(40, { [8] = 'EIGHT' }))
    editor:agent('p', 'fs.patch', { path = 'a.txt', diff = diff, why = 'Spell a number out' })
    editor:pending(1)
    editor:cmd('set foldmethod=manual | 5,12fold | normal! 20G')
    editor:keys('gwy')
    editor:wait('return vim.api.nvim_win_get_cursor(0)[1] == 8', 'the hunk, its fold open')
    vim.wait(100)
    editor:pending(1)
  end)
)

return cases
