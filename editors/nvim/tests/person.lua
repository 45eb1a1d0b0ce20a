-- nvim --headless --clean -l editors/nvim/tests/person.lua ROOT: a person at an editor, for tests/agents/editors.rs. Opens
-- ROOT/list.txt, decides by keys on the six hunks that an agent proposes, and leaves when standard input ends.
local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
package.path = here .. '/?.lua;' .. package.path
local child = require('child')

local function say(step)
  io.stdout:write(step .. '\n')
  io.stdout:flush()
end

local reject = '\\wRthe middle stays<CR>'
local editor = child.start(_G.arg[1], nil, vim.empty_dict())
local ok, err = xpcall(function()
  editor:edit('list.txt')
  say('open')
  editor:wait("return require('wherefore').pending() == 6", 'six hunks', 90000)
  say('asked')
  editor:keys('gg')
  for done, keys in ipairs({ '\\wa', reject, '\\wa', '\\wr', '\\wa', reject }) do
    -- The keys go with the last hunk of a file.
    editor:keys(done == 4 and ':Wherefore next<CR>' or ']w')
    editor:keys(keys)
    editor:pending(6 - done)
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
