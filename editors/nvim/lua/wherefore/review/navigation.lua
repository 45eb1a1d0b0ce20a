--- Goes from hunk to hunk, and on into the next file.
local M = {}

local api = vim.api
local client = require('wherefore.server.client')
local drawn_hunks = require('wherefore.review.drawn_hunks')
local file_window = require('wherefore.file_window')
local messages = require('wherefore.messages')
local proposal_preview = require('wherefore.review.proposal_preview')
local proposal_store = require('wherefore.review.proposal_store')

--- Kinds of changes that no text of the file shows, whether it is there or not.
local previewed = { copy = true, mkdir = true, rmdir = true, rename = true, symlink = true, binary = true }

--- Opens the file of an entry, or a preview where there is no file to show it in, at one of its hunks.
---@param entry wherefore.ReviewEntry
---@param at? integer the row of the hunk; of the first one where none is named, -1 of the last
function M.open_entry(entry, at)
  file_window.go_to_file_window()
  local path = proposal_store.find_path(entry.file)
  local readable = vim.fn.filereadable(path) == 1 or vim.fn.bufloaded(path) == 1
  if not readable or previewed[entry.file.kind] then
    return proposal_preview.open_preview(entry)
  end
  if not file_window.show_file(path) then
    return
  end
  local buf = api.nvim_get_current_buf()
  drawn_hunks.refresh_buffer(buf)
  local list = drawn_hunks.list_in_buffer(buf)
  if #list > 0 then
    drawn_hunks.go_to_row(at == -1 and list[#list].first or at or list[1].first)
  end
end

--- Goes to a hunk that was applied: that at the cursor, the next one of this file, or the first of another one.
function M.go_to_applied()
  local at = drawn_hunks.find_at_cursor()
  if at and proposal_store.is_applied(at.hunk) then
    return
  end
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local function is_applied(found)
    return proposal_store.is_applied(found.item.hunk)
  end
  local list = vim.tbl_filter(is_applied, drawn_hunks.list_in_buffer(api.nvim_get_current_buf()))
  local below = vim.iter(list):find(function(found)
    return found.first >= row
  end)
  local here_first = below or list[1]
  if here_first then
    return drawn_hunks.go_to_row(here_first.first)
  end
  local entry = vim.iter(proposal_store.list_entries()):find(proposal_store.has_applied_hunks)
  if not entry then
    return
  end
  M.open_entry(entry)
  local first = vim.iter(drawn_hunks.list_in_buffer(api.nvim_get_current_buf())):find(is_applied)
  if first then
    drawn_hunks.go_to_row(first.first)
  end
end

--- Says that nothing waits where nothing does: a server may be starting, or hold what it was not asked for yet.
local function say_nothing_waits()
  local all = client.list_clients()
  if #all == 0 then
    return client.require_client()
  end
  local left = #all
  for _, lsp in ipairs(all) do
    client.load_when_ready(lsp, function(found)
      left = left - 1
      if found and left >= 0 then
        left = -1
        M.next()
      elseif left == 0 then
        messages.show('wherefore: nothing waits')
      end
    end)
  end
end

--- The entry of another file that follows the current one, around the end.
---@param step 1|-1
---@return wherefore.ReviewEntry?
local function find_following(step)
  local entries = proposal_store.list_entries()
  local shown = proposal_preview.find_item()
  local key = shown and shown.entry.key or proposal_store.find_real_path(vim.fs.normalize(api.nvim_buf_get_name(0)))
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
local function step_hunks(step)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local list = drawn_hunks.list_in_buffer(api.nvim_get_current_buf())
  for index = step > 0 and 1 or #list, step > 0 and #list or 1, step do
    local at = list[index].first
    if step > 0 and at > row or step < 0 and at < row then
      return drawn_hunks.go_to_row(at)
    end
  end
  local of_run = vim.bo.filetype == 'wherefore-ask' and require('wherefore.agent.run_panel').find_waiting_entry()
  local entry = of_run or find_following(step)
  if not entry then
    return say_nothing_waits()
  end
  M.open_entry(entry, step < 0 and -1 or nil)
end

function M.next()
  step_hunks(1)
end

function M.prev()
  step_hunks(-1)
end

return M
