--- A person's acts on hunks, each by the name of its key. Decisions are sent; the server applies them.
local M = {}

local api = vim.api
local config = require('wherefore.config')
local decisions = require('wherefore.review.decisions')
local drawn_hunks = require('wherefore.review.drawn_hunks')
local messages = require('wherefore.messages')
local navigation = require('wherefore.review.navigation')
local proposal_preview = require('wherefore.review.proposal_preview')
local proposal_store = require('wherefore.review.proposal_store')
local target_hunk = require('wherefore.review.target_hunk')

--- The hunk that a key means; where it means none it leads to the next one, and says so.
---@return wherefore.DrawnHunk?
local function find_target()
  local item = proposal_preview.find_item() or target_hunk.find_hunk()
  if item then
    return item
  end
  local row = target_hunk.find_next_row()
  if row then
    drawn_hunks.go_to_row(row)
  elseif #proposal_store.list_entries() > 0 then
    navigation.next()
  else
    return messages.show('wherefore: nothing waits')
  end
  messages.show('wherefore: no hunk was on the screen, so nothing is decided: this is the next one')
end

--- True if the person types nothing from now on, until that is asked: the cursor is moved for nobody who does something else.
---@return fun(): boolean
local function watch_idle()
  local typed = false
  local watch = vim.on_key(function(_, key)
    typed = typed or key ~= ''
  end)
  return function()
    vim.on_key(nil, watch)
    return not typed
  end
end

--- Goes to the next hunk of the current buffer from a row on, around the end; into the next file where none is left.
---@param row integer
local function go_on(row)
  local is_left = drawn_hunks.go_on_from(row)
  if not is_left and #proposal_store.list_entries() > 0 then
    navigation.next()
  end
end

--- Sends a decision on one hunk, and says what became of it.
---@param act 'accept'|'reject'
---@param item? wherefore.DrawnHunk
---@param reason? string
---@param lines? string what the hunk adds instead of what was proposed
local function decide_item(act, item, reason, lines)
  if not item then
    return
  end
  local buf, row = api.nvim_get_current_buf(), drawn_hunks.find_row(item)
  local is_idle = watch_idle()
  decisions.send(item.entry.client, {
    proposal = item.entry.proposal.id,
    hunks = { item.hunk.id },
    act = act,
    reason = reason ~= '' and reason or nil,
    texts = lines and { [item.hunk.id] = lines } or nil,
  }, function(clean)
    local stays = is_idle() and api.nvim_get_current_buf() == buf
    if clean then
      require('wherefore.review.decision_feedback').report_hunk(item, act, lines ~= nil)
    end
    if clean and stays and config.current.advance then
      go_on(row)
    end
  end)
end

--- Accepts the hunk under the cursor.
function M.accept()
  decide_item('accept', find_target())
end

--- Accepts those lines of a hunk that are selected; the others stay as they are.
---@param first? integer a row, of the selection where none is named
---@param last? integer
function M.accept_lines(first, last)
  if not first or not last then
    first, last = vim.fn.line('v') - 1, vim.fn.line('.') - 1
    first, last = math.min(first, last), math.max(first, last)
    api.nvim_feedkeys(vim.keycode('<Esc>'), 'nx', false)
  end
  local item, lines = require('wherefore.review.selected_lines').find_selected(first, last)
  if not item then
    return messages.warn('no hunk that waits is in these lines')
  end
  decide_item('accept', item, nil, lines)
end

--- Rejects the hunk under the cursor.
---@param reason? string a word for the agent
function M.reject(reason)
  decide_item('reject', find_target(), reason)
end

--- Rejects the hunk under the cursor with a reason that is asked for.
function M.reject_reason()
  local item = find_target()
  if not item then
    return
  end
  vim.ui.input({ prompt = 'Why reject? ' }, function(reason)
    if reason then
      decide_item('reject', item, reason)
    end
  end)
end

--- Says something about the hunk under the cursor to its agent, and decides nothing.
---@param words? string
function M.comment(words)
  local item = find_target()
  if item then
    require('wherefore.agent.agent_messages').send_comment(item, words)
  end
end

--- Says something to the agent about the lines that are selected.
function M.send_lines()
  require('wherefore.agent.agent_messages').send_selection()
end

--- Says in a float why the hunk under the cursor is there, and what it does.
function M.why()
  local item = find_target()
  if item then
    require('wherefore.why.hunk_why').show_hunk(item)
  end
end

--- Opens what the hunk under the cursor adds, to be changed before it is accepted.
function M.edit()
  local item = find_target()
  if item then
    require('wherefore.review.hunk_editor').open_hunk(item)
  end
end

---@param act 'accept'|'reject'
---@param reason? string
local function decide_file(act, reason)
  local shown = proposal_preview.find_item()
  local found = shown and { shown.entry } or proposal_store.list_of_file(proposal_store.find_real_path(vim.fs.normalize(api.nvim_buf_get_name(0))))
  if #found == 0 then
    return messages.warn('nothing waits in this file')
  end
  local row, buf, is_idle, left, is_clean = api.nvim_win_get_cursor(0)[1] - 1, api.nvim_get_current_buf(), watch_idle(), #found, true
  for _, entry in ipairs(found) do
    decisions.send(entry.client, {
      proposal = entry.proposal.id,
      path = entry.file.path,
      applied = proposal_store.has_applied_hunks(entry),
      act = act,
      reason = reason ~= '' and reason or nil,
    }, function(clean)
      left, is_clean = left - 1, is_clean and clean
      if left > 0 then
        return
      end
      local stays = is_idle() and api.nvim_get_current_buf() == buf
      if is_clean then
        require('wherefore.review.decision_feedback').report_file(found, act)
      end
      if is_clean and stays and config.current.advance then
        go_on(row)
      end
    end)
  end
end

function M.accept_file()
  decide_file('accept')
end

---@param reason? string
function M.reject_file(reason)
  decide_file('reject', reason)
end

---@param act 'accept'|'reject'
---@param reason? string
function M.decide_all(act, reason)
  reason = reason ~= '' and reason or nil
  local asked = {}
  for _, entry in ipairs(proposal_store.list_entries()) do
    local found = asked[entry.client] or {}
    asked[entry.client] = found
    found.pending = found.pending or proposal_store.count_waiting_of(entry.proposal) > 0
    found.applied = found.applied or proposal_store.has_applied_hunks(entry)
  end
  for id, found in pairs(asked) do
    local since = require('wherefore.review.applied_review').find_start(id)
    local function decide_rest()
      decisions.send(id, { act = act, reason = reason, applied = found.applied, since = found.applied and since or nil })
    end
    -- Those that wait are all meant, also of before the point since which the applied ones are looked at.
    if found.pending and found.applied and since then
      decisions.send(id, { act = act, reason = reason }, decide_rest)
    else
      decide_rest()
    end
  end
  if not next(asked) then
    messages.show('wherefore: nothing waits')
  end
end

M.next, M.prev = navigation.next, navigation.prev

--- Shows the proposal under the cursor whole.
function M.preview()
  local item = find_target()
  if item then
    proposal_preview.open_preview(item.entry)
  end
end

return M
