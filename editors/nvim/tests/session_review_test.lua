--- All that was changed in a session on one page, the list of hunks with their diffs, and the line that stays.
local check = require('check')
local child = require('child')

local eq, has, lacks, sees, with, numbered = check.eq, check.has, check.lacks, check.sees, check.with, check.numbered
local cases, case = check.cases()

local auto = '[review]\npolicy = "auto"\n'

--- One file that a policy changed, and one with hunks that wait.
local function two(editor)
  editor:edit('a.txt')
  editor:agent('auto', 'fs.write', { path = 'z.txt', content = 'Z\n', why = 'Turn the letter into a capital' }, 'auto')
  editor:answer('auto')
  editor:agent('p', 'fs.write', {
    path = 'a.txt',
    content = numbered(9, { [2] = 'TWO', [5] = 'FIVE', [8] = 'EIGHT' }),
    why = 'Spell the numbers out for the reader',
  })
  editor:pending(3)
end

local function open(editor)
  editor:cmd('Wherefore session')
  editor:wait("return vim.api.nvim_buf_get_name(0):find('^wherefore://session/') ~= nil", 'the page')
end

case(
  'session: every hunk with its reason and what became of it; each is decided on or taken back there',
  with({ ['a.txt'] = numbered(9), ['z.txt'] = 'z\n' }, function(editor, root)
    two(editor)
    editor:keys('gg]vgwy')
    editor:wait('return vim.api.nvim_win_get_cursor(0)[1] == 5', 'the next hunk')
    editor:keys('gwRfive stays a digit<CR>')
    editor:pending(1)
    open(editor)
    local screen = sees(editor, '2 files, 1 hunk waits, 2 accepted, 1 rejected')
    for _, part in ipairs({
      'a.txt',
      'Spell the numbers out for the reader',
      'test-agent/1 · fs.write · ',
      '1/3 changes 1 line: accepted',
      '- line 2',
      '+ TWO',
      '2/3 changes 1 line: rejected',
      'your word: five stays a digit',
      '3/3 changes 1 line: waits for you',
      'Turn the letter into a capital',
      '1/1 changes 1 line: applied with nobody looking',
    }) do
      has(screen, part)
    end
    -- The first one was accepted by the person: it is taken back.
    editor:keys('gwr')
    sees(editor, '1/3 changes 1 line: rejected')
    eq(child.bytes(root .. '/a.txt'), numbered(9))
    editor:keys('gwr')
    has(table.concat(editor:notes(), '\n'), 'this hunk was rejected; nothing of it stands in the file')
    editor:keys(']v]vgwy')
    editor:pending(0)
    sees(editor, '3/3 changes 1 line: accepted')
    eq(child.bytes(root .. '/a.txt'), numbered(9, { [8] = 'EIGHT' }))
    editor:keys(']vgwRthe letter stays small<CR>')
    sees(editor, 'your word: the letter stays small')
    eq(child.bytes(root .. '/z.txt'), 'z\n')
    editor:keys('gwy')
    eq(child.bytes(root .. '/z.txt'), 'z\n', 'what was taken back is not accepted again')
    editor:keys('[v[vK')
    sees(editor, 'a.txt; rejected')
    editor:keys('<Esc>ggq')
    editor:wait('return #vim.api.nvim_list_tabpages() == 1', 'the end of the page')
  end, nil, auto)
)

case(
  'session: it follows what comes, opens files, and takes another session or all',
  with({ ['a.txt'] = numbered(9), ['z.txt'] = 'z\n' }, function(editor, root)
    editor:edit('a.txt')
    editor:cmd('Wherefore session all')
    sees(editor, 'nothing was changed')
    editor:keys('q')
    two(editor)
    open(editor)
    editor:agent('more', 'fs.write', { path = 'new.lua', content = 'return 1\n', why = 'Add what the test needs' })
    sees(editor, '1/1 new file: waits for you')
    lacks(editor:screen(), 'goes there', 'the page shows all that waits')
    editor:keys('gg]v]v<CR>')
    editor:wait("return vim.api.nvim_buf_get_name(0):find('a.txt$') ~= nil", 'the file')
    eq(editor:call('nvim_win_get_cursor', 0)[1], 5)
    editor:cmd('Wherefore session all')
    sees(editor, 'Every session that is kept')
    has(table.concat(editor:lua("return require('wherefore.command').complete('', 'Wherefore session ')"), ' '), 'all')
    editor:cmd('Wherefore session none-such')
    sees(editor, 'Session none-such: nothing was changed')
    eq(child.bytes(root .. '/a.txt'), numbered(9))
  end, nil, auto)
)

