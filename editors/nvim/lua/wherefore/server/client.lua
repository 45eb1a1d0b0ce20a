--- Starts the server of a workspace, attaches its files, and sends it requests.
local M = {}

local api = vim.api
local questions = require('wherefore.calls.questions')
local call_list = require('wherefore.calls.call_list')
local config = require('wherefore.config')
local guard = require('wherefore.guard')
local handlers = require('wherefore.server.handlers')
local methods = require('wherefore.server.wire').methods
local messages = require('wherefore.messages')
local proposal_store = require('wherefore.review.proposal_store')

local modern = vim.fn.has('nvim-0.11') == 1

---@type table<string, string> workspaces whose server must not start by itself, and why
local stopped = {}
---@type table<integer, true> clients that a person ended
local expected = {}
local leaving = false

--- The folder that a file's server works in.
---@param path string a file or a folder
---@return string?
function M.find_root(path)
  local found = vim.fs.root(path, config.current.root_markers)
  if found then
    return vim.fs.normalize(found)
  end
  local cwd = vim.fs.normalize(vim.fn.getcwd())
  path = vim.fs.normalize(path)
  return (path == cwd or vim.startswith(path, cwd .. '/')) and cwd or nil
end

--- Every client of ours, also one that is still starting.
---@return vim.lsp.Client[]
function M.list_clients()
  return vim.lsp.get_clients({ name = 'wherefore', _uninitialized = true })
end

--- The client of the current buffer, else of the folder that the editor works in, else the only one.
---@return vim.lsp.Client?
function M.find_current()
  local attached = vim.lsp.get_clients({ name = 'wherefore', bufnr = 0 })[1]
  if attached then
    return attached
  end
  local root, all = M.find_root(vim.fn.getcwd()), vim.lsp.get_clients({ name = 'wherefore' })
  for _, client in ipairs(all) do
    if client.config.root_dir == root then
      return client
    end
  end
  return all[1]
end

--- Sends a request. `done` gets the answer; an error is shown, and `failed` called.
---@param client vim.lsp.Client
---@param method string
---@param params table?
---@param done fun(result: any)
---@param failed? fun()
function M.request(client, method, params, done, failed)
  local handler = function(err, result)
    if err then
      local old = err.code == vim.lsp.protocol.ErrorCodes.MethodNotFound
      messages.warn(old and ('the server is too old for %s; build it anew, then :Wherefore restart'):format(method) or err.message or tostring(err))
      return failed and failed()
    end
    guard.wrap(method, done)(result)
  end
  local sent
  if modern then
    sent = client:request(method, params, handler)
  else
    sent = client.request(method, params, handler)
  end
  if not sent then
    messages.warn('the server is gone; :Wherefore restart')
    return failed and failed()
  end
end

--- The same where an error is worth no message: `done` gets nothing then.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param done fun(result?: any)
function M.request_quietly(client, method, params, done)
  local function handler(err, result)
    guard.wrap(method, done)(not err and result or nil)
  end
  if modern then
    client:request(method, params, handler)
  else
    client.request(method, params, handler)
  end
end

---@param client vim.lsp.Client
---@param method string
---@param params table
function M.send_notification(client, method, params)
  if modern then
    client:notify(method, params)
  else
    client.notify(method, params)
  end
end

--- The client to ask, or a message that there is none.
---@return vim.lsp.Client?
function M.require_client()
  local client = M.find_current()
  if not client then
    local starting = #M.list_clients() > 0
    messages.warn(starting and 'the server is starting' or 'no server runs here; :Wherefore restart')
  end
  return client
end

---@type table<integer, fun(found: boolean)[]> what waits for a server's first answer, by client
local waiting = {}

