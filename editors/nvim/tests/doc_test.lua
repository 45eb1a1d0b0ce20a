--- The help: what it says of options, keys and commands is what the code does.
local check = require('check')
local doc = require('doc')

local cases, case = check.cases()

case('the help is up to date', function()
  check.eq(doc.made() == doc.read(), true, 'run nvim -l editors/nvim/tests/doc.lua')
end)

case('the help has tags for all that it links to, and no line that is too long', function()
  local text = doc.read()
  for tag in text:gmatch('|([%w:]*[Ww]herefore[%w-]*)|') do
    check.has(text, '*' .. tag .. '*')
  end
  for line in vim.gsplit(text, '\n') do
    assert(vim.fn.strdisplaywidth(line) <= 78, 'too long: ' .. line)
  end
end)

return cases
