--- `:Wherefore proposals`: every hunk to decide on, in a picker that shows its diff, else in the quickfix list.
local M = {}

local hunk_heading = require('wherefore.review.hunk_heading')
local messages = require('wherefore.messages')
local navigation = require('wherefore.review.navigation')
local picker = require('wherefore.picker')
local proposal_preview = require('wherefore.review.proposal_preview')
local proposal_store = require('wherefore.review.proposal_store')
local text = require('wherefore.text')

---@class wherefore.HunkPlace: wherefore.CodePlace
---@field entry wherefore.ReviewEntry

--- A hunk in one row.
---@param entry wherefore.ReviewEntry
---@param hunk wherefore.Hunk
local function format_hunk(entry, hunk)
  local doing = (proposal_store.is_applied(hunk) and 'applied ' or '') .. entry.file.kind
  local what = ('%s %s %s: %s'):format(doing, hunk_heading.format_number(entry, hunk), hunk_heading.describe_change(entry, hunk), entry.proposal.why)
  return text.clip(what, 400)
end

--- Every hunk as a place, with its diff below its reason.
---@return wherefore.HunkPlace[]
local function list_places()
  local list = {}
  for _, entry in ipairs(proposal_store.list_entries()) do
    for _, hunk in ipairs(entry.hunks) do
      local diff = text.wrap(entry.proposal.why, 76)
      table.insert(diff, '')
      proposal_preview.format_diff({ hunks = { hunk } }, diff)
      table.insert(list, {
        entry = entry,
        path = proposal_store.find_path(entry.file),
        shown = text.clip(entry.file.path, 400),
        line = hunk.start + 1,
        text = format_hunk(entry, hunk),
        diff = vim.tbl_map(text.escape_hidden, diff),
      })
    end
  end
  return list
end

---@param list wherefore.HunkPlace[]
local function show_in_quickfix(list)
  local items = vim.tbl_map(function(place)
    return {
      filename = place.path,
      -- Shown in the name's place, where something in that would not be seen.
      module = place.shown ~= place.entry.file.path and place.shown or nil,
      lnum = place.line,
      text = place.text,
    }
  end, list)
  vim.fn.setqflist({}, ' ', { title = 'wherefore: hunks to decide on', items = items })
  vim.cmd('botright copen')
end

--- Opens the list.
function M.open_list()
  local list = list_places()
  if #list == 0 then
    return messages.show('wherefore: nothing waits')
  end
  if not picker.can_show_diffs() then
    return show_in_quickfix(list)
  end
  picker.pick_place('hunks to decide on', vim.fn.getcwd(), list, function(place)
    navigation.open_entry(place.entry, place.line - 1)
  end)
end

return M
