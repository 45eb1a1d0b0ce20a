--- `:Wherefore …`: each word, what it does, and what completes it.
local M = {}

local notify = require('wherefore.notify')

local function act(name)
  return function(rest)
    require('wherefore.act')[name](rest)
  end
end

local function all(what)
  return function(rest)
    require('wherefore.act').all(what, rest)
  end
end

local function status()
  local client = require('wherefore.client')
  local lsp = client.needed()
  if not lsp then
    return
  end
  client.request(lsp, 'wherefore/status', nil, function(answer)
    local lines = { { ('wherefore %s, process %d\n'):format(answer.version, answer.pid) } }
    for _, at in ipairs(answer.workspaces or {}) do
      local agents = #(at.agents or {}) > 0 and table.concat(at.agents, ', ') or 'none'
      table.insert(lines, { ('%s\n'):format(at.root), 'Directory' })
      table.insert(lines, { ('  session %s, %d calls, %d running, agents: %s\n'):format(at.session, at.calls, at.running, agents) })
      table.insert(lines, { ('  %d hunks wait in %d files\n'):format(at.pending_hunks, at.pending_files) })
      for _, problem in ipairs(at.problems or {}) do
        table.insert(lines, { ('  %s\n'):format(problem), 'WarningMsg' })
      end
    end
    vim.api.nvim_echo(lines, true, {})
  end)
end

--- Every hunk that waits, in the quickfix list.
local function proposals()
  local review = require('wherefore.review')
  local items = {}
  for _, entry in ipairs(review.entries()) do
    for _, hunk in ipairs(entry.hunks) do
      local number = require('wherefore.hunks').number(entry, hunk)
      table.insert(items, {
        filename = review.path(entry.file),
        lnum = hunk.start + 1,
        text = ('%s %s -%d +%d: %s'):format(entry.file.kind, number, #hunk.old, #hunk.new, entry.proposal.why),
      })
    end
  end
  if #items == 0 then
    return notify.say('wherefore: nothing waits')
  end
  vim.fn.setqflist({}, ' ', { title = 'wherefore: hunks that wait', items = items })
  vim.cmd('botright copen')
end

---@type table<string, fun(rest?: string)>
local words = {
  accept = act('accept'),
  reject = act('reject'),
  ['accept-file'] = act('accept_file'),
  ['reject-file'] = act('reject_file'),
  ['accept-all'] = all('accept'),
  ['reject-all'] = all('reject'),
  next = act('next'),
  prev = act('prev'),
  preview = act('preview'),
  undo = act('undo'),
  proposals = proposals,
  status = status,
  log = function()
    require('wherefore.log').open()
  end,
  restart = function()
    require('wherefore.client').restart()
  end,
  stop = function()
    require('wherefore.client').stop()
  end,
}

--- Runs `:Wherefore WORD REST`; with no word it goes to the next hunk.
---@param opts { args: string }
function M.run(opts)
  require('wherefore').ready()
  local word, rest = opts.args:match('^%s*(%S*)%s*(.-)%s*$')
  local run = words[word == '' and 'next' or word]
  if not run then
    return notify.warn(('there is no :Wherefore %s; Tab shows what there is'):format(word))
  end
  require('wherefore.guard').wrap(':Wherefore ' .. word, run)(rest ~= '' and rest or nil)
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local list = vim.tbl_keys(words)
  local word = line:match('^%S+%s+(%S+)%s')
  if word then
    list = word == 'undo' and vim.list_slice(notify.writes) or {}
  else
    table.sort(list)
  end
  return vim.tbl_filter(function(item)
    return vim.startswith(item, lead)
  end, list)
end

return M
