--- Says what became of a decision, and at the end of a review what became of all.
local M = {}

local banner = require('wherefore.review.banner')
local hunk_heading = require('wherefore.review.hunk_heading')
local messages = require('wherefore.messages')
local proposal_store = require('wherefore.review.proposal_store')
local text = require('wherefore.text')

---@class wherefore.DecisionTally what became of the hunks of a review
---@field accepted integer
---@field rejected integer
---@field stale integer
---@field files table<string, true>

---@type wherefore.DecisionTally
local tally = { accepted = 0, rejected = 0, stale = 0, files = {} }

---@return integer
local function count_decided()
  return tally.accepted + tally.rejected + tally.stale
end

--- Counts the hunks that waited and do not wait any more.
---@param before wherefore.Proposal
---@param now wherefore.Proposal
local function count_decisions(before, now)
  local waited = {}
  for _, file in ipairs(before.files) do
    for _, hunk in ipairs(file.hunks) do
      waited[hunk.id] = proposal_store.is_pending(hunk)
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

--- Describes what became of all.
---@return string
local function describe_total()
  local parts = {}
  for _, part in ipairs({ { 'accepted', 'accepted' }, { 'rejected', 'rejected' }, { 'stale', 'set aside' } }) do
    if tally[part[1]] > 0 then
      table.insert(parts, ('%d %s'):format(tally[part[1]], part[2]))
    end
  end
  local files = vim.tbl_count(tally.files)
  return table.concat(parts, ', ') .. (files > 1 and ' in ' .. text.format_count(files, 'file') or '')
end

--- Proposals stand as told now: counts what was decided, and says at the end what became of all.
---@param client integer
---@param list wherefore.Proposal[]
---@param put fun() takes them over
function M.take_proposals(client, list, put)
  for _, proposal in ipairs(list) do
    local before = proposal_store.find_proposal(client, proposal.id)
    if before then
      count_decisions(before, proposal)
    end
  end
  put()
  if proposal_store.count_waiting() == 0 and count_decided() > 0 then
    if count_decided() > 1 then
      messages.show('wherefore: all is decided: ' .. describe_total())
    end
    tally = { accepted = 0, rejected = 0, stale = 0, files = {} }
  end
end

---@param act 'accept'|'reject'
---@param applied boolean
local function choose_verb(act, applied)
  if applied then
    return act == 'accept' and 'kept' or 'taken back'
  end
  return act == 'accept' and 'accepted' or 'rejected'
end

--- All hunks of a file were decided on: says so, and what is left.
---@param entries wherefore.ReviewEntry[] as they were before
---@param act 'accept'|'reject'
function M.report_file(entries, act)
  local hunks, applied, waited = 0, false, false
  for _, entry in ipairs(entries) do
    for _, hunk in ipairs(entry.hunks) do
      hunks = hunks + 1
      applied, waited = applied or proposal_store.is_applied(hunk), waited or proposal_store.is_pending(hunk)
    end
  end
  local rest = banner.describe_waiting({ [entries[1].key] = true })
  local did = choose_verb(act, applied and not waited)
  messages.show(('wherefore: %s %s of %s; %s'):format(did, text.format_count(hunks, 'hunk'), entries[1].file.path, rest or 'nothing else waits'))
end

--- A hunk was decided on: says so, and what is left.
---@param item wherefore.DrawnHunk
---@param act 'accept'|'reject'
---@param partly? boolean whether only some of its lines were taken
function M.report_hunk(item, act, partly)
  local left = 0
  for _, entry in ipairs(proposal_store.list_of_file(item.entry.key)) do
    left = left + #entry.hunks
  end
  local did = choose_verb(act, proposal_store.is_applied(item.hunk)) .. (partly and ' a part of' or '')
  local sentence = ('%s %s'):format(did, hunk_heading.format_number(item.entry, item.hunk))
  local rest = left > 0 and text.format_count(left, 'hunk') .. ' left in this file' or banner.describe_waiting({ [item.entry.key] = true })
  -- The end of a review of several hunks was told already.
  if rest or #item.entry.file.hunks == 1 then
    messages.show(('wherefore: %s; %s'):format(sentence, rest or 'nothing else waits'))
  end
end

return M
