--- `:Wherefore ask`: runs of the built-in agent, with a model of the person's own: how they begin, what the person says to them
--- and how they end. `wherefore.agent.run_events` takes what happens in them, `wherefore.agent.run_panel` shows it.
local M = {}

local questions = require('wherefore.calls.questions')
local client = require('wherefore.server.client')
local methods = require('wherefore.server.wire').methods
local messages = require('wherefore.messages')
local run_events = require('wherefore.agent.run_events')
local text = require('wherefore.text')

---@type table<string, wherefore.AgentRun> by client and id
local runs = {}
---@type wherefore.AgentRun? the one that was looked at last
local newest

--- The run that was looked at last.
---@return wherefore.AgentRun?
function M.find_newest()
  return newest
end

---@param id integer
---@param run string
local function make_key(id, run)
  return ('%d/%s'):format(id, run)
end

--- Fetches what happened since the newest event that is known.
---@param run wherefore.AgentRun
local function fetch_events(run)
  local lsp = vim.lsp.get_client_by_id(run.client)
  if not lsp or run.queued then
    return
  end
  run.queued = {}
  client.request_quietly(lsp, methods.agentEvents, { run = run.id, after = run.seq, wait_ms = 0 }, function(answer)
    local queued = run.queued or {}
    run.queued = nil
    for _, event in ipairs(answer and answer.events or {}) do
      run_events.take_event(run, event)
    end
    run.state = answer and answer.state or run.state
    run_events.note_change(run)
    for _, event in ipairs(queued) do
      M.receive_event(run.client, event)
    end
  end)
end

--- Something happened in a run. Runs that were not begun or opened here are others' business.
---@param id integer the client
---@param event wherefore.AgentEvent
function M.receive_event(id, event)
  local run = runs[make_key(id, event.run)]
  if not run then
    return
  end
  if run.queued then
    return table.insert(run.queued, event)
  end
  -- Where much comes at once, the server leaves events out.
  if event.seq > run.seq + 1 then
    return fetch_events(run)
  end
  run_events.take_event(run, event)
end

--- A server ended, and its runs with it.
---@param id integer the client
function M.end_runs(id)
  for _, run in pairs(runs) do
    if run.client == id and run.state ~= 'ended' then
      run.state, run.queued = 'ended', nil
      run_events.settle_turn(run)
      run_events.add_item(run, { kind = 'note', text = 'the server ended; :Wherefore runs goes on with this run' })
    end
  end
end

--- Takes the conversation that a run goes on with, as the log has it, and then what happened since.
---@param run wherefore.AgentRun
---@param resumes string
local function fetch_earlier(run, resumes)
  local lsp = vim.lsp.get_client_by_id(run.client)
  if not lsp then
    return
  end
  run.queued = {}
  local params = { run = resumes, after = 0, wait_ms = 0, logged = true, root = lsp.config.root_dir }
  client.request_quietly(lsp, methods.agentEvents, params, function(answer)
    local model = run.model
    for _, event in ipairs(answer and answer.events or {}) do
      run.next_step = event.kind == 'text' or nil
      run_events.take_logged(run, event)
    end
    run.model, run.queued = model, nil
    run_events.add_item(run, { kind = 'note', text = ('so far the conversation of %s, as the log has it'):format(resumes) })
    fetch_events(run)
  end)
end

---@param lsp vim.lsp.Client
---@param about { run: string, session: string, model: string, state?: wherefore.AgentState }
---@param resumes? string the run whose conversation goes on
local function open_run(lsp, about, resumes)
  local at = make_key(lsp.id, about.run)
  local run = runs[at]
  if not run then
    run = {
      id = about.run,
      client = lsp.id,
      root = vim.uri_from_fname(lsp.config.root_dir),
      session = about.session,
      model = about.model,
      state = about.state or 'working',
      seq = 0,
      items = {},
    }
    local earlier = resumes and runs[make_key(lsp.id, resumes)]
    if earlier then
      run.items = vim.list_slice(earlier.items)
      resumes = nil
    end
    runs[at] = run
  else
    resumes = nil
  end
  newest = run
  require('wherefore.agent.run_panel').show_run(run)
  if resumes then
    return fetch_earlier(run, resumes)
  end
  fetch_events(run)
end

