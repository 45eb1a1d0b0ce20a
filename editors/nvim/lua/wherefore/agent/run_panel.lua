--- The panel *Ask the agent*: a window beside with all that happened in a run, as it comes, and keys to say more.
local M = {}

local api = vim.api
local agent_runs = require('wherefore.agent.agent_runs')
local guard = require('wherefore.guard')
local keys = require('wherefore.review.keys')
local messages = require('wherefore.messages')
local run_events = require('wherefore.agent.run_events')
local text = require('wherefore.text')

--- The time that pieces are gathered before they are drawn.
local gather_ms = 15

local ns = api.nvim_create_namespace('wherefore_ask')

---@class wherefore.RunView
---@field run wherefore.AgentRun
---@field buf integer
---@field rows integer[] the first row of each item, from 0
---@field dirty? integer the first item that is to be drawn anew
---@field asked? true whether it is about to be drawn

---@type table<wherefore.AgentRun, wherefore.RunView>
local views = {}

local ends = {
  complete = 'complete',
  answered = 'answered',
  asks = 'the agent asks you; i answers',
  limit = 'a limit was reached; i goes on',
  stuck = 'it went round in circles; i goes on',
  cancelled = 'cancelled; i goes on',
  failed = 'failed; i tries again',
}

local signs = { ok = '✓', error = '✗', pending = '…', latent = '✓' }

---@class wherefore.RunRow
---@field [1] string
---@field [2] string? its group

---@param out wherefore.RunRow[]
---@param words string
---@param group? string
---@param first? string what stands before its first row; blanks before the others
local function add_rows(out, words, group, first)
  first = first or ''
  local indent = (' '):rep(api.nvim_strwidth(first))
  for index, line in ipairs(vim.split(text.escape_hidden(vim.trim(words)), '\n', { plain = true })) do
    table.insert(out, { (index == 1 and first or indent) .. line, group })
  end
end

--- A call: its tool and paths, its why, and what came of it.
---@param out wherefore.RunRow[]
---@param item wherefore.RunItem
local function add_call_rows(out, item)
  local failed = item.failed or item.status == 'error'
  local sign = item.waits and '?' or item.status and signs[failed and 'error' or item.status] or '●'
  local paths = table.concat(item.paths or {}, ', ')
  add_rows(out, text.clip(('%s %s %s'):format(sign, item.tool, paths), 400), failed and 'WhereforeWarn' or 'WhereforeHeader')
  add_rows(out, text.clip(item.text ~= '' and item.text or 'the model did not say why', 1000), 'WhereforeWhy', '  ')
  if item.waits then
    add_rows(out, ('its change waits for you: %s goes there'):format(keys.describe_next_key()), 'WhereforeWarn', '  ')
  elseif item.summary and item.summary ~= '' then
    add_rows(out, text.clip(item.summary, 1000), failed and 'WhereforeWarn' or 'WhereforeHint', '  → ')
  end
end

--- The keys, above the first item.
local hint = 'Ask the agent: i say · a answer · x cancel · X end · n new · r runs · <CR> log · q close'

---@param item wherefore.RunItem
---@param index integer
---@return wherefore.RunRow[]
local function make_rows(item, index)
  local out = {}
  if index == 1 then
    add_rows(out, hint, 'WhereforeHint')
  end
  if item.kind == 'task' then
    table.insert(out, { '' })
    add_rows(out, item.text, 'WhereforeHeader', '▶ ')
  elseif item.kind == 'call' then
    add_call_rows(out, item)
  elseif item.kind == 'question' then
    add_rows(out, item.text, 'WhereforeWarn', '? ')
    local answers = item.question and ('a answers: ' .. table.concat(item.question.params.answers, ', '))
    add_rows(out, answers or item.answer and ('you answered: ' .. item.answer) or 'not asked any more', 'WhereforeHint', '  ')
  elseif item.kind == 'end' then
    add_rows(out, ends[item.ended] or item.ended, item.ended == 'failed' and 'WhereforeWarn' or 'WhereforeHeader', '■ ')
    if vim.trim(item.text) ~= '' then
      add_rows(out, item.text, nil, '  ')
    end
  elseif vim.trim(item.text) ~= '' then
    add_rows(out, item.text, item.kind ~= 'text' and 'WhereforeHint' or nil, item.kind == 'note' and '· ' or '')
  end
  return out
