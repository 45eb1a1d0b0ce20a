--- The plugin works however it is installed: its folder, or the repository as a plugin manager takes it.
local check = require('check')
local child = require('child')

local eq, has = check.eq, check.has
local cases, case = check.cases()

local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
local plugin = vim.fs.dirname(here)
local repository = vim.fs.dirname(vim.fs.dirname(plugin))

--- What a configuration does; PACK is a folder of packages with the repository in it.
local append = 'vim.opt.runtimepath:append(%q)'
local ways = {
  { 'the folder on the runtime path', append:format(plugin) .. " require('wherefore').setup(OPTS)" },
  { 'the folder, and no setup', append:format(plugin) },
  {
    'the repository as a package, its folder put on the path after it, as vim.pack and lazy.nvim do',
    "vim.opt.packpath:prepend('PACK') vim.cmd('packadd! wherefore')"
      .. " vim.opt.runtimepath:append('PACK/pack/all/opt/wherefore/editors/nvim') require('wherefore').setup(OPTS)",
  },
  -- As where a plugin manager sources no files by itself.
  { 'the folder, whose plugin files nobody runs', 'vim.o.loadplugins = false ' .. append:format(plugin) .. " require('wherefore').setup(OPTS)" },
}
for _, way in ipairs(ways) do
  local name, code = unpack(way)
  case('install: ' .. name, function()
    local root = child.project({ ['a.txt'] = 'a\n' })
    vim.fn.mkdir(root .. '.xdg/pack/all/opt', 'p')
    vim.uv.fs_symlink(repository, root .. '.xdg/pack/all/opt/wherefore')
    local opts = vim.inspect({ cmd = { child.bin, 'lsp' } })
    child.write(root .. '.xdg/init.lua', (code:gsub('PACK', root .. '.xdg'):gsub('OPTS', function()
      return opts
    end)))
    local script = root .. '.xdg/look.lua'
    child.write(
      script,
      [[
      local out = { vim.fn.exists(':Wherefore') == 2, (pcall(vim.cmd.help, 'wherefore')) }
      table.insert(out, vim.fs.basename(vim.api.nvim_buf_get_name(0)))
      table.insert(out, (pcall(vim.cmd.help, ':Wherefore')))
      table.insert(out, require('wherefore').statusline())
      io.stdout:write(vim.json.encode(out))
      vim.cmd('qall!')
    ]]
    )
    local run = vim.system({ vim.v.progpath, '--headless', '-u', root .. '.xdg/init.lua', '-c', 'luafile ' .. script }, { env = child.env(root), cwd = root }):wait(20000)
    child.remove(root)
    has(run.stdout or '', '[true,true,"wherefore.txt",true,""]', 'what an editor says: ' .. (run.stderr or ''))
  end)
end

case('install: the tags of the help are up to date', function()
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, 'p')
  child.write(folder .. '/wherefore.txt', child.bytes(plugin .. '/doc/wherefore.txt'))
  vim.cmd.helptags(folder)
  eq(child.bytes(plugin .. '/doc/tags'), child.bytes(folder .. '/tags'), 'run nvim -l editors/nvim/tests/doc.lua')
end)

return cases
