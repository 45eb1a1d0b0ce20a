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

---@param cell string
---@param width integer
local function cell_of(cell, width)
  cell = text.clip(cell, width)
  return cell .. (' '):rep(width - vim.api.nvim_strwidth(cell)) .. ' '
end

--- The tool that is called, or the agent's own that the call stands for.
---@param notice wherefore.CallNotice
local function tool_of(notice)
  return notice.origin.tool and ('%s (%s)'):format(notice.origin.tool, notice.origin.door or '') or notice.tool
end

--- The reason, with what went wrong.
---@param call wherefore.Call
---@return string
local function why_of(call)
  return call.fault and ('%s (%s)'):format(call.notice.why, call.fault.message) or call.notice.why
end

---@param width integer
---@return wherefore.Row[]
local function rows(width)
  local state_of, wide = calls.states(), width >= 90
  return vim.tbl_map(function(call)
    local notice, state = call.notice, state_of(call)
    local command = terminals.running(call)
    local why = why_of(call)
    if command then
      state = call.status and 'in background' or state
      why = ('%s: %s'):format(terminals.tier(command), why)
    end
    -- The reason comes first: where there is little room, the rest stands in the float of K.
    local parts = { { cell_of(state, 15), colours[state] or 'WhereforeHint' }, { cell_of(tool_of(notice), wide and 18 or 11) } }
    if wide then
      table.insert(parts, 1, { cell_of(text.clock(notice.time), 8), 'WhereforeHint' })
      table.insert(parts, { cell_of(notice.origin.agent or notice.origin.door or '', 18), 'WhereforeHint' })
    end
    table.insert(parts, { text.clip(why, math.max(width - (wide and 64 or 28), 20)) })
    return { id = ('%d/%s/%s'):format(call.client, notice.session, notice.call_id), item = call, parts = parts }
  end, calls.list())
end

--- All of a call, which a row has no room for.
---@param call wherefore.Call
local function explain(call)
  local notice = call.notice
  local who = notice.origin.agent or notice.origin.door or 'an agent without a name'
  local lines = { why_of(call), '', ('%s: %s'):format(tool_of(notice), calls.states()(call)) }
  if #(notice.paths or {}) > 0 then
    table.insert(lines, table.concat(notice.paths, ', '))
  end
  table.insert(lines, ('%s · %s · %s'):format(who, notice.call_id, text.clock(notice.time)))
  require('wherefore.float').open(lines)
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
  { lhs = 'K', desc = 'why', run = explain },
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