end

---@param number integer
---@return string
local function format_number(number)
  return number < 10000 and tostring(number) or ('%.0fk'):format(number / 1000)
end

--- Describes how a run stands, and what it took.
---@param run wherefore.AgentRun
---@return string
local function describe_run(run)
  local parts = { run.model, run.state == 'waiting' and 'waits' or run.state }
  local usage = run.usage
  if usage then
    table.insert(parts, text.format_count(usage.steps, 'step'))
    table.insert(parts, ('%s in, %s out'):format(format_number(usage.input_tokens), format_number(usage.output_tokens)))
    if type(usage.cost) == 'number' then
      table.insert(parts, ('$%.4f'):format(usage.cost))
    end
  end
  return table.concat(parts, ' · ')
end

---@param view wherefore.RunView
local function draw_bar(view)
  local bar = text.clip(describe_run(view.run), 400):gsub('%%', '%%%%')
  for _, win in ipairs(vim.fn.win_findbuf(view.buf)) do
    vim.wo[win][0].winbar = bar
  end
end

--- Writes the items that changed and those below them.
---@param view wherefore.RunView
local function draw_items(view)
  local buf, first = view.buf, view.dirty
  view.dirty = nil
  local lines, marks = {}, {}
  local top = first == 1 and 0 or view.rows[first] or api.nvim_buf_line_count(buf)
  for index = first, #view.run.items do
    view.rows[index] = top + #lines
    for _, row in ipairs(make_rows(view.run.items[index], index)) do
      table.insert(lines, row[1])
      if row[2] then
        table.insert(marks, { top + #lines - 1, #row[1], row[2] })
      end
    end
  end
  local last = api.nvim_buf_line_count(buf)
  local follow = vim.tbl_filter(function(win)
    return api.nvim_win_get_cursor(win)[1] >= last
  end, vim.fn.win_findbuf(buf))
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, top, -1, false, lines)
  vim.bo[buf].modifiable, vim.bo[buf].modified = false, false
  api.nvim_buf_clear_namespace(buf, ns, top, -1)
  for _, mark in ipairs(marks) do
    api.nvim_buf_set_extmark(buf, ns, mark[1], 0, { end_col = mark[2], hl_group = mark[3] })
  end
  for _, win in ipairs(follow) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(buf), 0 })
  end
end

---@param view wherefore.RunView
local function draw_view(view)
  view.asked = nil
  if not api.nvim_buf_is_loaded(view.buf) then
    return
  end
  if view.dirty then
    draw_items(view)
  end
  draw_bar(view)
end

run_events.on_change(function(run, item)
  local view = views[run]
  if not view then
    return
  end
  if item then
    view.dirty = math.min(view.dirty or item, item)
  end
  if not view.asked then
    view.asked = true
    vim.defer_fn(function()
      guard.wrap('showing the agent', draw_view)(view)
    end, gather_ms)
  end
end)

--- The change of the run in the current buffer that waits: of the call at the cursor, else of its last one.
---@return wherefore.ReviewEntry?
function M.find_waiting_entry()
  local buf = api.nvim_get_current_buf()
  local view = vim.iter(vim.tbl_values(views)):find(function(each)
    return each.buf == buf
  end)
  local row, found = api.nvim_win_get_cursor(0)[1] - 1, nil
  for index, first in ipairs(view and view.rows or {}) do
    local item = view.run.items[index]
    if item and item.waits and (first <= row or not found) then
      found = item
    end
  end
  return found
    and vim.iter(require('wherefore.review.proposal_store').list_entries()):find(function(entry)
      return entry.client == view.run.client and entry.proposal.call_id == found.call_id and entry.proposal.session == view.run.session
    end)
