--- A hunk in words, in a float: why, who, what it does, and what to look at twice.
local M = {}

local float = require('wherefore.float')
local heading = require('wherefore.heading')
local review = require('wherefore.review')

--- How a hunk stands, in words.
---@param hunk wherefore.Hunk
---@return string
local function state(hunk)
  if review.is_applied(hunk) then
    return 'applied with nobody looking'
  elseif review.is_pending(hunk) then
    return 'waits for you'
  end
  return (hunk.state == 'stale' and 'set aside: its text was changed' or hunk.state)
end

--- Shows a hunk in words.
---@param item { entry: wherefore.Entry, hunk: wherefore.Hunk }
function M.show(item)
  local entry, hunk = item.entry, item.hunk
  local proposal = entry.proposal
  local lines = { proposal.why, '' }
  table.insert(lines, ('%s %s in %s; %s'):format(heading.number(entry, hunk), heading.act(entry, hunk), entry.file.path, state(hunk)))
  for _, warning in ipairs(heading.warnings(hunk)) do
    table.insert(lines, 'look twice: ' .. warning)
  end
  if type(hunk.reason) == 'string' then
    table.insert(lines, 'reason given: ' .. hunk.reason)
  end
  table.insert(lines, ('%s · %s · %s'):format(heading.agent(proposal) or 'an agent without a name', proposal.tool, proposal.call_id))
  float.open(lines)
end

return M
