--- A hunk is changed before it is accepted.
local check = require('check')
local child = require('child')

local eq, has, lacks, with, numbered = check.eq, check.has, check.lacks, check.with, check.numbered
local cases, case = check.cases()

local changes = { [2] = 'TWO', [8] = 'EIGHT' }

local function propose(editor, path, content)
  editor:edit(path)
  editor:agent('p', 'fs.write', { path = path, content = content, why = 'Spell the numbers out for the reader' })
  editor:wait("return require('wherefore').pending() > 0", 'the proposal')
  vim.wait(50)
  editor:keys('gg]v')
end

case(
  'edit: :w accepts the hunk with the text as changed, and the agent reads it',
  with({ ['a.lua'] = numbered(10) }, function(editor, root)
    propose(editor, 'a.lua', numbered(10, changes))
    editor:keys('gwc')
    has(editor:call('nvim_buf_get_name', 0), 'wherefore://edit/')
    eq(editor:lines(), { 'TWO' })
    eq(editor:lua('return vim.bo.filetype'), 'lua')
    has(editor:notes()[#editor:notes()], ':w accepts the hunk with this text, :q! leaves it')
    editor:keys('cctwo by hand<CR>and a half<Esc>:w<CR>')
    editor:pending(1)
    editor:wait('return #vim.api.nvim_list_wins() == 1', 'the end of the split')
    eq(editor:call('nvim_buf_get_name', 0), root .. '/a.lua')
    local want = numbered(10, { [2] = 'two by hand\nand a half' })
    eq(table.concat(editor:lines(), '\n') .. '\n', want)
    eq(child.bytes(root .. '/a.lua'), want)
    editor:cmd('Wherefore reject-all')
    has(vim.json.encode(editor:answer('p')), 'two by hand')
    eq(editor:lua("return #vim.tbl_filter(function(b) return vim.api.nvim_buf_get_name(b):find('wherefore://', 1, true) ~= nil end, vim.api.nvim_list_bufs())"), 0)
  end)
)

case(
  'edit: :q! leaves the hunk as it was; unchanged text is a plain accept; :wq too',
  with({ ['a.txt'] = numbered(10) }, function(editor, root)
    propose(editor, 'a.txt', numbered(10, changes))
    editor:cmd('Wherefore edit')
    editor:keys('ccnothing<Esc>')
    has(editor:lua("return tostring(select(2, pcall(vim.cmd, 'quit')))"), 'E37')
    editor:keys(':e!<CR>')
    eq(editor:lines(), { 'TWO' })
    editor:keys('ccnothing<Esc>:q!<CR>')
    editor:wait('return #vim.api.nvim_list_wins() == 1', 'the end of the split')
    eq(editor:lua("return require('wherefore').pending()"), 2)
    eq(child.bytes(root .. '/a.txt'), numbered(10))
    editor:cmd('Wherefore edit')
    eq(editor:lines(), { 'TWO' })
    editor:keys(':wq<CR>')
    editor:pending(1)
    eq(child.bytes(root .. '/a.txt'), numbered(10, { [2] = 'TWO' }))
    editor:cmd('Wherefore reject-all')
    lacks(vim.json.encode(editor:answer('p')), '"text":"TWO')
  end)
)

case(
  'edit: a hunk that is decided meanwhile: the text is kept, also after :wq',
  with({ ['a.txt'] = numbered(10) }, function(editor, root)
    propose(editor, 'a.txt', numbered(10, changes))
    editor:cmd('Wherefore edit')
    editor:keys('ccby hand<Esc>')
    editor:cmd('Wherefore reject-all')
    editor:pending(0)
    editor:keys(':wq<CR>')
    editor:wait("return vim.iter(_G.notes):any(function(n) return n[1]:find('your text is kept', 1, true) ~= nil end)", 'the message')
    eq(editor:lines(), { 'by hand' })
    eq(editor:lua('return vim.bo.modified'), true)
    editor:keys(':q!<CR>')
    editor:wait('return #vim.api.nvim_list_wins() == 1', 'the end of the split')
    eq(child.bytes(root .. '/a.txt'), numbered(10))
  end)
)

--- The old text, the new one, what is typed, and the text after it.
local shapes = {
  { 'all of it goes', 'a\nb\nc\n', 'a\nB\nc\n', 'dd', 'a\nc\n' },
  { 'one blank line', 'a\nb\nc\n', 'a\n\nc\n', '', 'a\n\nc\n' },
  { 'a blank line in its place', 'a\nb\nc\n', 'a\nB\nc\n', 'oX<Esc>ddVcx<BS><Esc>', 'a\n\nc\n' },
  { 'a removal that gets text', 'a\nb\nc\n', 'a\nc\n', 'iX<Esc>', 'a\nX\nc\n' },
  { 'CR LF', 'a\r\nb\r\nc\r\n', 'a\r\nB\r\nc\r\n', 'ccX<CR>Y<Esc>', 'a\r\nX\r\nY\r\nc\r\n' },
  { 'no last line end', 'a\nb', 'a\nB', 'ccX<Esc>', 'a\nX' },
}
for _, shape in ipairs(shapes) do
  local name, old, new, typed, want = unpack(shape)
  case(
    'edit: ' .. name,
    with({ ['s.txt'] = old }, function(editor, root)
      propose(editor, 's.txt', new)
      editor:keys('gwc')
      if typed ~= '' then
        editor:keys(typed)
      end
      editor:keys(':w<CR>')
      editor:pending(0)
      eq(child.bytes(root .. '/s.txt'), want)
    end)
  )
end

case(
  'edit: what adds no text is said',
  with({ ['a.txt'] = 'a\n' }, function(editor)
    editor:edit('a.txt')
    editor:cmd('Wherefore edit')
    has(editor:notes()[1], 'nothing waits')
    editor:agent('m', 'fs.mkdir', { path = 'sub/folder', why = 'Make room for the parts to come' })
    editor:pending(1)
    editor:cmd('Wherefore next')
    editor:cmd('Wherefore edit')
    has(editor:notes()[#editor:notes()], 'adds no text; accept or reject it')
  end)
)

return cases
