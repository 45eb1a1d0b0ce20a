--- Why lines are so: the float on a line and a range, its keys, and the text behind the cursor's line.
local check = require('check')

local eq, has, lacks = check.eq, check.has, check.lacks
local with, numbered = check.with, check.numbered
local cases, case = check.cases()

local why = 'The second line greets, so that whoever reads it feels welcome'

--- An agent changes lines 2 and 6 of a file, and the person accepts the first with a reason; the second stays as it was.
local function accepted(editor)
  editor:edit('a.txt')
  editor:agent('p', 'fs.write', { path = 'a.txt', content = numbered(9, { [2] = 'hello', [6] = 'SIX' }), why = why })
  editor:pending(2)
  editor:lua([[
    local proposal = require('wherefore.review.proposal_store').list_entries()[1].proposal
    local hunks = proposal.files[1].hunks
    local function decide(hunk, act, reason)
      require('wherefore.review.decisions').send(vim.lsp.get_clients({ name = 'wherefore' })[1].id, { proposal = proposal.id, hunks = { hunk.id }, act = act, reason = reason }, function() end)
    end
    decide(hunks[1], 'accept', 'short and friendly')
    decide(hunks[2], 'reject')
  ]])
  editor:pending(0)
  editor:wait("return vim.api.nvim_buf_get_lines(0, 1, 2, false)[1] == 'hello'", 'the accepted line')
  editor:answer('p')
end

local floats = "return #vim.tbl_filter(function(win) return vim.api.nvim_win_get_config(win).relative ~= '' end, vim.api.nvim_list_wins())"

local function float_is(editor, count)
  editor:wait(floats .. (' == %d'):format(count), count .. ' floats')
end

--- The screen on one row.
local function flat(editor)
  return (editor:screen():gsub('[│▎]', ''):gsub('%s+', ' '))
end

case(
  'why: of a line says the reason, the agent, the call and the decision with its reason; the float closes as others do',
  with({ ['a.txt'] = numbered(9) }, function(editor)
    accepted(editor)
    editor:keys('2G:Wherefore why<CR>')
    float_is(editor, 1)
    local screen = flat(editor)
    has(screen, why)
    has(screen, 'test-agent/1 · fs.write · c-0001')
    has(screen, 'accepted by a person')
    has(screen, ': short and friendly')
    editor:keys('j')
    float_is(editor, 0)
    editor:keys(':Wherefore why<CR>')
    float_is(editor, 1)
    lacks(flat(editor), why, 'the next line has no call')
    editor:keys('k')
    float_is(editor, 0)
    editor:keys(':2,6Wherefore why<CR>')
    float_is(editor, 1)
    screen = flat(editor)
    has(screen, 'line 2: ' .. why)
    has(screen, 'lines 3-6: ')
  end)
)

case(
  'why: of a line whose call stands in a log that was altered says so, and takes nothing from there',
  with({ ['a.txt'] = numbered(9) }, function(editor, root)
    accepted(editor)
    local log = vim.fn.glob(root .. '/.wherefore/sessions/*/session-log.md')
    local written = table.concat(vim.fn.readfile(log, 'b'), '\n')
    local altered = written:gsub('so that whoever reads it feels welcome', 'so that whoever reads it feels trusted')
    assert(altered ~= written)
    vim.fn.writefile(vim.split(altered, '\n'), log, 'b')
    editor:keys('2G:Wherefore why<CR>')
    float_is(editor, 1)
    local screen = flat(editor)
    has(screen, why)
    has(screen, 'the session log of this call is damaged, first at session-log.md:')
    has(screen, 'nothing here is taken from it')
    lacks(screen, 'feels trusted')
  end)
)

case(
  'why: a person who types changes the origin of a line, saved or not; the float of a hunk that waits stays as it was',
  with({ ['a.txt'] = numbered(9) }, function(editor)
    accepted(editor)
    editor:keys('2GA!<Esc>')
    editor:keys(':Wherefore why<CR>')
    float_is(editor, 1)
    has(flat(editor), 'a person and an agent both changed this')
    editor:keys('j')
    float_is(editor, 0)
    editor:agent('q', 'fs.patch', { path = 'a.txt', diff = '--- a/a.txt\n+++ b/a.txt\n@@ -8 +8 @@\n-line 8\n+EIGHT\n', why = 'Eight is loud' })
    editor:pending(1)
    editor:keys('8G:Wherefore why<CR>')
    float_is(editor, 1)
    has(flat(editor), 'Eight is loud')
    has(flat(editor), 'waits for you')
  end)
)

