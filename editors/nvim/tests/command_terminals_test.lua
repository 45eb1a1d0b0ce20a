--- Commands that calls run: their output as it comes, in a terminal; cancelled there; in the background.
local check = require('check')
local child = require('child')

local eq, has, lacks, sees = check.eq, check.has, check.lacks, check.sees
local with = check.with
local cases, case = check.cases()

--- A script writes, waits for a file that git ignores, and writes again.
local script = [[
printf '\033]0;a title\007\033[31mfirst\033[0m line\n'
while ! ls out | grep -q go; do sleep 0.02; done
echo 'second line'
exit 3
]]
local files = { ['a.txt'] = 'a\n', ['script.sh'] = script, ['serve.sh'] = 'echo serving; sleep 60\n', ['.gitignore'] = 'out/\n', ['out/x'] = '' }

local function run(editor, name, arguments)
  arguments.why = 'See what the script of ' .. name .. ' says'
  editor:agent(name, 'terminal.run', arguments)
end

local function terminal_text(editor)
  return table.concat(editor:lines(), '\n')
end

--- Waits until the current buffer holds a text.
local function shows(editor, part)
  editor:wait(("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n'):find(%q, 1, true) ~= nil"):format(part), part)
end

case(
  'commands: the output comes while it runs, in a terminal with its why and its tier, and its end is told',
  with(files, function(editor, root)
    editor:edit('a.txt')
    editor:cmd('Wherefore commands')
    has(editor:notes()[#editor:notes()], 'no command ran yet')
    run(editor, 'one', { cmd = { 'bash', 'script.sh' } })
    editor:wait("return #require('wherefore.calls.command_terminals').list_ids() == 1", 'the command')
    editor:cmd('Wherefore commands')
    shows(editor, 'first line')
    eq(editor:call('nvim_get_option_value', 'buftype', { buf = 0 }), 'terminal')
    local screen = editor:screen()
    for _, part in ipairs({ '$ bash script.sh', 'runs', 'tier A', 'See what the script of one says', 'x cancel' }) do
      has(screen, part)
    end
    lacks(terminal_text(editor), 'second line')
    lacks(screen, 'a title')
    eq(editor:lua("return vim.b.term_title ~= 'a title'"), true)
    child.write(root .. '/out/go', '')
    eq(editor:answer('one').result.exit_code, 3)
    shows(editor, 'second line')
    shows(editor, '[exit code 3')
    has(sees(editor, 'exit code 3'), 'q close')
    editor:keys('x')
    has(editor:notes()[#editor:notes()], 'has ended')
    editor:keys('q')
    eq(editor:lua("return vim.bo.buftype"), '')
    editor:cmd('Wherefore calls')
    editor:keys('ggo')
    shows(editor, 'first line')
  end)
)

case(
  'commands: one is cancelled in its terminal, one that was left in the background from the list of calls',
  with(files, function(editor)
    editor:edit('a.txt')
    run(editor, 'one', { cmd = { 'bash', 'serve.sh' }, timeout_ms = 60000 })
    editor:wait("return #require('wherefore.calls.command_terminals').list_ids() == 1", 'the command')
    editor:cmd('Wherefore commands')
    shows(editor, 'serving')
    editor:keys('x')
    eq(editor:answer('one').error.code, 'CANCELLED')
    shows(editor, '[cancelled')
    editor:keys('q')

    run(editor, 'two', { cmd = { 'bash', 'serve.sh' }, background = true })
    local id = editor:answer('two').result.id
    editor:wait(("return vim.fn.getcompletion('Wherefore commands ', 'cmdline')[1] == %q"):format(id), 'the command')
    editor:cmd('Wherefore calls')
    has(sees(editor, 'in background'), 'tier A: See what the script')
    editor:keys('ggx')
    editor:wait("return require('wherefore.calls.command_terminals').find_running(require('wherefore.calls.call_list').list_calls()[1]) == nil", 'the end of the command')
    editor:keys('q')
    editor:cmd('Wherefore commands ' .. id)
    shows(editor, '[cancelled')
    editor:keys('i<C-c>')
    editor:cmd('stopinsert')
  end)
)

case(
  'commands: what was left out is counted, and a server that ends takes its commands with it',
  with(files, function(editor)
    editor:edit('a.txt')
    editor:lua([[
      local ctx = { client_id = vim.lsp.get_clients({ name = 'wherefore' })[1].id }
      require('wherefore.server.handlers').by_method['wherefore/command'](nil, {
        call_id = 'c-0001', session = 's', root = 'file:///', command = 'yes \u{202e}', why = 'Fill the screen', tier = 'tier A', background = false,
        state = 'output', text = 'y\n', left_out = 12345,
      }, ctx)
    ]])
    editor:cmd('Wherefore commands')
    shows(editor, '… 12345 bytes left out …')
    has(terminal_text(editor), '$ yes \\u{202e}')
    editor:cmd('Wherefore stop')
    shows(editor, '[the server ended]')
  end)
)

return cases
