--- What stands above a hunk: the reason of its proposal once, then its number, what it does and what to look at twice.
local M = {}

local keys = require('wherefore.keys')
local review = require('wherefore.review')
local rows = require('wherefore.rows')
local text = require('wherefore.text')

local mark = '▎'

--- What is done to a file, where its hunks do not say it.
local doing = {
  pending = { delete = 'delete the file', create = 'new file' },
  applied = { delete = 'the file was deleted', create = 'a new file' },
}

--- Which of its file's hunks one is; decided ones count, so that a number stays.
---@param entry wherefore.Entry
---@param hunk wherefore.Hunk
---@return string
function M.number(entry, hunk)
  for index, each in ipairs(entry.file.hunks) do
    if each.id == hunk.id then
      return ('%d/%d'):format(index, #entry.file.hunks)
    end
  end
  return hunk.id
end

--- What a hunk does to lines, in words; nil where it has none.
---@param hunk wherefore.Hunk
---@return string?
function M.lines(hunk)
  local old, new = #hunk.old, #hunk.new
  if old == 0 and new == 0 then
    return nil
  elseif old == 0 then
    return 'adds ' .. text.count(new, 'line')
  elseif new == 0 then
    return 'removes ' .. text.count(old, 'line')
  elseif old == new then
    return 'changes ' .. text.count(old, 'line')
  end
  return ('changes %s into %d'):format(text.count(old, 'line'), new)
end

--- What a hunk does: to its file, or to its lines.
---@param entry wherefore.Entry
---@param hunk wherefore.Hunk
---@return string
function M.act(entry, hunk)
  local state = review.is_applied(hunk) and 'applied' or 'pending'
  return review.what(entry.file) or doing[state][entry.file.kind] or M.lines(hunk) or entry.file.kind
end

--- The agent that proposed something, if it said its name.
---@param proposal wherefore.Proposal
---@return string?
function M.agent(proposal)
  local agent = proposal.origin and proposal.origin.agent
  return type(agent) == 'string' and text.clip(agent, 40) or nil
end

--- What to look at twice: where the patch was placed loosely, and where a file makes programs run.
---@param hunk wherefore.Hunk
---@return string[]
function M.warnings(hunk)
  return vim.tbl_filter(function(warning)
    return type(warning) == 'string'
  end, { hunk.loose or vim.NIL, hunk.warning or vim.NIL })
end

--- The reason as rows, whole, with the agent behind it.
---@param proposal wherefore.Proposal
---@param width integer
---@return wherefore.Chunk[][]
function M.why(proposal, width)
  local list = rows.sentence(mark, proposal.why, width, 'WhereforeWhy')
  local agent = M.agent(proposal)
  if not agent then
    return list
  end
  local last = list[#list]
  local who = '· ' .. agent
  local used = vim.api.nvim_strwidth(last[1][1] .. last[2][1])
  if used + 1 + vim.api.nvim_strwidth(who) <= width then
    table.insert(last, { ' ' .. who, 'WhereforeHint' })
  else
    vim.list_extend(list, rows.sentence(mark, who, width, 'WhereforeHint'))
  end
  return list
end

---@param entry wherefore.Entry
---@param hunk wherefore.Hunk
---@param width integer
---@param first { why?: boolean, keys?: boolean } what is said above this hunk and not above the next ones
---@param changed boolean whether the text of an applied hunk was changed since
---@return wherefore.Chunk[][] virtual lines
function M.of(entry, hunk, width, first, changed)
  local applied = review.is_applied(hunk)
  local list = first.why and M.why(entry.proposal, width) or {}
  local title = ('%s %s%s'):format(M.number(entry, hunk), applied and 'applied: ' or '', M.act(entry, hunk))
  local hint = first.keys and keys.hint(applied)
  local title_rows = rows.sentence(mark, title, width, 'WhereforeHeader')
  local row = title_rows[#title_rows]
  if hint and vim.api.nvim_strwidth(row[1][1] .. row[2][1] .. ' · ' .. hint) <= width then
    table.insert(row, { ' · ' .. hint, 'WhereforeHint' })
    hint = nil
  end
  vim.list_extend(list, title_rows)
  local warnings = M.warnings(hunk)
  if changed then
    table.insert(warnings, 'its text was changed since; take it back by hand')
  end
  for _, warning in ipairs(warnings) do
    vim.list_extend(list, rows.sentence(mark, 'look twice: ' .. warning, width, 'WhereforeWarn'))
  end
  if hint then
    vim.list_extend(list, rows.sentence(mark, hint, width, 'WhereforeHint'))
  end
  return list
end

return M
