--- What a person does: go to a hunk, accept, reject, undo. Decisions are sent; the server applies them.
local M = {}

local api = vim.api
local aim = require('wherefore.aim')
local buffer = require('wherefore.buffer')
local client = require('wherefore.client')
local config = require('wherefore.config')
local decide = require('wherefore.decide').send
local hunks = require('wherefore.hunks')
local methods = require('wherefore.wire').methods
local notify = require('wherefore.notify')
local preview = require('wherefore.preview')
local review = require('wherefore.review')
local window = require('wherefore.window')

--- The hunk that a key means; where it means none it leads to the next one, and says so.
---@return wherefore.Drawn?
local function here()
  local item = preview.item() or aim.hunk()
  if item then
    return item
  end
  local row = aim.ahead()
  if row then
    hunks.go(row)
  elseif #review.entries() > 0 then
    M.next()
  else
    return notify.say('wherefore: nothing waits')
  end
  notify.say('wherefore: no hunk was on the screen, so nothing is decided: this is the next one')
end

--- Whether the person types nothing from now on, until that is asked: the cursor is moved for nobody who does something else.
---@return fun(): boolean
local function idle()
  local typed = false
  local watch = vim.on_key(function(_, key)
    typed = typed or key ~= ''
  end)
  return function()
    vim.on_key(nil, watch)
    return not typed
  end
end

--- Sends a decision on one hunk, and says what became of it.
---@param act 'accept'|'reject'
---@param item? wherefore.Drawn
---@param reason? string
---@param lines? string what the hunk adds instead of what was proposed
local function decide_item(act, item, reason, lines)
  if not item then
    return
  end
  local buf, row = api.nvim_get_current_buf(), hunks.row(item)
  local is_idle = idle()
  decide(item.entry.client, {
    proposal = item.entry.proposal.id,
    hunks = { item.hunk.id },
    act = act,
    reason = reason ~= '' and reason or nil,
    texts = lines and { [item.hunk.id] = lines } or nil,
  }, function(clean)
    local stays = is_idle() and api.nvim_get_current_buf() == buf
    if clean then
      require('wherefore.feedback').decided(item, act, lines ~= nil)
    end
    if clean and stays and config.current.advance then
      hunks.go_on(row)
    end
  end)
end

--- Accepts the hunk under the cursor.
function M.accept()
  decide_item('accept', here())
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
  local item, lines = require('wherefore.part').selected(first, last)
  if not item then
    return notify.warn('no hunk that waits is in these lines')
  end
  decide_item('accept', item, nil, lines)
end

--- Rejects the hunk under the cursor.
---@param reason? string a word for the agent
function M.reject(reason)
  decide_item('reject', here(), reason)
end

--- Rejects the hunk under the cursor with a reason that is asked for.
function M.reject_reason()
  local item = here()
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
  local item = here()
  if item then
    require('wherefore.send').comment(item, words)
  end
end

--- Says something to the agent about the lines that are selected.
function M.send_lines()
  require('wherefore.send').selection()
end

--- Says in a float why the hunk under the cursor is there, and what it does.
function M.why()
  local item = here()
  if item then
    require('wherefore.why').show(item)
  end
end

--- Opens what the hunk under the cursor adds, to be changed before it is accepted.
function M.edit()
  local item = here()
  if item then
    require('wherefore.edit').open(item)
  end
end

---@param entry wherefore.Entry
---@return boolean
local function has_applied(entry)
  return vim.iter(entry.hunks):any(review.is_applied)
end

---@param act 'accept'|'reject'
---@param reason? string
local function decide_file(act, reason)
  local shown = preview.item()
  local found = shown and { shown.entry } or review.of(review.key(vim.fs.normalize(api.nvim_buf_get_name(0))))
  if #found == 0 then
    return notify.warn('nothing waits in this file')
  end
  for _, entry in ipairs(found) do
    decide(entry.client, {
      proposal = entry.proposal.id,
      path = entry.file.path,
      applied = has_applied(entry),
      act = act,
      reason = reason ~= '' and reason or nil,
    })
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
function M.all(act, reason)
  reason = reason ~= '' and reason or nil
  local asked = {}
  for _, entry in ipairs(review.entries()) do
    local found = asked[entry.client] or {}
    asked[entry.client] = found
    found.pending = found.pending or review.waiting(entry.proposal) > 0
    found.applied = found.applied or has_applied(entry)
  end
  for id, found in pairs(asked) do
    local since = require('wherefore.applied').since(id)
    local function decide_rest()
      decide(id, { act = act, reason = reason, applied = found.applied, since = found.applied and since or nil })
    end
    -- Those that wait are all meant, also of before the point since which the applied ones are looked at.
    if found.pending and found.applied and since then
      decide(id, { act = act, reason = reason }, decide_rest)
    else
      decide_rest()
    end
  end
  if not next(asked) then
    notify.say('wherefore: nothing waits')
  end
