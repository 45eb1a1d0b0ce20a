-- nvim --headless --clean -l editors/nvim/tests/person.lua ROOT FILE:KEYS[,FILE:KEYS]: a person at an editor, for
-- tests/agents/at_editor.rs. Opens the first file, decides by keys on the hunks that an agent proposes once all are there (a
-- accepts one, r rejects it, R rejects it and says why), and leaves when standard input ends.
local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
package.path = here .. '/?.lua;' .. package.path
local child = require('child')

local function say(step)
  io.stdout:write(step .. '\n')
  io.stdout:flush()
end

local acts = { a = 'gwy', r = 'gwr', R = 'gwRthe middle stays<CR>' }
local decisions = {}
for file, keys in _G.arg[2]:gmatch('([^,:]+):(%a+)') do
  for key in keys:gmatch('.') do
    decisions[#decisions + 1] = { file = file, keys = acts[key] }
  end
end
local editor = child.start(_G.arg[1], { advance = false }, vim.empty_dict())
local ok, err = xpcall(function()
  editor:edit(decisions[1].file)
  say('open')
  editor:wait(("return require('wherefore').pending() == %d"):format(#decisions), 'every hunk', 90000)
  say('asked')
  editor:keys('gg')
  for at, decision in ipairs(decisions) do
    -- The keys go with the last hunk of a file.
    local moves = at > 1 and decisions[at - 1].file ~= decision.file
    editor:keys(moves and ':Wherefore next<CR>' or ']v')
    editor:keys(decision.keys)
    editor:pending(#decisions - at)
  end
  say('decided')
end, debug.traceback)
if ok then
  io.stdin:read('*a')
else
  say(err)
end
editor:stop()
os.exit(ok and 0 or 1)