case(
  'why: entered, the float opens the log at the call, and shows the change among those of the session',
  with({ ['a.txt'] = numbered(9) }, function(editor)
    accepted(editor)
    editor:keys('2G:Wherefore why<CR>')
    float_is(editor, 1)
    has(flat(editor), 'open in log')
    editor:keys(':Wherefore why<CR>')
    editor:wait("return vim.api.nvim_win_get_config(0).relative ~= ''", 'the float to be entered')
    editor:keys('o')
    editor:wait("return vim.api.nvim_buf_get_name(0):find('wherefore://session/', 1, true) == 1", 'the page of the session')
    has(editor:lua('return vim.api.nvim_get_current_line()'), '1/2 changes 1 line: accepted')
    editor:keys('q')
    editor:keys('2G:Wherefore why<CR>')
    float_is(editor, 1)
    editor:keys(':Wherefore why<CR>')
    editor:wait("return vim.api.nvim_win_get_config(0).relative ~= ''", 'the float to be entered')
    editor:keys('<CR>')
    editor:wait("return vim.bo.filetype == 'wherefore-log' and vim.api.nvim_get_current_line():find('c-0001', 1, true) ~= nil", 'the call in the log')
  end)
)

case(
  'why: behind the line of the cursor where it is set, after what another plugin has there; typing takes it away',
  with({ ['a.txt'] = numbered(9) }, function(editor)
    accepted(editor)
    editor:lua([[
      vim.api.nvim_buf_set_extmark(0, vim.api.nvim_create_namespace('other_blame'), 1, 0, {
        virt_text = { { ' You, 3 days ago', 'Comment' } }, virt_text_pos = 'eol', priority = 100,
      })
    ]])
    editor:keys('2G')
    local screen = check.sees(editor, 'test-agent/1: ' .. why:sub(1, 30))
    local row = screen:match('[^\n]*hello[^\n]*')
    has(row, 'hello  You, 3 days ago')
    assert(row:find('You, 3 days ago', 1, true) < row:find('test-agent/1', 1, true), row)
    editor:keys('i')
    lacks(editor:screen(), 'test-agent/1: The')
    editor:keys('<Esc>4G')
    vim.wait(500)
    lacks(editor:screen(), 'test-agent/1: The', 'no agent wrote line 4')
  end, { why = { virtual_text = true } })
)

case(
  'why: of a line that is older than the record says its commit',
  with({ ['a.txt'] = numbered(9) }, function(editor, root)
    vim.fn.delete(root .. '/.git', 'rf')
    local function git(...)
      local done = vim.system({ 'git', '-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ... }, { cwd = root, text = true }):wait()
      eq(done.code, 0, done.stderr)
    end
    git('init', '--quiet')
    git('add', 'a.txt')
    git('commit', '--quiet', '--message', 'Nine lines to begin with')
    editor:edit('a.txt')
    editor:keys('4G:Wherefore why<CR>')
    float_is(editor, 1)
    local screen = flat(editor)
    has(screen, 'older than what wherefore recorded')
    has(screen, '· Ann · ')
    has(screen, 'Nine lines to begin with')
  end)
)

case(
  'why: nothing stands behind a line by default; a wrong option is named, and a buffer without a file is told',
  with({ ['a.txt'] = numbered(9) }, function(editor)
    accepted(editor)
    editor:keys('2G')
    vim.wait(500)
    lacks(editor:screen(), 'test-agent/1: The')
    local config = "return require('wherefore.config').check(...)"
    has(editor:lua(config, { why = { virtual_text = 1 } }), 'option why must be a table with virtual_text as true or false')
    has(editor:lua(config, { why = { text = true } }), 'option why must be')
    eq(editor:lua(config, { why = { virtual_text = true } }), vim.NIL)
    editor:cmd('enew')
    editor:cmd('1Wherefore why')
    has(table.concat(editor:notes(), '\n'), 'this is no file that the server knows')
  end)
)

return cases
