-- nvim --headless --clean -l editors/nvim/tests/run.lua [NAME]: runs each tests/*_test.lua against WHEREFORE_BIN.
local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
package.path = here .. '/?.lua;' .. package.path
local only = _G.arg[1]
local passed, failed = 0, 0

local files = vim.fn.glob(here .. '/*_test.lua', true, true)
table.sort(files)
for _, file in ipairs(files) do
  for _, case in ipairs(dofile(file)) do
    if not only or case[1]:find(only, 1, true) then
      local start = vim.uv.hrtime()
      local ok, err = xpcall(case[2], debug.traceback)
      passed, failed = passed + (ok and 1 or 0), failed + (ok and 0 or 1)
      io.stdout:write(('%s %s (%d ms)\n'):format(ok and 'ok  ' or 'FAIL', case[1], (vim.uv.hrtime() - start) / 1e6))
      if not ok then
        io.stdout:write(err .. '\n')
      end
    end
  end
end
io.stdout:write(('%d passed, %d failed\n'):format(passed, failed))
os.exit(failed == 0 and passed > 0 and 0 or 1)
