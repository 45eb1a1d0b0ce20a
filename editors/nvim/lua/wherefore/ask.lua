--- `:Wherefore ask`: runs of the built-in agent, with a model of the person's own: what happened in each, and what the person
--- says to it. `wherefore.ask_panel` shows them.
local M = {}

local asks = require('wherefore.asks')
local client = require('wherefore.client')
local methods = require('wherefore.wire').methods
local notify = require('wherefore.notify')
local text = require('wherefore.text')

---@class wherefore.RunItem
---@field kind 'task'|'text'|'thinking'|'call'|'note'|'question'|'end'
---@field text string what was said; of a call its why
---@field call? string the model's id of the call
---@field tool? string
---@field paths? string[]
---@field call_id? string the call's id in the log, once it has one
---@field status? wherefore.Status how the call ended
---@field summary? string what came of the call
---@field waits? boolean whether the call waits for a decision
---@field question? wherefore.Question as long as it is open
---@field answer? string
---@field ended? wherefore.AgentEnd

---@class wherefore.Run
---@field id string
---@field client integer
---@field root string
---@field session string
---@field model string
---@field state wherefore.AgentState
---@field seq integer the number of the newest event that is known
---@field items wherefore.RunItem[]
---@field usage? wherefore.AgentUsage
---@field next_step? true whether the model was asked again, and wrote nothing yet
---@field queued? wherefore.AgentEvent[] what came while earlier events are fetched

---@type table<string, wherefore.Run> by client and id
local runs = {}
---@type wherefore.Run? the one that was looked at last
local newest

---@type fun(run: wherefore.Run, item?: integer)
local changed = function() end

--- Calls `run` when a run changes: from which item on, or only how it stands.
---@param run fun(run: wherefore.Run, item?: integer)
function M.on_change(run)
  changed = run
end

--- The run that was looked at last.
---@return wherefore.Run?
function M.newest()
  return newest
end

---@param id integer
---@param run string
local function key(id, run)
  return ('%d/%s'):format(id, run)
end

