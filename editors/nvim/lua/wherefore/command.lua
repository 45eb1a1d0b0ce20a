--- `:Wherefore …`: each word, what it does, and what completes it.
local M = {}

local methods = require('wherefore.wire').methods
local notify = require('wherefore.notify')
local text = require('wherefore.text')

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
  client.request(lsp, methods.status, nil, function(answer)
    local lines = { { ('wherefore %s, process %d\n'):format(answer.version, answer.pid) } }
    for _, at in ipairs(answer.workspaces or {}) do
      local agents = #(at.agents or {}) > 0 and table.concat(at.agents, ', ') or 'none'
      table.insert(lines, { ('%s\n'):format(at.root), 'Directory' })
      table.insert(lines, { ('  session %s, %d calls, %d running, agents: %s\n'):format(at.session, at.calls, at.running, agents) })
      table.insert(lines, { ('  %d hunks wait in %d files\n'):format(at.pending_hunks, at.pending_files) })
      if (at.unreviewed_hunks or 0) > 0 then
        local unseen = '  %d hunks were applied with nobody looking; :Wherefore applied shows them\n'
        table.insert(lines, { unseen:format(at.unreviewed_hunks) })
      end
      for _, problem in ipairs(at.problems or {}) do
        table.insert(lines, { ('  %s\n'):format(problem), 'WarningMsg' })
      end
    end
    for _, line in ipairs(lines) do
      line[1] = text.plain(line[1])
    end
    vim.api.nvim_echo(lines, true, {})
  end)
end

