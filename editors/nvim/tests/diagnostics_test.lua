-- The diagnostics of this editor, as an agent gets them by a tool.
local check = require('check')

local eq, with = check.eq, check.with
local cases, case = check.cases()

case(
  'diagnostics: an agent lists them, with places that count characters, and none of a closed file',
  with({ ['a.txt'] = 'größer 𝄞 x\n', ['b.txt'] = 'b\n', ['.env'] = 'KEY=1\n' }, function(editor)
    for _, name in ipairs({ 'b.txt', '.env', 'a.txt' }) do
      editor:edit(name)
      editor:lua(
        [[
        local item = { lnum = 0, col = 0, end_lnum = 0, end_col = 1, message = 'wrong in ' .. ..., severity = vim.diagnostic.severity.WARN, source = 'checker', code = 'W1' }
        if ... == 'a.txt' then
          item.col, item.end_col, item.severity = 14, 15, vim.diagnostic.severity.ERROR
        end
        vim.diagnostic.set(vim.api.nvim_create_namespace('checker'), 0, { item })
      ]],
        name
      )
    end
    editor:agent('all', 'editor.diagnostics', { why = 'Learn what is wrong before changing anything' })
    local all = editor:answer('all')
    eq(all.result, {
      errors = 1,
      warnings = 1,
      diagnostics = {
        { path = 'a.txt', line = 1, column = 10, severity = 'error', message = 'wrong in a.txt', source = 'checker', code = 'W1' },
        { path = 'b.txt', line = 1, column = 1, severity = 'warning', message = 'wrong in b.txt', source = 'checker', code = 'W1' },
      },
    })
    eq(all.warnings, { '1 file is left out: a rule closes it' })
    editor:agent('one', 'editor.diagnostics', { paths = { 'b.txt' }, why = 'Learn what is wrong in the other file' })
    eq(#editor:answer('one').result.diagnostics, 1)
  end)
)

return cases
