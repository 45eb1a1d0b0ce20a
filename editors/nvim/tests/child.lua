--- A real editor in a second process, driven over RPC, with a screen that can be read.
local M = {}

local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
local plugin = vim.fs.normalize(vim.fn.fnamemodify(here, ':p:h:h'))

--- The program under test: WHEREFORE_BIN, by default the debug build.
M.bin = vim.env.WHEREFORE_BIN or vim.fs.normalize(plugin .. '/../../target/debug/wherefore')

---@class Child
---@field channel integer
---@field root string
local Child = {}
Child.__index = Child

--- A project of its own for one test.
---@param files table<string, string>
---@return string root
function M.project(files)
  local root = assert(vim.uv.fs_realpath(vim.fs.dirname(vim.fn.tempname())))
  root = assert(vim.uv.fs_mkdtemp(root .. '/wf-XXXXXX'))
  vim.fn.mkdir(root .. '/.git')
  for path, bytes in pairs(files) do
    M.write(root .. '/' .. path, bytes)
  end
  return root
end

function M.write(path, bytes)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'wb'))
  file:write(bytes)
  file:close()
end

function M.bytes(path)
  local file = io.open(path, 'rb')
  if not file then
    return nil
  end
  local bytes = file:read('*a')
  file:close()
  return bytes
end

--- Folders of its own for everything that a person's programs keep, beside the project.
---@param root string
---@return table<string, string>
function M.env(root)
  local env = {}
  for _, name in ipairs({ 'RUNTIME_DIR', 'STATE_HOME', 'CONFIG_HOME', 'DATA_HOME', 'CACHE_HOME' }) do
    local folder = root .. '.xdg/' .. name
    vim.fn.mkdir(folder, 'p', 448) -- 0700
    env['XDG_' .. name] = folder
  end
  return env
end

--- Removes a project and what stands beside it.
---@param root string
function M.remove(root)
  vim.fn.delete(root, 'rf')
  vim.fn.delete(root .. '.xdg', 'rf')
end

--- Starts an editor in a project.
---@param root string
---@param opts? table options of `setup`
---@param env? table<string, string> what its environment has beside this one's; by default folders of its own
---@return Child
function M.start(root, opts, env)
  local channel = vim.fn.jobstart({ vim.v.progpath, '--embed', '--headless', '--clean', '-n' }, {
    rpc = true,
    cwd = root,
    env = env or M.env(root),
    on_stderr = function(_, lines)
      if vim.env.WF_DEBUG then
        io.stderr:write(table.concat(lines, '\n'))
      end
    end,
  })
  local child = setmetatable({ channel = channel, root = root }, Child)
  child:lua(
    [[
    local plugin, bin, opts = ...
    vim.o.columns, vim.o.lines = 100, 40
    vim.o.more = false
    vim.opt.runtimepath:prepend(plugin)
    _G.notes, _G.plain_notify = {}, vim.notify
    vim.notify = function(message, level) table.insert(_G.notes, { message, level or 2 }) end
    vim.cmd.runtime('plugin/wherefore.lua')
    require('wherefore').setup(vim.tbl_extend('force', { cmd = { bin, 'lsp' } }, opts))
  ]],
    plugin,
    M.bin,
    opts and next(opts) and opts or vim.empty_dict()
  )
  return child
end

function Child:call(method, ...)
  return vim.rpcrequest(self.channel, method, ...)
end

function Child:lua(code, ...)
  return self:call('nvim_exec_lua', code, { ... })
end

function Child:cmd(command)
  return self:call('nvim_command', command)
end

--- Types keys as a person does, and lets them take effect.
function Child:keys(keys)
  self:call('nvim_input', keys)
  vim.wait(30)
end

--- Waits until a piece of Lua gives true in the child.
function Child:wait(code, what, ms)
  local last
  local ok = vim.wait(ms or 10000, function()
    last = self:lua(code)
    return last == true
  end, 20)
  if not ok then
    error(('waited in vain for %s\nnotes: %s\nscreen:\n%s'):format(what or code, vim.inspect(self:notes()), self:screen()), 2)
  end
end

function Child:edit(path)
  self:cmd('edit ' .. path)
  self:wait("return #vim.lsp.get_clients({ name = 'wherefore', bufnr = 0 }) == 1 and vim.lsp.get_clients({ name = 'wherefore' })[1].initialized == true", 'the client')
end

--- What the messages said so far.
function Child:notes()
  return self:lua('return vim.tbl_map(function(note) return note[1] end, _G.notes)')
end

--- The rows of the screen, without trailing blanks.
function Child:screen()
  return self:lua([[
    vim.cmd('redraw')
    local rows = {}
    for row = 1, vim.o.lines do
      local cells = {}
      for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
      rows[row] = (table.concat(cells):gsub('%s+$', ''))
    end
    return table.concat(rows, '\n')
  ]])
end

function Child:lines()
  return self:call('nvim_buf_get_lines', 0, 0, -1, false)
end

--- An agent calls a tool; the answer, an envelope, is kept under `_G.answers[name]`.
---@param policy? string what becomes of a change; `ask` where none is named
function Child:agent(name, tool, arguments, policy)
  self:lua(
    [[
    local name, tool, arguments, policy = ...
    _G.answers = _G.answers or {}
    local client = vim.lsp.get_clients({ name = 'wherefore' })[1]
    require('wherefore.server.client').request(client, 'wherefore/call', {
      tool = tool, arguments = arguments, policy = policy, origin = { agent = 'test-agent/1' },
    }, function(answer) _G.answers[name] = answer end)
  ]],
    name,
    tool,
    arguments,
    policy or 'ask'
  )
end

function Child:answer(name)
  self:wait(('return _G.answers[%q] ~= nil'):format(name), 'the answer to ' .. name)
  return self:lua('return _G.answers[...]', name)
end

--- Connects an agent over MCP that sends what it is told to, and hears no answer.
---@param name string what it calls itself
---@return { send: fun(message: table), stop: fun() }
function Child:mcp(name)
  local heard = false
  local job = vim.fn.jobstart({ M.bin, 'mcp', '--root', self.root }, {
    env = M.env(self.root),
    on_stdout = function()
      heard = true
    end,
  })
  local agent = {
    send = function(message)
      vim.fn.chansend(job, vim.json.encode(vim.tbl_extend('error', { jsonrpc = '2.0' }, message)) .. '\n')
    end,
    stop = function()
      vim.fn.jobstop(job)
    end,
  }
  local about = { protocolVersion = '2025-06-18', capabilities = vim.empty_dict(), clientInfo = { name = name, version = '1' } }
  agent.send({ id = 0, method = 'initialize', params = about })
  assert(
    vim.wait(10000, function()
      return heard
    end, 20),
    'no answer over MCP'
  )
  agent.send({ method = 'notifications/initialized' })
  return agent
end

--- Waits until so many hunks wait.
function Child:pending(count)
  self:wait(("return require('wherefore').pending() == %d"):format(count), count .. ' pending hunks')
end

function Child:stop()
  pcall(vim.rpcnotify, self.channel, 'nvim_command', 'qall!')
  vim.fn.jobwait({ self.channel }, 3000)
  pcall(vim.fn.jobstop, self.channel)
end

return M
