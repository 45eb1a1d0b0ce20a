--- The rest of the plugin: options, messages, the log that follows, the health check, a server that is not there.
local check = require('check')

local eq, has, with = check.eq, check.has, check.with

local cases, case = check.cases()

case(
  'options that are wrong are named',
  with({}, function(editor)
    local wrong = {
      { { colour = 'red' }, 'colour is not an option; there are: advance, autostart, banner, cmd' },
      { { notify = 'loud' }, "option notify must be 'all', 'writes' or 'none'; it is \"loud\"" },
      { { cmd = 'wherefore lsp' }, 'option cmd must be a list of strings' },
      { { keys = { acept = 'ga' } }, 'keys.acept is not a key that can be set; there are: accept, accept_file' },
      { { keys = { accept = 3 } }, 'keys.accept must be a key as a string' },
    }
    for _, item in ipairs(wrong) do
      local said = editor:lua("return select(2, pcall(require('wherefore').setup, ...))", item[1])
      has(tostring(said), item[2], 'the error')
    end
  end)
)

case(
  'own keys, and keys that were there before, come back',
  with({ ['a.txt'] = 'a\n' }, function(editor)
    editor:edit('a.txt')
    editor:cmd('nnoremap <buffer> ga :let g:mine = 1<CR>')
    editor:agent('a', 'fs.write', { path = 'a.txt', content = 'b\n', why = 'Turn the letter into the next one' })
    editor:pending(1)
    editor:keys('ga')
    editor:pending(0)
    eq(editor:lines(), { 'b' })
    editor:keys('ga')
    eq(editor:lua('return vim.g.mine'), 1, 'the mapping that was covered')
  end, { keys = { accept = 'ga', reject = false } })
)

case(
  'a call is told with its why, a refused one with its fault',
  with({ ['a.txt'] = 'a\n' }, function(editor)
    editor:edit('a.txt')
    editor:agent('r', 'fs.read', { path = 'a.txt', why = 'See which letter the file begins with' })
    editor:answer('r')
    editor:wait('return #_G.notes > 0', 'a message')
    eq(editor:notes(), { 'fs.read a.txt: See which letter the file begins with' })
    editor:agent('m', 'fs.read', { path = 'a.txt' })
    editor:answer('m')
    editor:wait("return vim.iter(_G.notes):any(function(n) return n[1]:find('MISSING_WHY', 1, true) ~= nil end)", 'the fault')
  end)
)

