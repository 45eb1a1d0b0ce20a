--- Says what became of a decision, and at the end of a review what became of all.
local M = {}

local banner = require('wherefore.banner')
local heading = require('wherefore.heading')
local notify = require('wherefore.notify')
local review = require('wherefore.review')
local text = require('wherefore.text')

---@class wherefore.Tally what became of the hunks of a review
---@field accepted integer
---@field rejected integer
---@field stale integer
---@field files table<string, true>

---@type wherefore.Tally
local tally = { accepted = 0, rejected = 0, stale = 0, files = {} }

---@return integer
local function sum()
  return tally.accepted + tally.rejected + tally.stale
end

--- Counts the hunks that waited and do not wait any more.
---@param before wherefore.Proposal
---@param now wherefore.Proposal
local function count(before, now)
  local waited = {}
  for _, file in ipairs(before.files) do
    for _, hunk in ipairs(file.hunks) do
      waited[hunk.id] = review.is_pending(hunk)
    end
  end
  for _, file in ipairs(now.files) do
    for _, hunk in ipairs(file.hunks) do
      local state = hunk.state or 'pending'
      if waited[hunk.id] and tally[state] then
        tally[state] = tally[state] + 1
        tally.files[file.uri] = true
      end
    end
  end
end

--- What became of all, in words.
---@return string
local function total()
  local parts = {}
  for _, part in ipairs({ { 'accepted', 'accepted' }, { 'rejected', 'rejected' }, { 'stale', 'set aside' } }) do
    if tally[part[1]] > 0 then
      table.insert(parts, ('%d %s'):format(tally[part[1]], part[2]))
    end
  end
  local files = vim.tbl_count(tally.files)
  return table.concat(parts, ', ') .. (files > 1 and ' in ' .. text.count(files, 'file') or '')
end

--- Proposals stand as told now: counts what was decided, and says at the end what became of all.
---@param client integer
---@param list wherefore.Proposal[]
---@param put fun() takes them over
function M.heard(client, list, put)
  for _, proposal in ipairs(list) do
    local before = review.get(client, proposal.id)
    if before then
      count(before, proposal)
    end
  end
  put()
  if review.count() == 0 and sum() > 0 then
    if sum() > 1 then
      notify.say('wherefore: all is decided: ' .. total())
    end
    tally = { accepted = 0, rejected = 0, stale = 0, files = {} }
  end
end

---@param act 'accept'|'reject'
---@param applied boolean
local function verb(act, applied)
  if applied then
    return act == 'accept' and 'kept' or 'taken back'
  end
  return act == 'accept' and 'accepted' or 'rejected'
end

--- A hunk was decided on: says so, and what is left.
---@param item wherefore.Drawn
---@param act 'accept'|'reject'
---@param partly? boolean whether only some of its lines were taken
function M.decided(item, act, partly)
  local left = 0
  for _, entry in ipairs(review.of(item.entry.key)) do
    left = left + #entry.hunks
  end
  local did = verb(act, review.is_applied(item.hunk)) .. (partly and ' a part of' or '')
  local said = ('%s %s'):format(did, heading.number(item.entry, item.hunk))
  local rest = left > 0 and text.count(left, 'hunk') .. ' left in this file' or banner.sentence({ [item.entry.key] = true })
  -- The end of a review of several hunks was told already.
  if rest or #item.entry.file.hunks == 1 then
    notify.say(('wherefore: %s; %s'):format(said, rest or 'nothing else waits'))
  end
end

return M
