--- Messages of the server: each goes to the part that wants it.
local M = {}

local questions = require('wherefore.calls.questions')
local call_list = require('wherefore.calls.call_list')
local guard = require('wherefore.guard')
local methods = require('wherefore.server.wire').methods
local notifications = require('wherefore.notifications')
local proposal_store = require('wherefore.review.proposal_store')
local text = require('wherefore.text')

--- Takes proposals as a server holds them now, and says where hunks went stale.
---@param client_id integer
---@param list wherefore.Proposal[]
function M.take_proposals(client_id, list)
  for _, proposal in ipairs(list) do
    notifications.warn_of_stale_hunks(proposal_store.find_proposal(client_id, proposal.id), proposal)
  end
  require('wherefore.review.decision_feedback').take_proposals(client_id, list, function()
    proposal_store.take_proposals(client_id, list)
  end)
  require('wherefore.review.applied_review').take_proposals(client_id, list)
  local deleted_files = require('wherefore.review.deleted_files')
  deleted_files.close_buffers(deleted_files.find_deleted(list))
  require('wherefore.review.buffer_reload').reload_changed(list)
end

--- A message that cannot be handled is told once and dropped.
local function make_handler(where, run)
  local wrapped = guard.wrap(where, run)
  return function(err, params, ctx)
    if err or params == nil or params == vim.NIL then
      return nil
    end
    return wrapped(params, ctx)
  end
end

--- A request of the server must have an answer, also where we failed.
local function make_answer_handler(where, run, otherwise)
  local inner = make_handler(where, run)
  return function(err, params, ctx)
    return inner(err, params, ctx) or otherwise
  end
end

--- A message that the editor itself shows, once its words are harmless.
---@param method string
---@param mend fun(params: table)
local function make_plain_handler(method, mend)
  return function(err, params, ...)
    if type(params) == 'table' then
      guard.wrap('reading a message', mend)(params)
    end
    return vim.lsp.handlers[method](err, params, ...)
  end
end

local function escape_message(params)
  params.message = text.escape_hidden(params.message)
end

local function escape_diagnostics(params)
  vim.iter(params.diagnostics):each(escape_message)
end

---@type table<string, lsp.Handler>
M.by_method = {
  ['window/showMessage'] = make_plain_handler('window/showMessage', escape_message),
  ['window/showMessageRequest'] = make_plain_handler('window/showMessageRequest', escape_message),
  ['textDocument/publishDiagnostics'] = make_plain_handler('textDocument/publishDiagnostics', escape_diagnostics),
  [methods.didCall] = make_handler('showing a call', function(params, ctx)
    local call = call_list.add_call(ctx.client_id, params)
    -- The message of a call would stand in the place of its question.
    if not questions.find_by_call(call) then
      notifications.show_call(params)
    end
  end),
  [methods.didFinish] = make_handler('showing a result', function(params, ctx)
    questions.end_of_call(ctx.client_id, params)
    notifications.show_call_end(params, call_list.end_call(ctx.client_id, params))
    require('wherefore.log.session_log').refresh_logs(ctx.client_id)
  end),
  [methods.agentEvent] = make_handler('showing the agent', function(params, ctx)
    require('wherefore.agent.agent_runs').receive_event(ctx.client_id, params)
  end),
  [methods.command] = make_handler('showing a command', function(params, ctx)
    require('wherefore.calls.command_terminals').take_notice(ctx.client_id, params)
  end),
  [methods.proposal] = make_handler('showing a proposal', function(params, ctx)
    M.take_proposals(ctx.client_id, { params })
    notifications.show_proposal(params, proposal_store.count_waiting_of(params))
  end),
  [methods.proposalChanged] = make_handler('showing a proposal', function(params, ctx)
    M.take_proposals(ctx.client_id, { params })
  end),
  -- It has no params.
  [methods.workingSetChanged] = guard.wrap('showing the working set', function()
    require('wherefore.working_set_panel').refresh_panel()
  end),
  [methods.ask] = make_answer_handler('asking you', function(params, ctx)
    return questions.ask_person(ctx.client_id, params)
  end, vim.empty_dict()),
  [methods.diagnostics] = make_answer_handler('listing diagnostics', function(params)
    return require('wherefore.server.diagnostics').list_diagnostics(params)
  end, { documents = {} }),
  [methods.save] = make_answer_handler('saving', function(params)
    return require('wherefore.server.save_buffers').save_files(params)
  end, { saved = {} }),
  ['workspace/applyEdit'] = make_answer_handler('applying an edit', function(params, ctx)
    return require('wherefore.server.workspace_edits').apply(params, ctx)
  end, { applied = false, failureReason = 'the plugin failed' }),
}

return M
