--- `:Wherefore proposals`: every hunk to decide on, in a picker that shows its diff, else in the quickfix list.
local M = {}

local act = require('wherefore.act')
local heading = require('wherefore.heading')
local notify = require('wherefore.notify')
local picker = require('wherefore.picker')
local preview = require('wherefore.preview')
local review = require('wherefore.review')
local text = require('wherefore.text')

---@class wherefore.HunkPlace: wherefore.Place
---@field entry wherefore.Entry

--- A hunk in one row.
---@param entry wherefore.Entry
---@param hunk wherefore.Hunk
local function row(entry, hunk)
  local doing = (review.is_applied(hunk) and 'applied ' or '') .. entry.file.kind
  local what = ('%s %s %s: %s'):format(doing, heading.number(entry, hunk), heading.act(entry, hunk), entry.proposal.why)
  return text.clip(what, 400)
end

--- Every hunk as a place, with its diff below its reason.
---@return wherefore.HunkPlace[]
local function places()
  local list = {}
  for _, entry in ipairs(review.entries()) do
    for _, hunk in ipairs(entry.hunks) do
      local diff = text.wrap(entry.proposal.why, 76)
      table.insert(diff, '')
      preview.diff({ hunks = { hunk } }, diff)
      table.insert(list, {
        entry = entry,
        path = review.path(entry.file),
        shown = text.clip(entry.file.path, 400),
        line = hunk.start + 1,
        text = row(entry, hunk),
        diff = vim.tbl_map(text.plain, diff),
      })
    end
  end
  return list
end

---@param list wherefore.HunkPlace[]
local function by_quickfix(list)
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
function M.open()
  local list = places()
  if #list == 0 then
    return notify.say('wherefore: nothing waits')
  end
  if not picker.shows_diffs() then
    return by_quickfix(list)
  end
  picker.pick('hunks to decide on', vim.fn.getcwd(), list, function(place)
    act.open(place.entry, place.line - 1)
  end)
end

return M
