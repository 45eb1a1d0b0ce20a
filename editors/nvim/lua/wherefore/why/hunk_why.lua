--- A hunk in words, in a float: why, who, what it does, and what to look at twice.
local M = {}

local cursor_float = require('wherefore.cursor_float')
local hunk_heading = require('wherefore.review.hunk_heading')
local proposal_store = require('wherefore.review.proposal_store')

--- Describes the state of a hunk.
---@param hunk wherefore.Hunk
---@return string
local function describe_state(hunk)
  if proposal_store.is_applied(hunk) then
    return 'applied with nobody looking'
  elseif proposal_store.is_pending(hunk) then
    return 'waits for you'
  end
  return (hunk.state == 'stale' and 'set aside: its text was changed' or hunk.state)
end

--- Shows a hunk in words.
---@param item { entry: wherefore.ReviewEntry, hunk: wherefore.Hunk }
function M.show_hunk(item)
  local entry, hunk = item.entry, item.hunk
  local proposal = entry.proposal
  local lines = vim.list_extend({ proposal.why }, hunk_heading.format_command(proposal))
  table.insert(lines, '')
  table.insert(lines, ('%s %s in %s; %s'):format(hunk_heading.format_number(entry, hunk), hunk_heading.describe_change(entry, hunk), entry.file.path, describe_state(hunk)))
  for _, warning in ipairs(hunk_heading.list_warnings(hunk)) do
    table.insert(lines, 'look twice: ' .. warning)
  end
  if type(hunk.reason) == 'string' then
    table.insert(lines, 'reason given: ' .. hunk.reason)
  end
  table.insert(lines, ('%s · %s · %s'):format(hunk_heading.find_agent(proposal) or 'an agent without a name', proposal.tool, proposal.call_id))
  cursor_float.open_float(lines)
end

return M
