-- What another program changed on the disk: offered afterwards, and taken back in the buffer that shows it.
local check = require('check')
local child = require('child')

local eq, numbered, with = check.eq, check.numbered, check.with
local cases, case = check.cases()

local function write(path, text)
  local file = assert(io.open(path, 'w'))
  file:write(text)
  file:close()
end

local function applied(editor, count)
  editor:wait(("return require('wherefore.review.proposal_store').count_applied() == %d"):format(count), count .. ' applied hunks')
end

case(
  'outside: a file that a script changed is read again and its hunks are taken back',
  with({ ['a.txt'] = numbered(20) }, function(editor, root)
    editor:edit('a.txt')
    -- The server notes what files hold once it lists them.
    vim.uv.sleep(3000)
    write(root .. '/a.txt', numbered(20, { [2] = 'TWO', [8] = 'EIGHT' }))
    editor:wait("return vim.fn.getline(2) == 'TWO'", 'the buffer is read again')
    editor:cmd('Wherefore applied')
    applied(editor, 2)
    editor:keys('gwr')
    applied(editor, 1)
    eq(child.bytes(root .. '/a.txt'), numbered(20, { [8] = 'EIGHT' }))
    editor:keys('gwr')
    applied(editor, 0)
    eq(child.bytes(root .. '/a.txt'), numbered(20))
  end)
)

return cases