--- Asks for what waits already: proposals outlive the editor and the server.
local function load_pending(client)
  M.request_quietly(client, methods.proposals, { all = false, root = client.config.root_dir }, function(result)
    local list = result and result.proposals or {}
    handlers.take_proposals(client.id, list)
    for _, done in ipairs(waiting[client.id] or {}) do
      done(#list > 0)
    end
    waiting[client.id] = nil
  end)
end

--- Asks a server what waits, also one that is still starting. `done` gets whether anything does.
---@param client vim.lsp.Client
---@param done fun(found: boolean)
function M.load_when_ready(client, done)
  if client.initialized then
    waiting[client.id] = vim.list_extend(waiting[client.id] or {}, { done })
    return load_pending(client)
  end
  messages.show('wherefore: the server is starting; what waits comes in a moment')
  waiting[client.id] = vim.list_extend(waiting[client.id] or {}, { done })
end

--- A server that ends more often than this within this time is not started again by itself.
local most_deaths, deaths_ms = 4, 180000

---@type table<string, integer[]> when servers ended by themselves, by workspace
local deaths = {}
---@type table<integer, true> clients whose server answered: one that ends at once is not started again
local answered = {}

---@param root string
---@param id integer
---@param how string the exit code or the signal
local function handle_end(root, id, how)
  proposal_store.forget_client(id)
  call_list.end_all(id)
  questions.end_all(id)
  require('wherefore.calls.command_terminals').end_all(id)
  require('wherefore.agent.agent_runs').end_runs(id)
  if leaving or expected[id] then
    return
  end
  -- It is not taken for a client that runs.
  expected[id] = true
  local now = vim.uv.now()
  deaths[root] = vim.tbl_filter(function(time)
    return now - time < deaths_ms
  end, deaths[root] or {})
  table.insert(deaths[root], now)
  if not answered[id] or #deaths[root] > most_deaths then
    stopped[root] = 'its server ended by itself'
    return messages.show(('wherefore: server ended (%s); :Wherefore restart (nothing is lost)'):format(how), vim.log.levels.ERROR)
  end
  messages.show(('wherefore: server ended (%s) and is started again; nothing is lost'):format(how), vim.log.levels.WARN)
  M.restart_server(root)
end

--- Starts the program. The editor is told of a plain end, since its own message on a death is longer than the
--- message line; ours says how to go on.
---@param root string
---@param state { how: string }
local function make_spawner(root, state)
  return function(dispatchers)
    local on_exit = dispatchers.on_exit
    dispatchers.on_exit = function(code, signal)
      state.how = signal ~= 0 and 'signal ' .. signal or 'exit code ' .. code
      on_exit(0, 0)
    end
    local env = next(config.current.env) and config.current.env or nil
    return vim.lsp.rpc.start(config.current.cmd, dispatchers, { cwd = root, env = env })
  end
end

---@param root string
---@return vim.lsp.ClientConfig
local function make_config(root)
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = { wherefore = { hunks = true, save = true, asks = true, focus = true, commands = true, diagnostics = true, agent = true } }
  local state = { how = '' }
  return {
    name = 'wherefore',
    cmd = make_spawner(root, state),
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = vim.fs.basename(root) } },
    capabilities = capabilities,
    handlers = handlers.by_method,
    -- The server must know the text that the person sees, at once.
    flags = { debounce_text_changes = 0 },
    on_init = function(client)
      answered[client.id] = true
      load_pending(client)
    end,
    on_attach = guard.wrap('attaching a file', function(client, buf)
      require('wherefore.server.workspace_edits').report_opened(client, buf)
    end),
    on_exit = vim.schedule_wrap(guard.wrap('ending the client', function(_, _, id)
      handle_end(root, id, state.how)
    end)),
  }
end

local function is_reusable(client, wanted)
  return client.name == 'wherefore' and client.config.root_dir == wanted.root_dir and not expected[client.id]
end

---@param root string
---@return boolean
local function can_start(root)
  if stopped[root] then
    return false
  end
  local program = config.current.cmd[1]
  if vim.fn.executable(program) == 0 then
    stopped[root] = program .. ' was not found'
    messages.warn(('%s was not found; put it on the PATH, or set cmd in setup(), then :Wherefore restart'):format(program))
    return false
  end
  return true
end

