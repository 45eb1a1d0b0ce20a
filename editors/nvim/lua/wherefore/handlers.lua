--- What the server sends: each message goes to the part that wants it.
local M = {}

local asks = require('wherefore.asks')
local calls = require('wherefore.calls')
local guard = require('wherefore.guard')
local methods = require('wherefore.wire').methods
local notify = require('wherefore.notify')
local review = require('wherefore.review')
local text = require('wherefore.text')

--- Takes proposals as a server holds them now, and says where hunks went stale.
---@param client_id integer
---@param list wherefore.Proposal[]
function M.take(client_id, list)
  for _, proposal in ipairs(list) do
    notify.went_stale(review.get(client_id, proposal.id), proposal)
  end
  require('wherefore.feedback').heard(client_id, list, function()
    review.put(client_id, list)
  end)
  require('wherefore.applied').heard(client_id, list)
  local gone = require('wherefore.gone')
  gone.close(gone.removed(list))
  require('wherefore.behind').look(list)
end

--- A message that cannot be handled is told once and dropped.
local function handle(where, run)
  local wrapped = guard.wrap(where, run)
  return function(err, params, ctx)
    if err or params == nil or params == vim.NIL then
      return nil
    end
    return wrapped(params, ctx)
  end
end

--- A request of the server must have an answer, also where we failed.
local function answer(where, run, otherwise)
  local inner = handle(where, run)
  return function(err, params, ctx)
    return inner(err, params, ctx) or otherwise
  end
end

--- A message that the editor itself shows, once its words are harmless.
---@param method string
---@param mend fun(params: table)
local function plain(method, mend)
  return function(err, params, ...)
    if type(params) == 'table' then
      guard.wrap('reading a message', mend)(params)
    end
    return vim.lsp.handlers[method](err, params, ...)
  end
end

local function plain_message(params)
  params.message = text.plain(params.message)
end

local function plain_diagnostics(params)
  vim.iter(params.diagnostics):each(plain_message)
end

---@type table<string, lsp.Handler>
M.by_method = {
  ['window/showMessage'] = plain('window/showMessage', plain_message),
  ['window/showMessageRequest'] = plain('window/showMessageRequest', plain_message),
  ['textDocument/publishDiagnostics'] = plain('textDocument/publishDiagnostics', plain_diagnostics),
  [methods.didCall] = handle('showing a call', function(params, ctx)
    calls.began(ctx.client_id, params)
    notify.called(params)
  end),
  [methods.didFinish] = handle('showing a result', function(params, ctx)
    asks.ended(ctx.client_id, params)
    notify.finished(params, calls.ended(ctx.client_id, params))
    require('wherefore.log').refresh(ctx.client_id)
  end),
  [methods.agentEvent] = handle('showing the agent', function(params, ctx)
    require('wherefore.ask').heard(ctx.client_id, params)
  end),
  [methods.command] = handle('showing a command', function(params, ctx)
    require('wherefore.terminals').heard(ctx.client_id, params)
  end),
  [methods.proposal] = handle('showing a proposal', function(params, ctx)
    M.take(ctx.client_id, { params })
    notify.proposed(params, review.waiting(params))
  end),
  [methods.proposalChanged] = handle('showing a proposal', function(params, ctx)
    M.take(ctx.client_id, { params })
  end),
  -- It has no params.
  [methods.workingSetChanged] = guard.wrap('showing the working set', function()
    require('wherefore.working_panel').changed()
  end),
  [methods.ask] = answer('asking you', function(params, ctx)
    return asks.ask(ctx.client_id, params)
  end, vim.empty_dict()),
  [methods.slot] = handle('setting variables of terminals', function(params)
    require('wherefore.slot').changed(params)
  end),
  [methods.look] = answer('telling what you look at', function(params)
    return require('wherefore.slot').look(params)
  end, { diagnostics = {} }),
  [methods.save] = answer('saving', function(params)
    return require('wherefore.edits').save(params)
  end, { saved = {} }),
  ['workspace/applyEdit'] = answer('applying an edit', function(params, ctx)
    return require('wherefore.edits').apply(params, ctx)
  end, { applied = false, failureReason = 'the plugin failed' }),
}

return M