case(
  'many calls are folded',
  with({ ['a.txt'] = 'a\n' }, function(editor)
    editor:edit('a.txt')
    for n = 1, 60 do
      editor:agent('r' .. n, 'fs.read', { path = 'a.txt', why = 'See whether letter ' .. n .. ' has come by now' })
    end
    editor:answer('r60')
    -- A slow machine takes several seconds for them, and says something in each.
    editor:wait([[
      local told = 0
      for _, note in ipairs(_G.notes) do
        told = told + (tonumber(note[1]:match('(%d+) more calls')) or 1)
      end
      return told == 60
    ]], 'all of them, shown or counted')
    local notes = editor:notes()
    assert(#notes >= 5 and #notes <= 40, #notes .. ' messages')
    has(table.concat(notes, '\n'), 'fs.read), the last: fs.read a.txt: See whether')
  end)
)

case(
  "notify = 'none' says nothing of calls",
  with({ ['a.txt'] = 'a\n' }, function(editor)
    editor:edit('a.txt')
    editor:agent('w', 'fs.write', { path = 'a.txt', content = 'b\n', why = 'Turn the letter into the next one' })
    editor:pending(1)
    vim.wait(300)
    eq(editor:notes(), {})
  end, { notify = 'none' })
)

case(
  'the log follows',
  with({ ['a.txt'] = 'a\n' }, function(editor)
    editor:edit('a.txt')
    editor:agent('r', 'fs.read', { path = 'a.txt', why = 'See which letter the file begins with' })
    editor:answer('r')
    editor:cmd('Wherefore log')
    editor:wait("return vim.fn.bufname():find('wherefore://log') ~= nil and vim.fn.search('begins with', 'nbw') > 0", 'the log')
    eq(editor:lua('return vim.bo.modifiable'), false)
    eq(editor:lua('return vim.bo.filetype'), 'wherefore-log')
    editor:agent('s', 'fs.read', { path = 'a.txt', why = 'See which letter the file ends with' })
    editor:answer('s')
    editor:wait("return vim.fn.search('ends with', 'nbw') > 0 and vim.fn.line('.') == vim.fn.line('$')", 'the new part')
    eq(editor:lua("return #vim.fn.win_findbuf(vim.api.nvim_get_current_buf())"), 1)
    editor:cmd('Wherefore log')
    eq(editor:lua("return #vim.api.nvim_tabpage_list_wins(0)"), 2, 'no second window')
    local long = table.concat(vim.fn.range(1, 20), '\n') .. '\n'
    editor:agent('w', 'fs.write', { path = 'a.txt', content = long, why = 'Count to twenty for the reader' })
    editor:wait("return vim.fn.search('^ *proposal p-.*a.txt', 'nw') > 0", 'the change')
    editor:wait("return vim.fn.foldclosed(vim.fn.search('^ *+13$', 'nw')) == vim.fn.search('^ *proposal p-', 'nw')", 'a long change is folded')
    has(editor:screen(), '23 lines: proposal')
  end)
)

case(
  'a program that is not there is told once',
  with({ ['a.txt'] = 'a\n', ['b.txt'] = 'b\n' }, function(editor)
    editor:cmd('edit a.txt')
    editor:cmd('edit b.txt')
    vim.wait(100)
    eq(editor:notes(), { 'wherefore: no-such-program was not found; put it on the PATH, or set cmd in setup(), then :Wherefore restart' })
    editor:cmd('checkhealth wherefore')
    has(table.concat(editor:lines(), '\n'), 'no-such-program was not found')
  end, { cmd = { 'no-such-program', 'lsp' } })
)

case(
  'a program that ends at once is told, and not started again and again',
  with({ ['a.txt'] = 'a\n', ['b.txt'] = 'b\n' }, function(editor)
    editor:cmd('edit a.txt')
    editor:wait('return #_G.notes > 0', 'the message')
    editor:cmd('edit b.txt')
    vim.wait(300)
    local told = vim.tbl_filter(function(note)
      return note:find(':Wherefore restart', 1, true)
    end, editor:notes())
    eq(#told, 1)
  end, { cmd = { 'false' } })
)

case(
  'one server a workspace, also where the folder asks for it before a file is open',
  with({ ['.wherefore/config.toml'] = '', ['a.txt'] = 'a\n', ['sub/b.txt'] = 'b\n' }, function(editor)
    editor:cmd('edit sub/b.txt')
    editor:edit('a.txt')
    eq(editor:lua("return #require('wherefore.server.client').list_clients()"), 1)
    editor:cmd('Wherefore restart')
    editor:edit('sub/b.txt')
    eq(editor:lua("return #require('wherefore.server.client').list_clients()"), 1)
    editor:cmd('Wherefore stop')
    editor:wait("return #require('wherefore.server.client').list_clients() == 0", 'the end')
    eq(#vim.tbl_filter(function(note)
      return note:find('ended', 1, true)
    end, editor:notes()), 0, 'a stop that was asked for is no news')
  end)
)

case(
  'the health check',
  with({ ['a.txt'] = 'a\n' }, function(editor, root)
    editor:edit('a.txt')
    editor:cmd('checkhealth wherefore')
    local text = table.concat(editor:lines(), '\n')
    for _, part in ipairs({ 'Neovim 0.', 'setup() was called', 'wherefore 0.', 'a server runs for ' .. root, '0 hunks wait', 'doctor' }) do
      has(text, part, 'the report')
    end
  end)
)

case(
  'the command completes, and a wrong word is told',
  with({}, function(editor)
    local words = editor:lua("return vim.fn.getcompletion('Wherefore a', 'cmdline')")
    eq(words, { 'accept', 'accept-all', 'accept-file', 'answer', 'applied', 'ask' })
    editor:cmd('Wherefore acept')
    has(editor:notes()[1], 'there is no :Wherefore acept')
  end)
)

return cases
