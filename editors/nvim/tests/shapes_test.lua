--- Changes of each shape: what the screen shows of one, and that it is applied byte for byte.
local check = require('check')
local child = require('child')

local eq, has, with, numbered = check.eq, check.has, check.with, check.numbered
local cases, case = check.cases()

--- Whole-file changes, as data: a name, the old bytes, the new ones, and what the screen must show.
local shapes = {
  { 'line 1 is changed', numbered(5), numbered(5, { 'FIRST' }), { 'FIRST', '1/1' } },
  { 'a line above line 1', numbered(5), 'zero\n' .. numbered(5), { 'zero', '1/1', 'Shape' } },
  { 'the last line is changed', numbered(60), numbered(60, { [60] = 'LAST' }), { 'LAST' } },
  { 'lines behind the last', numbered(5), numbered(7), { 'line 7' } },
  { 'a removal', numbered(9), numbered(9, { [4] = false, [5] = false }), { '1/1' } },
  { 'line 1 is removed', numbered(4), numbered(4, { false }), { '1/1' } },
  { 'the last line is removed', numbered(4), numbered(4, { [4] = false }), { '1/1' } },
  { 'no last line end, and it stays so', 'a\nb', 'a\nB', { 'B', 'no line end' } },
  { 'a last line end comes', 'a\nb', 'a\nb\n', { '1/1' } },
  { 'a last line end goes', 'a\nb\n', 'a\nb', { 'no line end' } },
  { 'lines behind a last line without end', 'a\nb', 'a\nb\nc', { 'c' } },
  { 'CR LF', 'a\r\nb\r\nc\r\n', 'a\r\nB2\r\nc\r\n', { 'B2' } },
  { 'mixed line ends', 'a\r\nb\nc\r\n', 'a\r\nb\nCC\r\n', { 'CC\\u{d}' } },
  { 'tabs', 'if\n\tx\nend\n', 'if\n\tx\n\ty\tz\nend\n', { '        y       z' } },
  { 'wide characters', '一\n二\n', '一\n弐 two 😀\n', { '弐 two 😀' } },
  { 'a long line is shown whole', 'a\n', ('word '):rep(40) .. 'END\n', { 'END' } },
  { 'control characters', 'a\n', 'x\27[31my\n', { 'x\\u{1b}[31my' } },
  { 'all text goes', 'a\nb\n', '', { '1/1' } },
  { 'text comes into an empty file', '', 'a\nb\n', { 'a', 'b' } },
}
for _, shape in ipairs(shapes) do
  local name, old, new, parts = unpack(shape)
  case(
    'shape: ' .. name,
    with({ ['s.txt'] = old }, function(editor, root)
      editor:edit('s.txt')
      editor:agent('s', 'fs.write', { path = 's.txt', content = new, why = 'Shape the text as the case asks' })
      editor:wait("return require('wherefore').pending() > 0", 'the proposal')
      vim.wait(50)
      editor:cmd('Wherefore next')
      local screen = editor:screen()
      for _, part in ipairs(parts) do
        has(screen, part, 'the screen')
      end
      eq(child.bytes(root .. '/s.txt'), old, 'nothing is written before a decision')
      editor:keys('gwY')
      editor:pending(0)
      eq(child.bytes(root .. '/s.txt'), new, 'the disk')
      eq(editor:lua('return vim.bo.modified'), false)
      editor:lua("local c = vim.lsp.get_clients({ name = 'wherefore' })[1] vim.wait(20)")
      editor:agent('r', 'fs.read', { path = 's.txt', why = 'See what the server holds after the change' })
      eq(editor:answer('r').status, 'ok')
    end)
  )
end

return cases