---@param run wherefore.Run
---@param item wherefore.RunItem
local function add(run, item)
  table.insert(run.items, item)
  changed(run, #run.items)
end

--- Adds a piece to the text that is written now, or begins one.
---@param run wherefore.Run
---@param kind 'text'|'thinking'
---@param piece string
local function add_piece(run, kind, piece)
  local last = run.items[#run.items]
  if last and last.kind == kind and not run.next_step then
    last.text = last.text .. piece
    return changed(run, #run.items)
  end
  run.next_step = nil
  add(run, { kind = kind, text = piece })
end

--- The newest item that a test holds for.
---@param run wherefore.Run
---@param is fun(item: wherefore.RunItem): boolean
---@return integer?
local function last_where(run, is)
  for index = #run.items, 1, -1 do
    if is(run.items[index]) then
      return index
    end
  end
end

---@param run wherefore.Run
---@param method string
---@param params table
---@param done? fun(answer: any)
local function send(run, method, params, done)
  local lsp = vim.lsp.get_client_by_id(run.client)
  if not lsp then
    return notify.warn('the server is gone, and the run with it; :Wherefore restart, then :Wherefore runs goes on with it')
  end
  client.request(lsp, method, vim.tbl_extend('force', { run = run.id }, params), done or function() end)
end

---@param run wherefore.Run
---@param event wherefore.AgentEvent
local function take_question(run, event)
  local item = { kind = 'question', text = event.text }
  local params = { root = run.root, session = run.session, call_id = '', tool = 'the agent', why = '', text = event.text, answers = event.answers }
  add(run, item)
  item.question = asks.add(run.client, params, function(answer)
    item.question, item.answer = nil, answer
    changed(run, last_where(run, function(each)
      return each == item
    end))
    -- One that is not asked any more has no answer.
    if answer then
      send(run, methods.agentSay, { question = event.id, text = answer })
    end
  end)
end

--- Nothing that a turn asked or waited for is open once it ended.
---@param run wherefore.Run
local function settle(run)
  for index, item in ipairs(run.items) do
    if item.question then
      asks.withdraw(item.question)
    elseif item.kind == 'call' and not item.status then
      item.status, item.waits = 'error', nil
      changed(run, index)
    end
  end
end

---@type table<string, fun(run: wherefore.Run, event: table)>
local take = {
  began = function(run, event)
    run.state, run.model = 'working', event.model
    add(run, { kind = 'task', text = event.task })
  end,
  step = function(run)
    run.next_step = true
  end,
  text = function(run, event)
    add_piece(run, 'text', event.text)
  end,
  thinking = function(run, event)
    add_piece(run, 'thinking', event.text)
  end,
  call = function(run, event)
    add(run, { kind = 'call', text = event.why, call = event.call, tool = event.tool, paths = event.paths })
  end,
  proposed = function(run)
    local index = last_where(run, function(item)
      return item.kind == 'call' and not item.status and not item.waits
    end)
    if index then
      run.items[index].waits = true
      changed(run, index)
    end
  end,
  result = function(run, event)
    local index = last_where(run, function(item)
      return item.kind == 'call' and item.call == event.call and not item.status
    end)
    if index then
      local item = run.items[index]
      item.status, item.summary, item.call_id, item.waits = event.status, event.summary, event.call_id, nil
      changed(run, index)
    end
  end,
  question = take_question,
  note = function(run, event)
    add(run, { kind = 'note', text = event.text })
  end,
  usage = function(run, event)
    run.usage = event.usage
    changed(run)
  end,
  ended = function(run, event)
    run.state = run.state == 'ended' and 'ended' or 'waiting'
    settle(run)
    add(run, { kind = 'end', text = event.text, ended = event['end'] })
    if not require('wherefore.ask_panel').is_shown(run) then
      notify.say(('wherefore: the agent: %s. %s; :Wherefore ask shows it'):format(event['end'], event.text))
    end
  end,
}

---@param run wherefore.Run
---@param event wherefore.AgentEvent
local function take_event(run, event)
  if event.seq > run.seq then
    run.seq = event.seq
    local taker = take[event.kind]
    if taker then
      taker(run, event)
    end
  end
end

--- Fetches what happened since the newest event that is known.
---@param run wherefore.Run
local function fetch(run)
  local lsp = vim.lsp.get_client_by_id(run.client)
  if not lsp or run.queued then
    return
  end
  run.queued = {}
  client.ask(lsp, methods.agentEvents, { run = run.id, after = run.seq, wait_ms = 0 }, function(answer)
    local queued = run.queued or {}
    run.queued = nil
    for _, event in ipairs(answer and answer.events or {}) do
      take_event(run, event)
    end
    run.state = answer and answer.state or run.state
    changed(run)
    for _, event in ipairs(queued) do
      M.heard(run.client, event)
    end
  end)
end

--- Something happened in a run. Runs that were not begun or opened here are others' business.
---@param id integer the client
---@param event wherefore.AgentEvent
function M.heard(id, event)
  local run = runs[key(id, event.run)]
  if not run then
    return
  end
  if run.queued then
    return table.insert(run.queued, event)
  end
  -- Where much comes at once, the server leaves events out.
  if event.seq > run.seq + 1 then
    return fetch(run)
  end
  take_event(run, event)
end

--- A server ended, and its runs with it.
---@param id integer the client
function M.lost(id)
  for _, run in pairs(runs) do
    if run.client == id and run.state ~= 'ended' then
      run.state, run.queued = 'ended', nil
      settle(run)
      add(run, { kind = 'note', text = 'the server ended; :Wherefore runs goes on with this run' })
    end
  end
end

--- Takes the conversation that a run goes on with, as the log has it, and then what happened since.
---@param run wherefore.Run
---@param resumes string
local function fetch_earlier(run, resumes)
  local lsp = vim.lsp.get_client_by_id(run.client)
  if not lsp then
    return
  end
  run.queued = {}
  local params = { run = resumes, after = 0, wait_ms = 0, logged = true, root = lsp.config.root_dir }
  client.ask(lsp, methods.agentEvents, params, function(answer)
    local model = run.model
    for _, event in ipairs(answer and answer.events or {}) do
      run.next_step = event.kind == 'text' or nil
      if take[event.kind] then
        take[event.kind](run, event)
      end
    end
    run.model, run.queued = model, nil
    add(run, { kind = 'note', text = ('so far the conversation of %s, as the log has it'):format(resumes) })
    fetch(run)
  end)
end

---@param lsp vim.lsp.Client
---@param about { run: string, session: string, model: string, state?: wherefore.AgentState }
---@param resumes? string the run whose conversation goes on
local function open(lsp, about, resumes)
  local at = key(lsp.id, about.run)
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
    local earlier = resumes and runs[key(lsp.id, resumes)]
    if earlier then
      run.items = vim.list_slice(earlier.items)
      resumes = nil
    end
    runs[at] = run
  else
    resumes = nil
  end
  newest = run
  require('wherefore.ask_panel').open(run)
  if resumes then
    return fetch_earlier(run, resumes)
  end
  fetch(run)
end

---@param lsp vim.lsp.Client
---@param task string
---@param resume? string
local function start(lsp, task, resume)
  local params = { task = task, resume = resume, attended = true, root = lsp.config.root_dir }
  client.request(lsp, methods.agentRun, params, function(answer)
    open(lsp, answer, resume)
  end)
end

--- Does something with the server; one that starts just now is waited for.
---@param act fun(lsp: vim.lsp.Client)
---@param looks integer how often it is looked for
local function once_ready(act, looks)
  if looks > 0 and not client.current() and #client.all() > 0 then
    return vim.defer_fn(function()
      once_ready(act, looks - 1)
    end, 100)
  end
  local lsp = client.needed()
  if lsp then
    act(lsp)
  end
end

--- Begins a run. With no task it shows the run that was looked at last; where there is none it asks for the task.
---@param task? string
function M.run(task)
  if task then
    return once_ready(function(lsp)
      start(lsp, task)
    end, 100)
  elseif not client.needed() then
    return
  elseif newest then
    return require('wherefore.ask_panel').open(newest)
  end
  M.new()
end

--- Asks for a task, and begins a run with it.
function M.new()
  local lsp = client.needed()
  if not lsp then
    return
  end
  vim.ui.input({ prompt = 'Ask the agent: ' }, function(typed)
    if typed and vim.trim(typed) ~= '' then
      start(lsp, vim.trim(typed))
    end
  end)
end

--- Says something to a run: one at work hears it before its next step, one that waits goes on with it. One that ended is
--- resumed.
---@param run wherefore.Run
function M.say(run)
  vim.ui.input({ prompt = run.state == 'working' and 'Tell the agent: ' or 'Go on with: ' }, function(typed)
    local words = vim.trim(typed or '')
    if words == '' then
      return
    elseif run.state ~= 'ended' then
      return send(run, methods.agentSay, { text = words })
    end
    local lsp = vim.lsp.get_client_by_id(run.client) or client.needed()
    if lsp then
      start(lsp, words, run.id)
    end
  end)
end

--- Cancels what a run does: its turn ends, and it waits for other words.
---@param run wherefore.Run
function M.cancel(run)
  if run.state ~= 'working' then
    return notify.say('wherefore: the agent is not at work')
  end
  send(run, methods.agentCancel, {}, function(summary)
    run.state = summary.state
    changed(run)
  end)
end

--- Ends a run. It can be resumed.
---@param run wherefore.Run
function M.finish(run)
  if run.state == 'ended' then
    return notify.say('wherefore: this run has ended; i goes on with it')
  end
  send(run, methods.agentCancel, { ['end'] = true }, function()
    run.state = 'ended'
    changed(run)
  end)
end

--- Answers the oldest question of a run.
---@param run wherefore.Run
function M.answer(run)
  local item = vim.iter(run.items):find(function(each)
    return each.question ~= nil
  end)
  if not item then
    return notify.say('wherefore: the agent asks nothing; i says something to it')
  end
  asks.choose(item.question)
end

--- Lists the runs of the folder, those of earlier sessions among them, and goes on with the one that is picked.
function M.pick()
  local lsp = client.needed()
  if not lsp then
    return
  end
  client.request(lsp, methods.agentList, { root = lsp.config.root_dir }, function(answer)
    if #answer.runs == 0 then
      return notify.say('wherefore: no run of the agent yet; :Wherefore ask begins one')
    end
    local options = {
      prompt = 'wherefore: runs of the agent',
      format_item = function(each)
        return text.clip(('%s · %s · %s · %s'):format(text.moment(each.time), each.state, each.model, each.task), 200)
      end,
    }
    vim.ui.select(answer.runs, options, function(each)
      if not each then
        return
      elseif each.state ~= 'ended' or runs[key(lsp.id, each.run)] then
        return open(lsp, each)
      end
      vim.ui.input({ prompt = 'Go on with: ' }, function(typed)
        if typed and vim.trim(typed) ~= '' then
          start(lsp, vim.trim(typed), each.run)
        end
      end)
    end)
  end)
end

return M