end

--- Kinds of changes that no text of the file shows, whether it is there or not.
local previewed = { copy = true, mkdir = true, rmdir = true, rename = true, symlink = true, binary = true }

--- Opens the file of an entry, or a preview where there is no file to show it in, at one of its hunks.
---@param entry wherefore.Entry
---@param at? integer the row of the hunk; of the first one where none is named, -1 of the last
function M.open(entry, at)
  window.for_file()
  local path = review.path(entry.file)
  local readable = vim.fn.filereadable(path) == 1 or vim.fn.bufloaded(path) == 1
  if not readable or previewed[entry.file.kind] then
    return preview.open(entry)
  end
  if not window.show(path) then
    return
  end
  local buf = api.nvim_get_current_buf()
  hunks.refresh(buf)
  local list = hunks.list(buf)
  if #list > 0 then
    hunks.go(at == -1 and list[#list].first or at or list[1].first)
  end
end

--- The entry of another file that follows the current one, around the end.
---@param step 1|-1
---@return wherefore.Entry?
local function following(step)
  local entries = review.entries()
  local shown = preview.item()
  local key = shown and shown.entry.key or review.key(vim.fs.normalize(api.nvim_buf_get_name(0)))
  local first, last = entries[1], entries[#entries]
  if step > 0 then
    for _, entry in ipairs(entries) do
      if entry.key > key then
        return entry
      end
    end
    return first
  end
  for index = #entries, 1, -1 do
    if entries[index].key < key then
      return entries[index]
    end
  end
  return last
end

---@param step 1|-1
local function go(step)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local list = hunks.list(api.nvim_get_current_buf())
  for index = step > 0 and 1 or #list, step > 0 and #list or 1, step do
    local at = list[index].first
    if step > 0 and at > row or step < 0 and at < row then
      return hunks.go(at)
    end
  end
  local entry = following(step)
  if not entry then
    return notify.say('wherefore: nothing waits')
  end
  M.open(entry, step < 0 and -1 or nil)
end

function M.next()
  go(1)
end

function M.prev()
  go(-1)
end

--- Shows the proposal under the cursor whole.
function M.preview()
  local item = here()
  if item then
    preview.open(item.entry)
  end
end

--- Takes a call back; the last one that changed a file when none is named.
---@param call? string
function M.undo(call)
  local lsp = client.needed()
  if not lsp then
    return
  end
  client.request(lsp, methods.undo, { call = call, root = lsp.config.root_dir }, function(answer)
    local paths = answer.paths or {}
    if (answer.withdrawn or 0) > 0 then
      notify.say(('wherefore: %d hunks of %s that waited are rejected'):format(answer.withdrawn, answer.call))
    end
    if #paths == 0 then
      return
    end
    require('wherefore.gone').close(vim.tbl_map(function(path)
      return vim.fs.normalize(vim.fs.joinpath(lsp.config.root_dir, path))
    end, paths))
    vim.cmd.checktime()
    local back = (':Wherefore undo %s takes that back'):format(answer.undo_id)
    notify.say(('wherefore: %s undone: %s (%s)'):format(answer.call, table.concat(paths, ', '), back))
    local unsaved = vim.tbl_filter(function(path)
      local buf = buffer.of(vim.fs.joinpath(lsp.config.root_dir, path))
      return buf > 0 and vim.bo[buf].modified
    end, paths)
    if #unsaved > 0 then
      local list = table.concat(unsaved, ', ')
      notify.warn(('%s has unsaved changes, so that the disk is as it was; :write writes it'):format(list))
    end
  end)
end

return M