end

--- Opens what is at the cursor: a call in the log, or a question to answer; where it is neither, asks for words.
---@param view wherefore.RunView
local function open_at_cursor(view)
  local row, found = api.nvim_win_get_cursor(0)[1] - 1, nil
  for index, first in ipairs(view.rows) do
    found = first <= row and view.run.items[index] or found
  end
  if found and found.kind == 'call' then
    if not found.call_id then
      return messages.show('wherefore: the call is in the log once it ended')
    end
    local call = { client = view.run.client, notice = { session = view.run.session, call_id = found.call_id } }
    return require('wherefore.log.session_log').open_log(call)
  elseif found and found.question then
    return agent_runs.answer_question(view.run)
  end
  agent_runs.say_more(view.run)
end

---@param view wherefore.RunView
local function map_keys(view)
  local run = view.run
  local function on(lhs, desc, act)
    local function guarded()
      guard.wrap(desc, act)(run)
    end
    vim.keymap.set('n', lhs, guarded, { buffer = view.buf, nowait = true, desc = 'wherefore: ' .. desc })
  end
  on('i', 'say something to the agent', agent_runs.say_more)
  on('a', 'answer what it asks', agent_runs.answer_question)
  on('x', 'cancel what it does', agent_runs.cancel_run)
  on('<C-c>', 'cancel what it does', agent_runs.cancel_run)
  on('X', 'end the run', agent_runs.end_run)
  on('n', 'begin another run', agent_runs.ask_for_task)
  on('r', 'go on with another run', agent_runs.pick_run)
  on('<CR>', 'open the call in the log', function()
    open_at_cursor(view)
  end)
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = view.buf, nowait = true, desc = 'wherefore: close' })
end

---@param run wherefore.AgentRun
---@return wherefore.RunView
local function find_view(run)
  local view = views[run]
  if view and api.nvim_buf_is_loaded(view.buf) then
    return view
  elseif view and api.nvim_buf_is_valid(view.buf) then
    api.nvim_buf_delete(view.buf, { force = true })
  end
  view = { run = run, buf = api.nvim_create_buf(false, true), rows = {}, dirty = #run.items > 0 and 1 or nil }
  views[run] = view
  api.nvim_buf_set_name(view.buf, ('wherefore://ask/%s'):format(run.id))
  vim.bo[view.buf].buftype, vim.bo[view.buf].swapfile, vim.bo[view.buf].bufhidden = 'nofile', false, 'hide'
  vim.bo[view.buf].filetype, vim.bo[view.buf].undolevels, vim.bo[view.buf].modifiable = 'wherefore-ask', -1, false
  map_keys(view)
  return view
end

--- True if a window of this tab page shows a run.
---@param run wherefore.AgentRun
---@return boolean
function M.is_shown(run)
  local view = views[run]
  return view ~= nil and vim.fn.bufwinid(view.buf) > 0
end

--- The window that shows a run, if any does.
---@return integer?
local function find_window()
  return vim.iter(api.nvim_tabpage_list_wins(0)):find(function(win)
    return vim.bo[api.nvim_win_get_buf(win)].filetype == 'wherefore-ask'
  end)
end

--- Shows a run beside, in the window of the panel where it is open.
---@param run wherefore.AgentRun
function M.show_run(run)
  local view, win = find_view(run), find_window()
  if win then
    api.nvim_set_current_win(win)
  else
    vim.cmd('botright vsplit')
  end
  api.nvim_win_set_buf(0, view.buf)
  local wo = vim.wo[0][0]
  wo.wrap, wo.linebreak, wo.breakindent, wo.number, wo.relativenumber, wo.signcolumn = true, true, true, false, false, 'no'
  draw_view(view)
  api.nvim_win_set_cursor(0, { api.nvim_buf_line_count(view.buf), 0 })
end

return M