---@param lsp vim.lsp.Client
---@param task string
---@param resume? string
local function start_run(lsp, task, resume)
  local params = { task = task, resume = resume, attended = true, root = lsp.config.root_dir }
  client.request(lsp, methods.agentRun, params, function(answer)
    open_run(lsp, answer, resume)
  end)
end

--- Does something with the server; one that starts just now is waited for.
---@param act fun(lsp: vim.lsp.Client)
---@param looks integer how often it is looked for
local function run_when_ready(act, looks)
  if looks > 0 and not client.find_current() and #client.list_clients() > 0 then
    return vim.defer_fn(function()
      run_when_ready(act, looks - 1)
    end, 100)
  end
  local lsp = client.require_client()
  if lsp then
    act(lsp)
  end
end

--- Begins a run. With no task it shows the run that was looked at last; where there is none it asks for the task.
---@param task? string
function M.start_or_show(task)
  if task then
    return run_when_ready(function(lsp)
      start_run(lsp, task)
    end, 100)
  elseif not client.require_client() then
    return
  elseif newest then
    return require('wherefore.agent.run_panel').show_run(newest)
  end
  M.ask_for_task()
end

--- Asks for a task, and begins a run with it.
function M.ask_for_task()
  local lsp = client.require_client()
  if not lsp then
    return
  end
  vim.ui.input({ prompt = 'Ask the agent: ' }, function(typed)
    if typed and vim.trim(typed) ~= '' then
      start_run(lsp, vim.trim(typed))
    end
  end)
end

--- Says something to a run: one at work hears it before its next step, one that waits goes on with it. One that ended is
--- resumed.
---@param run wherefore.AgentRun
function M.say_more(run)
  vim.ui.input({ prompt = run.state == 'working' and 'Tell the agent: ' or 'Go on with: ' }, function(typed)
    local words = vim.trim(typed or '')
    if words == '' then
      return
    elseif run.state ~= 'ended' then
      return run_events.send_request(run, methods.agentSay, { text = words })
    end
    local lsp = vim.lsp.get_client_by_id(run.client) or client.require_client()
    if lsp then
      start_run(lsp, words, run.id)
    end
  end)
end

--- Cancels what a run does: its turn ends, and it waits for other words.
---@param run wherefore.AgentRun
function M.cancel_run(run)
  if run.state ~= 'working' then
    return messages.show('wherefore: the agent is not at work')
  end
  run_events.send_request(run, methods.agentCancel, {}, function(summary)
    run.state = summary.state
    run_events.note_change(run)
  end)
end

--- Ends a run. It can be resumed.
---@param run wherefore.AgentRun
function M.end_run(run)
  if run.state == 'ended' then
    return messages.show('wherefore: this run has ended; i goes on with it')
  end
  run_events.send_request(run, methods.agentCancel, { ['end'] = true }, function()
    run.state = 'ended'
    run_events.note_change(run)
  end)
end

--- Answers the oldest question of a run.
---@param run wherefore.AgentRun
function M.answer_question(run)
  local item = vim.iter(run.items):find(function(each)
    return each.question ~= nil
  end)
  if not item then
    return messages.show('wherefore: the agent asks nothing; i says something to it')
  end
  questions.choose_answer(item.question)
end

--- Lists the runs of the folder, those of earlier sessions among them, and goes on with the one that is picked.
function M.pick_run()
  local lsp = client.require_client()
  if not lsp then
    return
  end
  client.request(lsp, methods.agentList, { root = lsp.config.root_dir }, function(answer)
    if #answer.runs == 0 then
      return messages.show('wherefore: no run of the agent yet; :Wherefore ask begins one')
    end
    local options = {
      prompt = 'wherefore: runs of the agent',
      format_item = function(each)
        return text.clip(('%s · %s · %s · %s'):format(text.format_moment(each.time), each.state, each.model, each.task), 200)
      end,
    }
    vim.ui.select(answer.runs, options, function(each)
      if not each then
        return
      elseif each.state ~= 'ended' or runs[make_key(lsp.id, each.run)] then
        return open_run(lsp, each)
      end
      vim.ui.input({ prompt = 'Go on with: ' }, function(typed)
        if typed and vim.trim(typed) ~= '' then
          start_run(lsp, vim.trim(typed), each.run)
        end
      end)
    end)
  end)
end

return M
