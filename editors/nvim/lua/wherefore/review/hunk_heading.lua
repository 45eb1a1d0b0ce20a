--- The heading above a hunk: the reason of its proposal once, then its number, what it does and what to look at twice.
local M = {}

local keys = require('wherefore.review.keys')
local proposal_store = require('wherefore.review.proposal_store')
local virtual_rows = require('wherefore.review.virtual_rows')
local text = require('wherefore.text')

local mark = '▎'

--- Acts on a file that its hunks do not say.
local doing = {
  pending = { delete = 'delete the file', create = 'new file' },
  applied = { delete = 'the file was deleted', create = 'a new file' },
}

--- Which of its file's hunks one is; decided ones count, so that a number stays.
---@param entry wherefore.ReviewEntry
---@param hunk wherefore.Hunk
---@return string
function M.format_number(entry, hunk)
  for index, each in ipairs(entry.file.hunks) do
    if each.id == hunk.id then
      return ('%d/%d'):format(index, #entry.file.hunks)
    end
  end
  return hunk.id
end

--- Describes what a hunk does to lines; nil where it has none.
---@param hunk wherefore.Hunk
---@return string?
function M.describe_lines(hunk)
  local old, new = #hunk.old, #hunk.new
  if old == 0 and new == 0 then
    return nil
  elseif old == 0 then
    return 'adds ' .. text.format_count(new, 'line')
  elseif new == 0 then
    return 'removes ' .. text.format_count(old, 'line')
  elseif old == new then
    return 'changes ' .. text.format_count(old, 'line')
  end
  return ('changes %s into %d'):format(text.format_count(old, 'line'), new)
end

--- Describes what a hunk does: to its file, or to its lines.
---@param entry wherefore.ReviewEntry
---@param hunk wherefore.Hunk
---@return string
function M.describe_change(entry, hunk)
  local state = proposal_store.is_applied(hunk) and 'applied' or 'pending'
  return proposal_store.describe_file_change(entry.file) or doing[state][entry.file.kind] or M.describe_lines(hunk) or entry.file.kind
end

--- The agent that proposed something, if it said its name.
---@param proposal wherefore.Proposal
---@return string?
function M.find_agent(proposal)
  local agent = proposal.origin and proposal.origin.agent
  return type(agent) == 'string' and text.clip(agent, 40) or nil
end

--- Lists what to look at twice: where the patch was placed loosely, and where a file makes programs run.
---@param hunk wherefore.Hunk
---@return string[]
function M.list_warnings(hunk)
  return vim.tbl_filter(function(warning)
    return type(warning) == 'string'
  end, { hunk.loose or vim.NIL, hunk.warning or vim.NIL })
end

--- The reason as rows, whole, with the agent behind it.
---@param proposal wherefore.Proposal
---@param width integer
---@return wherefore.TextChunk[][]
function M.make_why_rows(proposal, width)
  local list = virtual_rows.make_sentence_rows(mark, proposal.why, width, 'WhereforeWhy')
  local agent = M.find_agent(proposal)
  local function with_command()
    for _, line in ipairs(M.format_command(proposal)) do
      vim.list_extend(list, virtual_rows.make_sentence_rows(mark, line, width, 'WhereforeHint'))
    end
    return list
  end
  if not agent then
    return with_command()
  end
  local last = list[#list]
  local who = '· ' .. agent
  local used = vim.api.nvim_strwidth(last[1][1] .. last[2][1])
  if used + 1 + vim.api.nvim_strwidth(who) <= width then
    table.insert(last, { ' ' .. who, 'WhereforeHint' })
  else
    vim.list_extend(list, virtual_rows.make_sentence_rows(mark, who, width, 'WhereforeHint'))
  end
  return with_command()
end

--- Lines of a script that stand above a hunk.
local script_lines = 12

--- The command that made a change and the end of its output, a line each; none where no command did.
---@param proposal wherefore.Proposal
---@return string[]
function M.format_command(proposal)
  local command = proposal.command
  if type(command) ~= 'table' then
    return {}
  end
  local list = {}
  local script = vim.split(vim.trim(command.script), '\n')
  for at, line in ipairs(vim.list_slice(script, 1, script_lines)) do
    table.insert(list, (at == 1 and '$ ' or '  ') .. line)
  end
  if #script > script_lines then
    table.insert(list, ('  … %d more lines'):format(#script - script_lines))
  end
  if type(command.output) == 'string' and command.output ~= '' then
    for _, line in ipairs(vim.split(command.output, '\n')) do
      table.insert(list, '| ' .. line)
    end
  end
  return list
end

---@param entry wherefore.ReviewEntry
---@param hunk wherefore.Hunk
---@param width integer
---@param first { why?: boolean, keys?: boolean } what is said above this hunk and not above the next ones
---@param changed boolean whether the text of an applied hunk was changed since
---@return wherefore.TextChunk[][] virtual lines
function M.make_heading(entry, hunk, width, first, changed)
  local applied = proposal_store.is_applied(hunk)
  local list = first.why and M.make_why_rows(entry.proposal, width) or {}
  local title = ('%s %s%s'):format(M.format_number(entry, hunk), applied and 'applied: ' or '', M.describe_change(entry, hunk))
  local hint = first.keys and keys.describe_keys(applied)
  local title_rows = virtual_rows.make_sentence_rows(mark, title, width, 'WhereforeHeader')
  local row = title_rows[#title_rows]
  if hint and vim.api.nvim_strwidth(row[1][1] .. row[2][1] .. ' · ' .. hint) <= width then
    table.insert(row, { ' · ' .. hint, 'WhereforeHint' })
    hint = nil
  end
  vim.list_extend(list, title_rows)
  local warnings = M.list_warnings(hunk)
  if changed then
    table.insert(warnings, 'its text was changed since; take it back by hand')
  end
  for _, warning in ipairs(warnings) do
    vim.list_extend(list, virtual_rows.make_sentence_rows(mark, 'look twice: ' .. warning, width, 'WhereforeWarn'))
  end
  if hint then
    vim.list_extend(list, virtual_rows.make_sentence_rows(mark, hint, width, 'WhereforeHint'))
  end
  return list
end

return M
