--- `:Wherefore …`: each word, what it does, and what completes it.
local M = {}

local methods = require('wherefore.server.wire').methods
local messages = require('wherefore.messages')
local text = require('wherefore.text')

local function run_act(name)
  return function(rest)
    require('wherefore.review.hunk_actions')[name](rest)
  end
end

local function decide_all(what)
  return function(rest)
    require('wherefore.review.hunk_actions').decide_all(what, rest)
  end
end

local function show_status()
  local client = require('wherefore.server.client')
  local lsp = client.require_client()
  if not lsp then
    return
  end
  client.request(lsp, methods.status, nil, function(answer)
    local lines = { { ('wherefore %s, process %d\n'):format(answer.version, answer.pid) } }
    for _, at in ipairs(answer.workspaces or {}) do
      local agents = #(at.agents or {}) > 0 and table.concat(at.agents, ', ') or 'none'
      local calls, wait = text.format_count(at.calls, 'call'), at.pending_hunks == 1 and 'waits' or 'wait'
      table.insert(lines, { ('%s\n'):format(at.root), 'Directory' })
      table.insert(lines, { ('  session %s, %s, %d running, agents: %s\n'):format(at.session, calls, at.running, agents) })
      table.insert(lines, { ('  %s %s in %s\n'):format(text.format_count(at.pending_hunks, 'hunk'), wait, text.format_count(at.pending_files, 'file')) })
      if (at.unreviewed_hunks or 0) > 0 then
        local unseen = '  %s applied with nobody looking; :Wherefore applied shows them\n'
        local was = at.unreviewed_hunks == 1 and ' was' or ' were'
        table.insert(lines, { unseen:format(text.format_count(at.unreviewed_hunks, 'hunk') .. was) })
      end
      for _, problem in ipairs(at.problems or {}) do
        table.insert(lines, { ('  %s\n'):format(problem), 'WarningMsg' })
      end
    end
    for _, line in ipairs(lines) do
      line[1] = text.escape_hidden(line[1])
    end
    vim.api.nvim_echo(lines, true, {})
  end)
end

---@class wherefore.CommandWord
---@field name string
---@field takes? string what may follow it
---@field desc string
---@field run fun(rest?: string, bang?: boolean)
---@field run_lines? fun(first: integer, last: integer, rest?: string) what it does with a range
---@field complete? fun(): string[] what may follow it, for Tab

