--- The last calls, and how each one went. No text and no windows here.
local M = {}

local asks = require('wherefore.asks')
local review = require('wherefore.review')

--- How many calls are remembered.
local most = 500

---@class wherefore.Call
---@field client integer the client whose server runs it
---@field notice wherefore.CallNotice
---@field status? wherefore.Status how it ended; nil while it runs
---@field fault? wherefore.Fault

---@type wherefore.Call[] oldest first
local list = {}
---@type table<string, wherefore.Call> by client, session and id
local known = {}
local on_change, changed = require('wherefore.listeners').new()

--- Each session counts its calls anew, and one server has a session in each folder.
---@param client integer
---@param of wherefore.CallNotice|wherefore.FinishNotice|wherefore.Proposal
local function key(client, of)
  return ('%d/%s/%s'):format(client, of.session, of.call_id)
end

--- Calls `run` when a call comes or ends.
M.on_change = on_change

--- Makes room for one: the oldest that ended goes first.
local function forget_one()
  for index, call in ipairs(list) do
    if call.status then
      known[key(call.client, call.notice)] = nil
      return table.remove(list, index)
    end
  end
  local first = table.remove(list, 1)
  known[key(first.client, first.notice)] = nil
end

---@param client integer
---@param notice wherefore.CallNotice
function M.began(client, notice)
  if #list >= most then
    forget_one()
  end
  local call = { client = client, notice = notice }
  table.insert(list, call)
  known[key(client, notice)] = call
  changed()
end

---@param client integer
---@param notice wherefore.FinishNotice
---@return wherefore.Call?
function M.ended(client, notice)
  local call = known[key(client, notice)]
  if call then
    call.status, call.fault = notice.status, notice.error
    changed()
  end
  return call
end

--- A server ended, and with it what it ran.
---@param client integer
function M.lost(client)
  for _, call in ipairs(list) do
    if call.client == client and not call.status then
      call.status = 'error'
    end
  end
  changed()
end

--- What is remembered, newest first.
---@return wherefore.Call[]
function M.list()
  return vim.iter(list):rev():totable()
end

---@return wherefore.Call[] newest first
function M.running()
  return vim.tbl_filter(function(call)
    return not call.status
  end, M.list())
end

--- The ids of the last calls that write, newest first.
---@return string[]
function M.writes()
  return vim
    .iter(M.list())
    :filter(function(call)
      return call.notice.writes
    end)
    :map(function(call)
      return call.notice.call_id
    end)
    :totable()
end

--- What to say of how calls stand: those whose hunks wait are waited for.
---@return fun(call: wherefore.Call): string
function M.states()
  local waits = {}
  for _, entry in ipairs(review.entries()) do
    if review.waiting(entry.proposal) > 0 then
      waits[key(entry.client, entry.proposal)] = true
    end
  end
  local ended = { ok = 'ok', error = 'failed', pending = 'pending', latent = 'ok' }
  return function(call)
    if call.status then
      return ended[call.status] or call.status
    end
    if asks.of(call) then
      return 'asks you'
    end
    return waits[key(call.client, call.notice)] and 'waiting for you' or 'running'
  end
end

return M
