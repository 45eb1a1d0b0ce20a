--- Events of runs of the built-in agent: what each adds to its run.
local M = {}

local client = require('wherefore.server.client')
local messages = require('wherefore.messages')
local methods = require('wherefore.server.wire').methods
local questions = require('wherefore.calls.questions')

---@class wherefore.RunItem
---@field kind 'task'|'text'|'thinking'|'call'|'note'|'question'|'end'
---@field text string what was said; of a call its why
---@field call? string the model's id of the call
---@field tool? string
---@field paths? string[]
---@field call_id? string the call's id in the log, once it has one
---@field status? wherefore.Status how the call ended
---@field failed? boolean whether the call failed, or what it ran
---@field summary? string what came of the call
---@field waits? boolean whether the call waits for a decision
---@field question? wherefore.OpenQuestion as long as it is open
---@field answer? string
---@field ended? wherefore.AgentEnd

---@class wherefore.AgentRun
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

---@type fun(run: wherefore.AgentRun, item?: integer)
local changed = function() end

--- Calls `run` when a run changes: from which item on, or only its state.
---@param run fun(run: wherefore.AgentRun, item?: integer)
function M.on_change(run)
  changed = run
end

--- Tells of a change of a run: of an item and those behind it, or only of its state.
---@param run wherefore.AgentRun
---@param item? integer
function M.note_change(run, item)
  changed(run, item)
end

--- Adds an item to a run.
---@param run wherefore.AgentRun
---@param item wherefore.RunItem
function M.add_item(run, item)
  table.insert(run.items, item)
  changed(run, #run.items)
end

--- Adds a piece to the text that is written now, or begins one.
---@param run wherefore.AgentRun
---@param kind 'text'|'thinking'
---@param piece string
local function add_piece(run, kind, piece)
  local last = run.items[#run.items]
  if last and last.kind == kind and not run.next_step then
    last.text = last.text .. piece
    return changed(run, #run.items)
  end
  run.next_step = nil
  M.add_item(run, { kind = kind, text = piece })
end

--- The newest item that a test holds for.
---@param run wherefore.AgentRun
---@param is fun(item: wherefore.RunItem): boolean
---@return integer?
local function find_last(run, is)
  for index = #run.items, 1, -1 do
    if is(run.items[index]) then
      return index
    end
  end
end

--- Sends a request about a run.
---@param run wherefore.AgentRun
---@param method string
---@param params table
---@param done? fun(answer: any)
function M.send_request(run, method, params, done)
  local lsp = vim.lsp.get_client_by_id(run.client)
  if not lsp then
    return messages.warn('the server is gone, and the run with it; :Wherefore restart, then :Wherefore runs goes on with it')
  end
  client.request(lsp, method, vim.tbl_extend('force', { run = run.id }, params), done or function() end)
end

---@param run wherefore.AgentRun
---@param event wherefore.AgentEvent
local function take_question(run, event)
  local item = { kind = 'question', text = event.text }
  local params = { root = run.root, session = run.session, call_id = '', tool = 'the agent', why = '', text = event.text, answers = event.answers }
  M.add_item(run, item)
  item.question = questions.add_question(run.client, params, function(answer)
    item.question, item.answer = nil, answer
    changed(run, find_last(run, function(each)
      return each == item
    end))
    -- One that is not asked any more has no answer.
    if answer then
      M.send_request(run, methods.agentSay, { question = event.id, text = answer })
    end
  end)
end

--- Closes what a turn asked and waited for, once it ended.
---@param run wherefore.AgentRun
function M.settle_turn(run)
  for index, item in ipairs(run.items) do
    if item.question then
      questions.withdraw_question(item.question)
    elseif item.kind == 'call' and not item.status then
      item.status, item.failed, item.waits = 'error', true, nil
      changed(run, index)
    end
  end
end

---@type table<string, fun(run: wherefore.AgentRun, event: table)>
local takers = {
  began = function(run, event)
    run.state, run.model = 'working', event.model
    M.add_item(run, { kind = 'task', text = event.task })
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
    M.add_item(run, { kind = 'call', text = event.why, call = event.call, tool = event.tool, paths = event.paths })
  end,
  proposed = function(run, event)
    local index = find_last(run, function(item)
      return item.kind == 'call' and not item.status and not item.waits
    end)
    if index then
      run.items[index].waits, run.items[index].call_id = true, event.call_id
      changed(run, index)
    end
  end,
  result = function(run, event)
    local index = find_last(run, function(item)
      return item.kind == 'call' and item.call == event.call and not item.status
    end)
    if index then
      local item = run.items[index]
      item.status, item.summary, item.call_id, item.waits = event.status, event.summary, event.call_id, nil
      item.failed = event.failed == true
      changed(run, index)
    end
  end,
  question = take_question,
  note = function(run, event)
    M.add_item(run, { kind = 'note', text = event.text })
  end,
  usage = function(run, event)
    run.usage = event.usage
    changed(run)
  end,
  ended = function(run, event)
    run.state = run.state == 'ended' and 'ended' or 'waiting'
    M.settle_turn(run)
    M.add_item(run, { kind = 'end', text = event.text, ended = event['end'] })
    if not require('wherefore.agent.run_panel').is_shown(run) then
      messages.show(('wherefore: the agent: %s. %s; :Wherefore ask shows it'):format(event['end'], event.text))
    end
  end,
}

--- Takes an event, whatever its number.
---@param run wherefore.AgentRun
---@param event wherefore.AgentEvent
function M.take_logged(run, event)
  local take = takers[event.kind]
  if take then
    take(run, event)
  end
end

--- Takes an event that is newer than those before it.
---@param run wherefore.AgentRun
---@param event wherefore.AgentEvent
function M.take_event(run, event)
  if event.seq > run.seq then
    run.seq = event.seq
    M.take_logged(run, event)
  end
end

return M
