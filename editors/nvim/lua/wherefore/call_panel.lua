--- `:Wherefore calls`: the calls as they come and go, and `:Wherefore cancel`.
local M = {}

local asks = require('wherefore.asks')
local calls = require('wherefore.calls')
local client = require('wherefore.client')
local methods = require('wherefore.wire').methods
local notify = require('wherefore.notify')
local panel = require('wherefore.panel')
local terminals = require('wherefore.terminals')
local text = require('wherefore.text')

local colours = {
  running = 'WhereforeHeader',
  ['in background'] = 'WhereforeHeader',
  ['waiting for you'] = 'WhereforeWarn',
  ['asks you'] = 'WhereforeWarn',
  failed = 'WhereforeWarn',
}

--- A time of RFC 3339 as the clock on the wall shows it.
---@param time string
---@return string
local function clock(time)
  local parts = { time:match('^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)') }
  if #parts == 0 then
    return time
  end
  local fields = { year = parts[1], month = parts[2], day = parts[3], hour = parts[4], min = parts[5], sec = parts[6] }
  local stamp = os.time(fields)
  local here, there = os.date('*t', stamp), os.date('!*t', stamp)
  here.isdst = false
  return tostring(os.date('%H:%M:%S', stamp + os.time(here) - os.time(there)))
end

---@param cell string
---@param width integer
local function cell_of(cell, width)
  cell = text.clip(cell, width)
  return cell .. (' '):rep(width - vim.api.nvim_strwidth(cell)) .. ' '
end

---@param width integer
---@return wherefore.Row[]
local function rows(width)
  local state_of = calls.states()
  return vim.tbl_map(function(call)
    local notice, state = call.notice, state_of(call)
    local command = terminals.running(call)
    local why = call.fault and ('%s (%s)'):format(notice.why, call.fault.message) or notice.why
    if command then
      state = call.status and 'in background' or state
      why = ('%s: %s'):format(terminals.tier(command), why)
    end
    return {
      id = ('%d/%s/%s'):format(call.client, notice.session, notice.call_id),
      item = call,
      parts = {
        { cell_of(clock(notice.time), 8), 'WhereforeHint' },
        { cell_of(state, 15), colours[state] or 'WhereforeHint' },
        { cell_of(notice.origin.tool and ('%s (%s)'):format(notice.origin.tool, notice.origin.door or '') or notice.tool, 18) },
        { cell_of(notice.origin.agent or notice.origin.door or '', 18), 'WhereforeHint' },
        { text.clip(why, math.max(width - 64, 20)) },
      },
    }
  end, calls.list())
end

---@param call wherefore.Call
local function stop(call)
  local id = call.notice.call_id
  local left = call.status and terminals.running(call)
  if left then
    return terminals.cancel(left)
  end
  if call.status then
    return notify.warn(id .. ' has ended; :Wherefore undo takes back what it changed')
  end
  local lsp = vim.lsp.get_client_by_id(call.client)
  if not lsp then
    return notify.warn('the server is gone, and the call with it; :Wherefore restart')
  end
  client.request(lsp, methods.cancel, { call_id = id, root = lsp.config.root_dir }, function()
    notify.say(('wherefore: %s was told to stop'):format(id))
  end)
end

---@param call wherefore.Call
local function answer(call)
  local question = asks.of(call)
  if not question then
    return notify.say(('wherefore: %s asks nothing'):format(call.notice.call_id))
  end
  asks.choose(question)
end

---@type wherefore.Panel
local shown = {
  title = 'calls',
  empty = 'No call came yet.',
  newest_first = true,
  rows = rows,
  keys = {},
}

shown.keys = {
  {
    lhs = '<CR>',
    desc = 'log',
    run = function(call)
      panel.close(shown)
      require('wherefore.log').open(call)
    end,
  },
  { lhs = 'a', desc = 'answer', run = answer },
  {
    lhs = 'o',
    desc = 'output',
    run = function(call)
      local terminal = terminals.of(call)
      if not terminal then
        return notify.say(('wherefore: %s runs no command'):format(call.notice.call_id))
      end
      panel.close(shown)
      terminals.show(terminal)
    end,
  },
  { lhs = 'x', desc = 'cancel', run = stop },
}

function M.open()
  panel.open(shown)
end

--- Stops a call that runs: the one named, or the only one.
---@param id? string
function M.cancel(id)
  local running = calls.running()
  for _, call in ipairs(running) do
    if call.notice.call_id == id or not id and #running == 1 then
      return stop(call)
    end
  end
  if id then
    return notify.warn(id .. ' does not run; :Wherefore calls shows what does')
  elseif #running == 0 then
    return notify.say('wherefore: no call runs')
  end
  notify.warn(('%d calls run; name one (Tab shows them), or x in :Wherefore calls'):format(#running))
end

--- The ids of the calls that run.
---@return string[]
function M.running()
  return vim.tbl_map(function(call)
    return call.notice.call_id
  end, calls.running())
end

--- Keeps the list right as calls come and end, and as hunks are decided.
function M.watch()
  local function changed()
    panel.changed(shown)
  end
  calls.on_change(changed)
  asks.on_change(changed)
  terminals.on_change(changed)
  require('wherefore.review').on_change(changed)
end

return M
