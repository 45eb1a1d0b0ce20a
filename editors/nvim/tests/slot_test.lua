--- In the place of an agent's own extension: the agent hears what is selected, and asks for it and for diagnostics.
local check = require('check')
local child = require('child')
local slotagent = require('slotagent')

local eq, numbered = check.eq, check.numbered
local cases, case = check.cases()

--- Runs one test with an editor whose settings open the slot, and an agent in it.
---@param files table<string, string>
---@param run fun(editor: Child, agent: SlotAgent, root: string, home: string)
local function with_slot(files, run)
  return function()
    local root = child.project(files)
    local env = child.env(root)
    env.CLAUDE_CONFIG_DIR = root .. '.xdg/claude'
    child.write(env.XDG_CONFIG_HOME .. '/wherefore/config.toml', '[native]\nide = "claude-code"\n')
    local editor = child.start(root, {}, env)
    local ok, err = xpcall(function()
      editor:edit('a.txt')
      local agent = slotagent.enter(env.CLAUDE_CONFIG_DIR)
      run(editor, agent, root, env.CLAUDE_CONFIG_DIR)
      agent:leave()
    end, debug.traceback)
    editor:stop()
    child.remove(root)
    if not ok then
      error(err, 0)
    end
  end
end

case(
  'slot: an agent hears what is selected, also where the person went to its terminal then',
  with_slot({ ['a.txt'] = numbered(9, { [4] = 'größer 𝄞 x' }) }, function(editor, agent, root)
    editor:keys('3GV2j')
    local told = agent:hears('line 3\ngrößer 𝄞 x\nline 5')
    eq(told.filePath, root .. '/a.txt')
    eq(told.selection, { start = { line = 2, character = 0 }, ['end'] = { line = 4, character = 6 }, isEmpty = false })
    -- Counted as the protocol does: in units of UTF-16, the last one included.
    editor:keys('<Esc>4G0wv')
    eq(agent:hears('𝄞').selection, { start = { line = 3, character = 7 }, ['end'] = { line = 3, character = 9 }, isEmpty = false })
    editor:keys('<Esc>7G0vjg_')
    agent:hears('line 7\nline 8')
    editor:cmd('botright split | terminal cat')
    vim.wait(400)
    for _, tool in ipairs({ 'getCurrentSelection', 'getLatestSelection' }) do
      eq(agent:value(tool).text, 'line 7\nline 8', tool)
    end
    eq(agent.told[#agent.told].params.text, 'line 7\nline 8')
    eq(editor:lua('return vim.env.CLAUDE_CODE_SSE_PORT ~= nil and vim.env.ENABLE_IDE_INTEGRATION'), 'true')
    editor:cmd('bwipeout! | normal! 2G0')
    eq(agent:hears('').selection.isEmpty, true)
    vim.wait(400)
    eq(agent:value('getCurrentSelection').selection.start, { line = 1, character = 0 })
  end)
)

case(
  'slot: an agent asks for diagnostics, of one file and of all that the rules let it read',
  with_slot({ ['a.txt'] = 'größer\n', ['b.txt'] = 'b\n', ['.env'] = 'KEY=1\n' }, function(editor, agent, root)
    for _, name in ipairs({ 'b.txt', '.env', 'a.txt' }) do
      editor:cmd('edit ' .. name)
      editor:lua(
        [[
        local item = { lnum = 0, col = 0, end_lnum = 0, end_col = 1, message = 'wrong in ' .. ..., severity = vim.diagnostic.severity.WARN, source = 'checker', code = 'W1' }
        if ... == 'a.txt' then item.col, item.end_col = 4, 8 end
        vim.diagnostic.set(vim.api.nvim_create_namespace('checker'), 0, { item })
      ]],
        name
      )
    end
    local uri = vim.uri_from_fname(root .. '/a.txt')
    eq(agent:value('getDiagnostics', { uri = uri }), {
      {
        uri = uri,
        diagnostics = {
          {
            message = 'wrong in a.txt',
            severity = 'Warning',
            source = 'checker',
            code = 'W1',
            range = { start = { line = 0, character = 3 }, ['end'] = { line = 0, character = 6 } },
          },
        },
      },
    })
    local all = vim.tbl_map(function(file)
      return vim.fs.basename(file.uri)
    end, agent:value('getDiagnostics'))
    table.sort(all)
    eq(all, { 'a.txt', 'b.txt' })
  end)
)

case(
  'slot: its file and the variables go with the setting',
  with_slot({ ['a.txt'] = 'a\n' }, function(editor, _, root, home)
    child.write(child.env(root).XDG_CONFIG_HOME .. '/wherefore/config.toml', '[native]\nide = "off"\n')
    assert(vim.wait(10000, function()
      return #slotagent.files(home) == 0
    end, 20), 'the file stays')
    editor:wait('return vim.env.CLAUDE_CODE_SSE_PORT == nil and vim.env.ENABLE_IDE_INTEGRATION == nil', 'the variables go')
  end)
)

return cases