case(
  'banner: what waits in files that no window shows, until they are shown; off by the option',
  with({ ['a.txt'] = 'a\n', ['b.txt'] = numbered(9), ['c.txt'] = 'c\n' }, function(editor)
    editor:edit('a.txt')
    editor:agent('b', 'fs.write', { path = 'b.txt', content = numbered(9, { [2] = 'TWO', [6] = 'SIX' }), why = 'Spell the numbers out' })
    sees(editor, '2 hunks wait in another file · ]v goes there')
    editor:agent('c', 'fs.write', { path = 'c.txt', content = 'C\n', why = 'Turn the letter into a capital' })
    sees(editor, '3 hunks wait in 2 other files · ]v goes there')
    eq(editor:lua('return #vim.api.nvim_list_wins()'), 2)
    editor:keys(']v')
    sees(editor, '1 hunk waits in another file · ]v goes there')
    editor:cmd('vsplit c.txt')
    vim.wait(50)
    lacks(editor:screen(), 'goes there')
    editor:cmd('only')
    sees(editor, '2 hunks wait in another file')
    editor:lua("require('wherefore').setup({ banner = false, cmd = require('wherefore.config').current.cmd })")
    editor:cmd('Wherefore reject-file')
    editor:pending(2)
    vim.wait(50)
    lacks(editor:screen(), 'wait in')
  end)
)

case(
  'list: a picker that is there shows each hunk with its diff, and opens it',
  with({ ['a.txt'] = 'a\n', ['b.txt'] = numbered(9) }, function(editor, root)
    editor:edit('a.txt')
    editor:lua([[
      package.loaded['snacks'] = { picker = { pick = function(opts)
        _G.handed = { preview = opts.preview, shown = vim.tbl_map(function(item) return { item.text, item.preview } end, opts.items) }
        opts.confirm({ close = function() end }, opts.items[2])
      end } }
    ]])
    editor:agent('b', 'fs.write', { path = 'b.txt', content = numbered(9, { [2] = 'TWO', [6] = false }), why = 'Spell the numbers out' })
    editor:pending(2)
    editor:cmd('Wherefore proposals')
    eq(editor:lua('return _G.handed'), {
      preview = 'preview',
      shown = {
        {
          'b.txt:2: edit 1/2 changes 1 line: Spell the numbers out',
          { text = 'Spell the numbers out\n\n@@ line 2 @@\n-line 2\n+TWO', ft = 'diff' },
        },
        {
          'b.txt:6: edit 2/2 removes 1 line: Spell the numbers out',
          { text = 'Spell the numbers out\n\n@@ line 6 @@\n-line 6', ft = 'diff' },
        },
      },
    })
    editor:wait(('return vim.api.nvim_buf_get_name(0) == %q'):format(root .. '/b.txt'), 'the file')
    eq(editor:call('nvim_win_get_cursor', 0)[1], 6)
  end)
)

case(
  'calls: at 64 columns the list is as high as its rows, and shows reasons; K shows all of one',
  with({ ['a.txt'] = 'a\n' }, function(editor)
    editor:edit('a.txt')
    editor:lua('vim.o.columns = 64')
    local why = 'See which letter the file begins with, so that the next one can be put behind it without a gap'
    editor:agent('r', 'fs.read', { path = 'a.txt', why = why })
    editor:answer('r')
    editor:cmd('Wherefore calls')
    sees(editor, 'See which letter')
    eq(editor:lua('return vim.api.nvim_win_get_height(0)'), 1)
    editor:keys('K')
    sees(editor, 'fs.read: ok')
    editor:keys('K')
    editor:wait("return vim.api.nvim_get_current_line():find('See which') == 1", 'the cursor in the float')
    has(table.concat(editor:lines(), ' '), why)
    editor:keys('q')
    editor:wait('return #vim.api.nvim_list_wins() == 2', 'the list alone')
    editor:keys('q')
    eq(editor:lua('return #vim.api.nvim_list_wins()'), 1)
  end)
)

case(
  'warnings are whole: one that is too long for the message line stands in a float, and goes by itself',
  with({ ['a.txt'] = 'a\n' }, function(editor)
    editor:edit('a.txt')
    editor:lua('vim.o.columns = 64')
    local warning = ('a warning with many words in it, '):rep(6) .. 'and its end'
    editor:lua(
      [[
      vim.notify = _G.plain_notify
      require('wherefore.messages').warn(...)
    ]],
      warning
    )
    editor:wait('return #vim.api.nvim_list_wins() == 2', 'the float')
    has((editor:screen():gsub('[│%s]+', ' ')), 'and its end')
    eq(editor:call('nvim_get_mode').blocking, false, 'no key is asked for')
    eq(editor:call('nvim_get_current_win'), editor:lua('return vim.api.nvim_list_wins()[1]'))
    vim.wait(1700)
    editor:keys('ix<Esc>')
    editor:wait('return #vim.api.nvim_list_wins() == 1', 'the end of the float')
  end)
)

return cases
