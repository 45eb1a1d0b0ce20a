--- The last calls, and how each one went. No text and no windows here.
local M = {}

local questions = require('wherefore.calls.questions')
local proposal_store = require('wherefore.review.proposal_store')

--- The number of calls that are remembered.
local most = 500

---@class wherefore.CallRecord
---@field client integer the client whose server runs it
---@field notice wherefore.CallNotice
---@field status? wherefore.Status how it ended; nil while it runs
---@field fault? wherefore.Fault
---@field failure? string how what it ran ended, where that failed: `exit code 1`
---@field lost? true whether its server ended before it
---@field undone? true whether it was taken back

---@type wherefore.CallRecord[] oldest first
local list = {}
---@type table<string, wherefore.CallRecord> by client, session and id
local known = {}
local on_change, changed = require('wherefore.listeners').make_list()

--- Each session counts its calls anew, and one server has a session in each folder.
---@param client integer
---@param of wherefore.CallNotice|wherefore.FinishNotice|wherefore.Proposal
local function make_key(client, of)
  return ('%d/%s/%s'):format(client, of.session, of.call_id)
end

--- Calls `run` when a call comes or ends.
M.on_change = on_change

--- Makes room for one: the oldest that ended goes first.
local function forget_one()
  for index, call in ipairs(list) do
    if call.status then
      known[make_key(call.client, call.notice)] = nil
      return table.remove(list, index)
    end
  end
  local first = table.remove(list, 1)
  known[make_key(first.client, first.notice)] = nil
end

---@param client integer
---@param notice wherefore.CallNotice
---@return wherefore.CallRecord
function M.add_call(client, notice)
  if #list >= most then
    forget_one()
  end
  local call = { client = client, notice = notice }
  table.insert(list, call)
  known[make_key(client, notice)] = call
  changed()
  return call
end

---@param client integer
---@param notice wherefore.FinishNotice
---@return wherefore.CallRecord?
function M.end_call(client, notice)
  local call = known[make_key(client, notice)]
  if call then
    -- A result that no code gave is not `ok`: the caller filled it.
    call.status, call.fault = notice.latent and 'latent' or notice.status, notice.error
    call.failure = notice.failure
    changed()
  end
  return call
end

---@type table<string, { call: wherefore.CallRecord, undone: boolean }> what each undo is of, by client and its id
local undos = {}

--- A call was taken back, or an undo was: then its change is there again.
---@param client integer
---@param id string the call or the undo that was taken back, with its session or without
---@param undo string the id of the new undo
function M.note_undo(client, id, undo)
  id = id:match('[^/]+$')
  local before = undos[client .. '/' .. id]
  local call = before and before.call or vim.iter(list):rev():find(function(each)
    return each.client == client and each.notice.call_id == id
  end)
  if not call then
    return
  end
  call.undone = not (before and before.undone) or nil
  undos[client .. '/' .. undo] = { call = call, undone = call.undone == true }
  changed()
end

--- True if the call of a proposal was taken back since.
---@param client integer
---@param proposal wherefore.Proposal
---@return boolean
function M.is_undone(client, proposal)
  local call = known[make_key(client, proposal)]
  return call ~= nil and call.undone == true
end

--- A server ended, and with it what it ran.
---@param client integer
function M.end_all(client)
  for _, call in ipairs(list) do
    if call.client == client and not call.status then
      call.status, call.lost = 'error', true
    end
  end
  changed()
end

--- Lists the calls that are remembered, newest first.
---@return wherefore.CallRecord[]
function M.list_calls()
  return vim.iter(list):rev():totable()
end

---@return wherefore.CallRecord[] newest first
function M.list_running()
  return vim.tbl_filter(function(call)
    return not call.status
  end, M.list_calls())
end

--- The ids of the last calls that write, newest first.
---@return string[]
function M.list_writing_ids()
  return vim
    .iter(M.list_calls())
    :filter(function(call)
      return call.notice.writes
    end)
    :map(function(call)
      return call.notice.call_id
    end)
    :totable()
end

local ended = { ok = 'ok', error = 'failed', pending = 'pending', latent = 'latent' }
--- Ends that are no fault of the call's.
local stopped = { CANCELLED = 'cancelled', REJECTED = 'rejected' }

--- Describes how a call ended.
---@param call wherefore.CallRecord
---@return string
local function describe_end(call)
  if call.undone then
    return 'undone'
  elseif call.lost then
    return 'server ended'
  elseif call.failure then
    return 'failed'
  end
  return call.fault and stopped[call.fault.code] or ended[call.status] or call.status
end

--- Makes a function that describes the state of calls: those whose hunks wait are waited for.
---@return fun(call: wherefore.CallRecord): string
function M.make_state_describer()
  local waits = {}
  for _, entry in ipairs(proposal_store.list_entries()) do
    if proposal_store.count_waiting_of(entry.proposal) > 0 then
      waits[make_key(entry.client, entry.proposal)] = true
    end
  end
  return function(call)
    if call.status then
      return describe_end(call)
    end
    if questions.find_by_call(call) then
      return 'asks you'
    end
    return waits[make_key(call.client, call.notice)] and 'waiting for you' or 'running'
  end
end

return M