--- Every hunk to decide on, in the quickfix list.
local function proposals()
  local review = require('wherefore.review')
  local items = {}
  for _, entry in ipairs(review.entries()) do
    for _, hunk in ipairs(entry.hunks) do
      local number = require('wherefore.hunks').number(entry, hunk)
      local doing = (review.is_applied(hunk) and 'applied ' or '') .. entry.file.kind
      local size = review.what(entry.file) or ('-%d +%d'):format(#hunk.old, #hunk.new)
      local path, shown = review.path(entry.file), text.clip(entry.file.path, 400)
      table.insert(items, {
        filename = path,
        -- Shown in the name's place, where something in that would not be seen.
        module = shown ~= entry.file.path and shown or nil,
        lnum = hunk.start + 1,
        text = text.clip(('%s %s %s: %s'):format(doing, number, size, entry.proposal.why), 400),
      })
    end
  end
  if #items == 0 then
    return notify.say('wherefore: nothing waits')
  end
  vim.fn.setqflist({}, ' ', { title = 'wherefore: hunks to decide on', items = items })
  vim.cmd('botright copen')
end

---@class wherefore.Word
---@field name string
---@field takes? string what may follow it
---@field desc string
---@field run fun(rest?: string)
---@field complete? fun(): string[] what may follow it, for Tab

--- Each word, in the order of the help.
---@type wherefore.Word[]
M.words = {
  { name = 'next', desc = 'the next hunk; also with no word at all', run = act('next') },
  { name = 'prev', desc = 'the previous hunk', run = act('prev') },
  { name = 'accept', desc = 'accept the hunk under the cursor, else the nearest on the screen', run = act('accept') },
  { name = 'reject', takes = '[reason]', desc = 'reject it', run = act('reject') },
  { name = 'edit', desc = 'change what the hunk adds: |:w| accepts it so, |:q!| leaves it', run = act('edit') },
  { name = 'accept-file', desc = 'accept every hunk of this file', run = act('accept_file') },
  { name = 'reject-file', takes = '[reason]', desc = 'reject every hunk of this file', run = act('reject_file') },
  { name = 'accept-all', desc = 'accept every hunk there is', run = all('accept') },
  { name = 'reject-all', takes = '[reason]', desc = 'reject every hunk there is', run = all('reject') },
  { name = 'preview', desc = 'the whole proposal under the cursor', run = act('preview') },
  { name = 'proposals', desc = 'every hunk in the |quickfix| list', run = proposals },
  {
    name = 'applied',
    takes = '[point]',
    desc = 'look at hunks that were applied with nobody looking, since a call or a time; `off` leaves',
    run = function(rest)
      require('wherefore.applied').run(rest)
    end,
    complete = function()
      return vim.list_extend({ 'off' }, require('wherefore.calls').writes())
    end,
  },
  {
    name = 'undo',
    takes = '[call]',
    desc = 'take a call back; the last one by default',
    run = act('undo'),
    complete = function()
      return require('wherefore.calls').writes()
    end,
  },
  {
    name = 'calls',
    desc = 'the calls as they come and go; <CR> opens the log there, a answers what one asks, o shows what its command writes, x stops one',
    run = function()
      require('wherefore.call_panel').open()
    end,
  },
  {
    name = 'commands',
    takes = '[call]',
    desc = 'the output of a command as it comes, in a terminal buffer: the one that runs, the one of a call, or one to pick; x or <C-c> cancels it, q closes',
    run = function(id)
      require('wherefore.terminals').open(id)
    end,
    complete = function()
      return require('wherefore.terminals').ids()
    end,
  },
  {
    name = 'cancel',
    takes = '[call]',
    desc = 'stop a call that runs; the only one by default',
    run = function(id)
      require('wherefore.call_panel').cancel(id)
    end,
    complete = function()
      return require('wherefore.call_panel').running()
    end,
  },
  {
    name = 'answer',
    takes = '[answer]',
    desc = 'answer what a call asks you; the oldest question first',
    run = function(word)
      require('wherefore.asks').answer(word)
    end,
    complete = function()
      local question = require('wherefore.asks').list()[1]
      return question and question.params.answers or {}
    end,
  },
  {
    name = 'working-set',
    desc = 'the files that matter now, the hottest first, and why; <CR> opens one, K shows every reason, p pins or unpins, h marks it hot, c cold, x clears the mark, C lets go what cooled down',
    run = function()
      require('wherefore.working_panel').open()
    end,
  },
  {
    name = 'search',
    takes = '[lexical] [query]',
    desc = 'places found by what they mean, or with `lexical` by a regular expression, as you see the text, saved or not; pick one to go there',
    run = function(rest)
      require('wherefore.search').run(rest)
    end,
    complete = function()
      return { 'lexical' }
    end,
  },
  {
    name = 'log',
    desc = 'the session log beside, following its end',
    run = function()
      require('wherefore.log').open()
    end,
  },
  { name = 'status', desc = 'sessions, agents, what waits', run = status },
  {
    name = 'restart',
    desc = 'start the server anew',
    run = function()
      require('wherefore.client').restart()
    end,
  },
  {
    name = 'stop',
    desc = 'end it',
    run = function()
      require('wherefore.client').stop()
    end,
  },
}

---@param name string
---@return wherefore.Word?
local function word_named(name)
  return vim.iter(M.words):find(function(word)
    return word.name == name
  end)
end

--- Runs `:Wherefore WORD REST`; with no word it goes to the next hunk.
---@param opts { args: string }
function M.run(opts)
  require('wherefore').ready()
  local word, rest = opts.args:match('^%s*(%S*)%s*(.-)%s*$')
  local found = word_named(word == '' and 'next' or word)
  if not found then
    return notify.warn(('there is no :Wherefore %s; Tab shows what there is'):format(word))
  end
  require('wherefore.guard').wrap(':Wherefore ' .. word, found.run)(rest ~= '' and rest or nil)
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local list
  local before = line:match('^%S+%s+(%S+)%s')
  if before then
    local word = word_named(before)
    list = word and word.complete and word.complete() or {}
  else
    list = vim.tbl_map(function(word)
      return word.name
    end, M.words)
    table.sort(list)
  end
  return vim.tbl_filter(function(item)
    return vim.startswith(item, lead)
  end, list)
end

return M