--- Each word, in the order of the help.
---@type wherefore.CommandWord[]
M.words = {
  { name = 'next', desc = 'the next hunk; also with no word at all', run = run_act('next') },
  { name = 'prev', desc = 'the previous hunk', run = run_act('prev') },
  {
    name = 'accept',
    desc = 'accept the hunk under the cursor, else the nearest on the screen; with a range only these lines of it',
    run = run_act('accept'),
    run_lines = function(first, last)
      require('wherefore.review.hunk_actions').accept_lines(first - 1, last - 1)
    end,
  },
  { name = 'reject', takes = '[reason]', desc = 'reject it', run = run_act('reject') },
  {
    name = 'comment',
    takes = '[words]',
    desc = 'say something about the hunk to its agent, whose next result brings it; nothing is decided',
    run = run_act('comment'),
  },
  {
    name = 'send',
    takes = '[words]',
    desc = "put words into the next result of the agent that did something last; with a range these lines too, on a line with a diagnostic that one, and with `:Wherefore! send` all of the file's",
    run = function(rest, bang)
      require('wherefore.agent.agent_messages').send_words(rest, bang)
    end,
    run_lines = function(first, last, rest)
      require('wherefore.agent.agent_messages').send_lines(first, last, rest)
    end,
  },
  {
    name = 'why',
    desc = "the reason of the hunk under the cursor, its agent and what to look at twice in a float; on a line without one, or with a range, why the file's own lines are so, who wrote them and how that was decided",
    run = function()
      require('wherefore.why.line_why').show_here()
    end,
    run_lines = function(first, last)
      require('wherefore.why.line_why').show_lines(first, last)
    end,
  },
  { name = 'edit', desc = 'change what the hunk adds: |:w| accepts it so, |:q!| leaves it', run = run_act('edit') },
  { name = 'accept-file', desc = 'accept every hunk of this file', run = run_act('accept_file') },
  { name = 'reject-file', takes = '[reason]', desc = 'reject every hunk of this file', run = run_act('reject_file') },
  { name = 'accept-all', desc = 'accept every hunk there is', run = decide_all('accept') },
  { name = 'reject-all', takes = '[reason]', desc = 'reject every hunk there is', run = decide_all('reject') },
  { name = 'preview', desc = 'the whole proposal under the cursor', run = run_act('preview') },
  {
    name = 'proposals',
    desc = 'every hunk, in a picker with its diff where there is one, else in the |quickfix| list',
    run = function()
      require('wherefore.review.proposal_list').open_list()
    end,
  },
  {
    name = 'applied',
    takes = '[point]',
    desc = 'look at hunks that were applied with nobody looking, since a call or a time; `off` leaves',
    run = function(rest)
      require('wherefore.review.applied_review').begin_or_end(rest)
    end,
    complete = function()
      return vim.list_extend({ 'off' }, require('wherefore.calls.call_list').list_writing_ids())
    end,
  },
  {
    name = 'session',
    takes = '[session]',
    desc = 'all that agents changed in this session or in another, file by file, with reasons, what became of it, and keys to take hunks back; `all` for each that is kept',
    run = function(id)
      require('wherefore.review.session_review').open_session(id)
    end,
    complete = function()
      return require('wherefore.review.session_review').list_sessions()
    end,
  },
  {
    name = 'undo',
    takes = '[call]',
    desc = 'take a call back; the last one by default',
    run = function(id)
      require('wherefore.calls.call_undo').undo(id)
    end,
    complete = function()
      return require('wherefore.calls.call_list').list_writing_ids()
    end,
  },
  {
    name = 'calls',
    desc = 'the calls as they come and go; <CR> opens the log there, a answers what one asks, o shows what its command writes, K the whole reason, x stops one',
    run = function()
      require('wherefore.calls.call_panel').open_panel()
    end,
  },
  {
    name = 'commands',
    takes = '[call]',
    desc = 'the output of a command as it comes, in a terminal buffer: the one that runs, the one of a call, or one to pick; x or <C-c> cancels it, q closes',
    run = function(id)
      require('wherefore.calls.command_terminals').open_by_id(id)
    end,
    complete = function()
      return require('wherefore.calls.command_terminals').list_ids()
    end,
  },
  {
    name = 'cancel',
    takes = '[call]',
    desc = 'stop a call that runs; the only one by default',
    run = function(id)
      require('wherefore.calls.call_panel').cancel_call(id)
    end,
    complete = function()
      return require('wherefore.calls.call_panel').list_running_ids()
    end,
  },
  {
    name = 'answer',
    takes = '[answer]',
    desc = 'answer what a call asks you; the oldest question first',
    run = function(word)
      require('wherefore.calls.questions').answer_oldest(word)
    end,
    complete = function()
      local question = require('wherefore.calls.questions').list_open()[1]
      return question and question.params.answers or {}
    end,
  },
  {
    name = 'working-set',
    desc = 'the files that matter now, the hottest first, and why; <CR> opens one, K shows every reason, p pins or unpins, h marks it hot, c cold, x clears the mark, C lets go what cooled down',
    run = function()
      require('wherefore.working_set_panel').open_panel()
    end,
  },
  {
    name = 'search',
    takes = '[lexical] [query]',
    desc = 'places found by what they mean, or with `lexical` by a regular expression, as you see the text, saved or not; pick one to go there',
    run = function(rest)
      require('wherefore.search').run_search(rest)
    end,
    complete = function()
      return { 'lexical' }
    end,
  },
  {
    name = 'ask',
    takes = '[task]',
    desc = 'have the agent work with your own model, in a panel beside; with no task the run that you looked at last',
    run = function(task)
      require('wherefore.agent.agent_runs').start_or_show(task)
    end,
  },
  {
    name = 'runs',
    desc = 'the runs of the agent, those of earlier sessions too; pick one to go on with it',
    run = function()
      require('wherefore.agent.agent_runs').pick_run()
    end,
  },
  {
    name = 'log',
    desc = 'the session log beside, following its end; long changes and outputs are folded',
    run = function()
      require('wherefore.log.session_log').open_log()
    end,
  },
  { name = 'status', desc = 'sessions, agents, what waits', run = show_status },
  {
    name = 'restart',
    desc = 'start the server anew',
    run = function()
      require('wherefore.server.client').restart_servers()
    end,
  },
  {
    name = 'stop',
    desc = 'end it',
    run = function()
      require('wherefore.server.client').stop_servers()
    end,
  },
}

---@param name string
---@return wherefore.CommandWord?
local function find_word(name)
  return vim.iter(M.words):find(function(word)
    return word.name == name
  end)
end

--- Runs `:Wherefore WORD REST`; with no word it goes to the next hunk.
---@param opts { args: string, bang?: boolean, range?: integer, line1?: integer, line2?: integer }
function M.run(opts)
  require('wherefore').ensure_ready()
  local word, rest = opts.args:match('^%s*(%S*)%s*(.-)%s*$')
  local found = find_word(word == '' and 'next' or word)
  if not found then
    return messages.warn(('there is no :Wherefore %s; Tab shows what there is'):format(word))
  end
  local guard = require('wherefore.guard')
  rest = rest ~= '' and rest or nil
  if found.run_lines and (opts.range or 0) > 0 then
    return guard.wrap(':Wherefore ' .. word, found.run_lines)(opts.line1, opts.line2, rest)
  end
  guard.wrap(':Wherefore ' .. word, found.run)(rest, opts.bang)
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local list
  local before = line:match('^%S+%s+(%S+)%s')
  if before then
    local word = find_word(before)
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