--- Starts the server of a folder, attached to a buffer or to none.
---@param root string
---@param buf? integer
function M.start_server(root, buf)
  if not can_start(root) then
    return
  end
  local wanted = make_config(root)
  if buf then
    vim.lsp.start(wanted, { bufnr = buf, reuse_client = is_reusable })
  elseif modern then
    vim.lsp.start(wanted, { attach = false, reuse_client = is_reusable })
  elseif not vim.iter(M.list_clients()):any(function(client)
    return is_reusable(client, wanted)
  end) then
    vim.lsp.start_client(wanted)
  end
end

--- Attaches a file to its workspace's server, so that the server knows its unsaved text.
---@param buf integer
function M.attach_buffer(buf)
  if not api.nvim_buf_is_loaded(buf) or vim.bo[buf].buftype ~= '' then
    return
  end
  local name = api.nvim_buf_get_name(buf)
  if name == '' or name:find('^%a[%w+.-]+://') then
    return
  end
  local root = M.find_root(name)
  if root then
    M.start_server(root, buf)
  end
end

--- Starts the server of a folder anew, for each of its open files.
---@param root string
function M.restart_server(root)
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local name = api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' and api.nvim_buf_get_name(buf) or ''
    if name ~= '' and M.find_root(name) == root then
      M.attach_buffer(buf)
    end
  end
  M.start_server(root)
end

---@param buf integer
local function detach_buffer(buf)
  for _, client in ipairs(vim.lsp.get_clients({ name = 'wherefore', bufnr = buf })) do
    vim.lsp.buf_detach_client(buf, client.id)
  end
end

--- Ends every server; they start again only when asked.
function M.stop_servers()
  for _, client in ipairs(M.list_clients()) do
    expected[client.id] = true
    stopped[client.config.root_dir] = 'it was stopped'
    proposal_store.forget_client(client.id)
    if modern then
      client:stop()
    else
      client.stop()
    end
  end
end

local function start_servers()
  for _, buf in ipairs(api.nvim_list_bufs()) do
    M.attach_buffer(buf)
  end
  local root = M.find_root(vim.fn.getcwd())
  if root then
    M.start_server(root)
  end
end

--- Ends the servers and starts them anew, for every open file.
function M.restart_servers()
  local old = M.list_clients()
  M.stop_servers()
  vim.wait(2000, function()
    return vim.iter(old):all(function(client)
      return vim.lsp.get_client_by_id(client.id) == nil
    end)
  end, 20)
  for _, client in ipairs(old) do
    if vim.lsp.get_client_by_id(client.id) then
      if modern then
        client:stop(true)
      else
        client.stop(true)
      end
    end
  end
  stopped = {}
  start_servers()
end

--- Why no server runs for a folder, if it was told not to.
---@param root string
---@return string?
function M.explain_stop(root)
  return stopped[root]
end

--- Attaches files as they are opened, saved under a name, or renamed.
function M.watch()
  local group = api.nvim_create_augroup('wherefore_client', {})
  api.nvim_create_autocmd('VimLeavePre', {
    group = group,
    callback = function()
      leaving = true
    end,
  })
  api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'TextChangedP' }, {
    group = group,
    callback = function(event)
      require('wherefore.server.workspace_edits').check_empty(event.buf)
    end,
  })
  if not config.current.autostart then
    return
  end
  api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufWritePost', 'BufFilePost' }, {
    group = group,
    callback = guard.wrap('attaching a file', function(event)
      M.attach_buffer(event.buf)
    end),
  })
  api.nvim_create_autocmd('BufFilePre', {
    group = group,
    callback = guard.wrap('detaching a file', function(event)
      detach_buffer(event.buf)
    end),
  })
  for _, buf in ipairs(api.nvim_list_bufs()) do
    guard.wrap('attaching a file', M.attach_buffer)(buf)
  end
  -- An editor opened on a folder has no file yet, and an agent may call at once.
  local root = vim.fs.root(vim.fn.getcwd(), '.wherefore')
  if root then
    guard.wrap('starting', M.start_server)(vim.fs.normalize(root))
  end
end

return M
