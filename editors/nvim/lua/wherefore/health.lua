--- `:checkhealth wherefore`: what works, and how to mend what does not.
local M = {}

local health = vim.health
local text = require('wherefore.text')

---@param args string[]
---@param cwd? string
---@param env? table<string, string>
---@return vim.SystemCompleted?
local function run_program(args, cwd, env)
  local ok, result = pcall(function()
    return vim.system(args, { text = true, timeout = 5000, cwd = cwd, env = env }):wait()
  end)
  return ok and result or nil
end

---@return string? program where it can be run
local function check_program()
  local cmd = require('wherefore.config').current.cmd
  local path = vim.fn.exepath(cmd[1])
  if path == '' then
    health.error(('%s was not found'):format(cmd[1]), { 'Put it on the PATH, or give its path: setup({ cmd = { "/path/wherefore", "lsp" } })' })
    return nil
  end
  local version = run_program({ path, '--version' })
  if not version or version.code ~= 0 then
    health.error(('%s --version failed'):format(path), { 'Run it in a terminal and see what it says' })
    return nil
  end
  health.ok(('%s: %s'):format(path, vim.trim(version.stdout)))
  return path
end

local function check_servers()
  local client, proposal_store = require('wherefore.server.client'), require('wherefore.review.proposal_store')
  local root = client.find_root(vim.fn.getcwd())
  health.info('workspace: ' .. (root or 'none found from ' .. vim.fn.getcwd()))
  local all = client.list_clients()
  for _, lsp in ipairs(all) do
    local files = vim.tbl_count(lsp.attached_buffers or {})
    health.ok(('a server runs for %s, with %d open files'):format(lsp.config.root_dir, files))
  end
  if #all == 0 then
    local why = root and client.explain_stop(root)
    health.warn('no server runs' .. (why and ': ' .. why or ''), { 'Open a file of a project, or :Wherefore restart' })
  end
  local hunks, files = proposal_store.count_waiting()
  health.info(('%d hunks wait in %d files'):format(hunks, files))
end

---@param program string
local function check_doctor(program)
  local root = require('wherefore.server.client').find_root(vim.fn.getcwd())
  -- It looks for editors on the PATH: this one is there.
  local path = vim.fs.dirname(vim.v.progpath) .. ':' .. (vim.env.PATH or '')
  local doctor = run_program({ program, 'doctor' }, root, { PATH = path })
  if not doctor or doctor.code == 2 then
    return health.info('wherefore doctor is not available')
  end
  for line in vim.gsplit(doctor.stdout, '\n', { trimempty = true }) do
    health.info(text.escape_hidden((line:gsub('\27%[[%d;]*m', ''))))
  end
end

function M.check()
  health.start('wherefore: editor')
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.10 or newer is needed, this is ' .. tostring(vim.version()))
  end
  if require('wherefore').is_ready() then
    health.ok('setup() was called')
  else
    health.warn('setup() was not called', { "Add require('wherefore').setup() to your configuration" })
  end
  health.start('wherefore: server')
  local program = check_program()
  check_servers()
  if program then
    health.start('wherefore: this machine (wherefore doctor)')
    check_doctor(program)
  end
end

return M
