--- `:Wherefore calls`: the calls as they come and go, and `:Wherefore cancel`.
local M = {}

local questions = require('wherefore.calls.questions')
local call_list = require('wherefore.calls.call_list')
local client = require('wherefore.server.client')
local methods = require('wherefore.server.wire').methods
local messages = require('wherefore.messages')
local panel = require('wherefore.panel')
local command_terminals = require('wherefore.calls.command_terminals')
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
local function pad_cell(cell, width)
  cell = text.clip(cell, width)
  return cell .. (' '):rep(width - vim.api.nvim_strwidth(cell)) .. ' '
end

--- The tool that is called, or the agent's own that the call stands for.
---@param notice wherefore.CallNotice
local function describe_tool(notice)
  return notice.origin.tool and ('%s (%s)'):format(notice.origin.tool, notice.origin.door or '') or notice.tool
end

--- The reason, with what went wrong.
---@param call wherefore.CallRecord
---@return string
local function describe_why(call)
  local wrong = call.fault and call.fault.message or call.failure
  return wrong and ('%s (%s)'):format(call.notice.why, wrong) or call.notice.why
end

---@param width integer
---@return wherefore.PanelRow[]
local function make_rows(width)
  local state_of, wide = call_list.make_state_describer(), width >= 90
  return vim.tbl_map(function(call)
    local notice, state = call.notice, state_of(call)
    local command, background = command_terminals.find_running(call), command_terminals.find_failure(call)
    local why = describe_why(call)
    if command then
      state = call.status and 'in background' or state
      why = ('%s: %s'):format(command_terminals.find_tier(command), why)
    elseif background and state == 'ok' then
      state = background == 'cancelled' and background or 'failed'
      why = state == background and why or ('%s (%s)'):format(why, background)
    end
    -- The reason comes first: where there is little room, the rest stands in the float of K.
    local parts = { { pad_cell(state, 15), colours[state] or 'WhereforeHint' }, { pad_cell(describe_tool(notice), wide and 18 or 11) } }
    if wide then
      table.insert(parts, 1, { pad_cell(text.format_clock(notice.time), 8), 'WhereforeHint' })
      table.insert(parts, { pad_cell(notice.origin.agent or notice.origin.door or '', 18), 'WhereforeHint' })
    end
    table.insert(parts, { text.clip(why, math.max(width - (wide and 64 or 28), 20)) })
    return { id = ('%d/%s/%s'):format(call.client, notice.session, notice.call_id), item = call, parts = parts }
  end, call_list.list_calls())
end

--- All of a call, which a row has no room for.
---@param call wherefore.CallRecord
local function explain_call(call)
  local notice = call.notice
  local who = notice.origin.agent or notice.origin.door or 'an agent without a name'
  local lines = { describe_why(call), '', ('%s: %s'):format(describe_tool(notice), call_list.make_state_describer()(call)) }
  if #(notice.paths or {}) > 0 then
    table.insert(lines, table.concat(notice.paths, ', '))
  end
  table.insert(lines, ('%s · %s · %s'):format(who, notice.call_id, text.format_clock(notice.time)))
  require('wherefore.cursor_float').open_float(lines)
end

---@param call wherefore.CallRecord
local function stop_call(call)
  local id = call.notice.call_id
  local left = call.status and command_terminals.find_running(call)
  if left then
    return command_terminals.cancel_command(left)
  end
  if call.status then
    return messages.warn(id .. ' has ended; :Wherefore undo takes back what it changed')
  end
  local lsp = vim.lsp.get_client_by_id(call.client)
  if not lsp then
    return messages.warn('the server is gone, and the call with it; :Wherefore restart')
  end
  client.request(lsp, methods.cancel, { call_id = id, root = lsp.config.root_dir }, function()
    messages.show(('wherefore: %s was told to stop'):format(id))
  end)
end

---@param call wherefore.CallRecord
local function answer_call(call)
  local question = questions.find_by_call(call)
  if not question then
    return messages.show(('wherefore: %s asks nothing'):format(call.notice.call_id))
  end
  questions.choose_answer(question)
end

---@type wherefore.ListPanel
local shown = {
  title = 'calls',
  empty = 'No call came yet.',
  newest_first = true,
  rows = make_rows,
  keys = {},
}

shown.keys = {
  {
    lhs = '<CR>',
    desc = 'log',
    run = function(call)
      panel.close(shown)
      require('wherefore.log.session_log').open_log(call)
    end,
  },
  { lhs = 'a', desc = 'answer', run = answer_call },
  {
    lhs = 'o',
    desc = 'output',
    run = function(call)
      local terminal = command_terminals.find_by_call(call)
      if not terminal then
        return messages.show(('wherefore: %s runs no command'):format(call.notice.call_id))
      end
      panel.close(shown)
      command_terminals.show_terminal(terminal)
    end,
  },
  { lhs = 'x', desc = 'cancel', run = stop_call },
  { lhs = 'K', desc = 'why', run = explain_call },
}

function M.open_panel()
  panel.open(shown)
end

--- Stops a call that runs: the one named, or the only one.
---@param id? string
function M.cancel_call(id)
  local running = call_list.list_running()
  for _, call in ipairs(running) do
    if call.notice.call_id == id or not id and #running == 1 then
      return stop_call(call)
    end
  end
  if id then
    return messages.warn(id .. ' does not run; :Wherefore calls shows what does')
  elseif #running == 0 then
    return messages.show('wherefore: no call runs')
  end
  messages.warn(('%d calls run; name one (Tab shows them), or x in :Wherefore calls'):format(#running))
end

--- The ids of the calls that run.
---@return string[]
function M.list_running_ids()
  return vim.tbl_map(function(call)
    return call.notice.call_id
  end, call_list.list_running())
end

--- Keeps the list right as calls come and end, and as hunks are decided.
function M.watch()
  local function changed()
    panel.redraw_soon(shown)
  end
  call_list.on_change(changed)
  questions.on_change(changed)
  command_terminals.on_change(changed)
  require('wherefore.review.proposal_store').on_change(changed)
end

return M
