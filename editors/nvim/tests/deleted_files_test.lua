-- Files that a decision removes: what shows them closes, and nothing brings them back unasked.
local check = require('check')
local child = require('child')

local eq, has, numbered, with = check.eq, check.has, check.numbered, check.with
local cases, case = check.cases()

--- Proposes to remove a file that is open.
local function propose(editor)
  editor:edit('a.txt')
  local diff = '--- a/a.txt\n+++ /dev/null\n@@ -1,9 +0,0 @@\n' .. numbered(9):gsub('[^\n]+\n', '-%0')
  editor:agent('d', 'fs.patch', { path = 'a.txt', diff = diff, why = 'Nothing reads this file any more' })
  editor:pending(1)
end

local function is_open(editor, name)
  return editor:lua('return vim.fn.bufexists(...) == 1', name)
end

case(
  'gone: an accepted deletion of an open file closes it in every window',
  with({ ['a.txt'] = numbered(9), ['b.txt'] = 'b\n' }, function(editor, root)
    editor:cmd('edit b.txt')
    propose(editor)
    editor:cmd('vsplit | tabnew a.txt | tabfirst')
    editor:keys('gwy')
    editor:pending(0)
    eq(child.bytes(root .. '/a.txt'), nil, 'the file')
    eq(is_open(editor, root .. '/a.txt'), false, 'its buffer')
    eq(editor:lua('return { #vim.api.nvim_list_tabpages(), #vim.api.nvim_tabpage_list_wins(0) }'), { 2, 2 }, 'tabs and windows stay')
    editor:cmd('silent! wall')
    eq(child.bytes(root .. '/a.txt'), nil, 'the file, after a save of everything')
    local said = editor:answer('d')
    eq(said.status, 'ok')
    editor:agent('l', 'fs.read', { path = 'a.txt', why = 'See whether the file is gone' })
    eq(editor:answer('l').error.code, 'NOT_FOUND')
  end)
)

case(
  'gone: what is typed in it is kept, and said',
  with({ ['a.txt'] = numbered(9) }, function(editor, root)
    propose(editor)
    editor:lua("vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'mine' })")
    os.remove(root .. '/a.txt')
    editor:lua(
      [[
      local file = { kind = 'delete', uri = vim.uri_from_fname(...), hunks = { { state = 'accepted' } } }
      local deleted_files = require('wherefore.review.deleted_files')
      deleted_files.close_buffers(deleted_files.find_deleted({ { files = { file } } }))
    ]],
      root .. '/a.txt'
    )
    eq(is_open(editor, root .. '/a.txt'), true)
    eq(editor:lines()[1], 'mine')
    has(editor:notes()[#editor:notes()], 'not saved: :w brings it back')
  end)
)

case(
  'gone: a new file that an undo takes away closes',
  with({ ['b.txt'] = 'b\n' }, function(editor, root)
    editor:edit('b.txt')
    editor:agent('m', 'fs.write', { path = 'made.txt', content = 'made\n', why = 'Have a file to take away' }, 'auto')
    eq(editor:answer('m').status, 'ok')
    editor:edit('made.txt')
    editor:cmd('Wherefore undo')
    editor:wait(('return vim.fn.bufexists(%q) == 0'):format(root .. '/made.txt'), 'the end of its buffer')
    eq(child.bytes(root .. '/made.txt'), nil)
  end, nil, '[review]\npolicy = "auto"\n')
)

return cases
