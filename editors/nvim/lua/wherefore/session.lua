--- `:Wherefore session`: all that agents changed in a session, file by file, with each reason and what became of each hunk. A
--- hunk that was applied can be taken back here, one that waits can be decided on.
local M = {}

local api = vim.api
local client = require('wherefore.client')
local guard = require('wherefore.guard')
local heading = require('wherefore.heading')
local hunks = require('wherefore.hunks')
local methods = require('wherefore.wire').methods
local notify = require('wherefore.notify')
local review = require('wherefore.review')
local page = require('wherefore.page')
local window = require('wherefore.window')

--- How long changes are gathered before a page is made anew.
local gather_ms = 150

---@class wherefore.SessionPage
---@field client integer
---@field session string its id; `all` for every one
---@field page? wherefore.Page
---@field asked? true whether it is about to be made anew

---@type table<integer, wherefore.SessionPage> by buffer
local pages = {}
---@type string[] sessions that were seen, for Tab
local seen = {}

--- Whether a buffer shows a session.
---@param buf integer
---@return boolean
function M.is(buf)
  return pages[buf] ~= nil
end

--- Each file of the proposals of a session, by path, then by age.
---@param at wherefore.SessionPage
---@param proposals wherefore.Proposal[] oldest first
---@return wherefore.Entry[]
local function entries_of(at, proposals)
  local entries = {}
  for age, proposal in ipairs(proposals) do
    if at.session == 'all' or proposal.session == at.session then
      for _, file in ipairs(proposal.files) do
        table.insert(entries, { client = at.client, proposal = proposal, file = file, key = file.path, hunks = file.hunks, age = age })
      end
    end
  end
  table.sort(entries, function(a, b)
    if a.key ~= b.key then
      return a.key < b.key
    end
    return a.age < b.age
  end)
  return entries
end

---@param buf integer
---@param done? fun()
local function ask(buf, done)
  local at = pages[buf]
  local lsp = at and vim.lsp.get_client_by_id(at.client)
  if not lsp then
    return
  end
  client.request(lsp, methods.proposals, { all = true, root = lsp.config.root_dir }, function(answer)
    if not api.nvim_buf_is_valid(buf) then
      return
    end
    seen = { 'all' }
    for _, proposal in ipairs(answer.proposals or {}) do
      if not vim.list_contains(seen, proposal.session) then
        table.insert(seen, 2, proposal.session)
      end
    end
    at.page = page.write(buf, at.session, entries_of(at, answer.proposals or {}))
    if done then
      done()
    end
  end)
end

--- The hunk at the cursor of the current page, or the first one below.
---@return wherefore.PageRow?
local function here()
  local at = pages[api.nvim_get_current_buf()]
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local rows = at and at.page and at.page.rows or {}
  return vim.iter(rows):find(function(each)
    return row <= each.last
  end) or rows[#rows]
end

---@param step 1|-1
local function go(step)
  local at = pages[api.nvim_get_current_buf()]
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local rows = at and at.page and at.page.rows or {}
  for index = step > 0 and 1 or #rows, step > 0 and #rows or 1, step do
    local first = rows[index].first
    if step > 0 and first > row or step < 0 and first < row then
      return api.nvim_win_set_cursor(0, { first + 1, 0 })
    end
  end
end

--- What a decision does to a hunk as it stands, in words; nothing where it does nothing, and why.
---@param act 'accept'|'reject'
---@param hunk wherefore.Hunk
---@return string? done
---@return string? why_not
local function outcome(act, hunk)
  if review.is_pending(hunk) then
    return act == 'accept' and 'accepted' or 'rejected'
  elseif hunk.state ~= 'accepted' then
    return nil, ('this hunk was %s; nothing of it stands in the file'):format(hunk.state == 'stale' and 'set aside' or 'rejected')
  elseif act == 'reject' then
    return 'taken back'
  elseif review.is_applied(hunk) then
    return 'kept'
  end
  return nil, 'this hunk was accepted already'
end

---@param act 'accept'|'reject'
---@param reason? string
local function decide(act, reason)
  local row = here()
  if not row then
    return
  end
  local done, why_not = outcome(act, row.hunk)
  if not done then
    return notify.warn(why_not)
  end
  local params = { proposal = row.entry.proposal.id, hunks = { row.hunk.id }, act = act, reason = reason ~= '' and reason or nil }
  local buf = api.nvim_get_current_buf()
  require('wherefore.decide').send(row.entry.client, params, function(clean)
    vim.cmd.checktime()
    ask(buf)
    if clean then
      notify.say(('wherefore: %s %s of %s'):format(done, heading.number(row.entry, row.hunk), row.entry.file.path))
    end
  end)
end

local function reject_reason()
  vim.ui.input({ prompt = 'Why? ' }, function(reason)
    if reason then
      decide('reject', reason)
    end
  end)
end

--- Goes to the hunk at the cursor in its file.
local function open_file()
  local row = here()
  if not row then
    return
  end
  local path = review.path(row.entry.file)
  if vim.fn.filereadable(path) == 0 then
    return notify.warn(('%s is not on the disk'):format(row.entry.file.path))
  end
  vim.cmd.tabprevious()
  window.for_file()
  if window.show(path) then
    hunks.go(row.hunk.start)
  end
end

---@param buf integer
local function map(buf)
  local acts = {
    next = function()
      go(1)
    end,
    prev = function()
      go(-1)
    end,
    accept = function()
      decide('accept')
    end,
    reject = function()
      decide('reject')
    end,
    reject_reason = reject_reason,
    why = function()
      local row = here()
      if row then
        require('wherefore.why').show(row)
      end
    end,
  }
  require('wherefore.keys').page(buf, acts)
  local more = { ['<CR>'] = open_file, K = acts.why, q = '<Cmd>close<CR>' }
  for lhs, run in pairs(more) do
    vim.keymap.set('n', lhs, run, { buffer = buf, nowait = true })
  end
end

--- Shows a session in a tab page of its own.
---@param lsp vim.lsp.Client
---@param session string
---@param is_meant? fun(row: wherefore.PageRow): boolean the hunk that the cursor goes to; the first where none is named
local function show(lsp, session, is_meant)
  local name = 'wherefore://session/' .. session
  local known = vim.fn.bufexists(name) == 1 and vim.fn.bufadd(name) or nil
  local buf = known or api.nvim_create_buf(false, true)
  pages[buf] = { client = lsp.id, session = session }
  ask(buf, function()
    local win = vim.fn.win_findbuf(buf)[1]
    if win then
      api.nvim_set_current_win(win)
    else
      vim.cmd('tab sbuffer ' .. buf)
    end
    local wo = vim.wo[0][0]
    wo.wrap, wo.linebreak, wo.breakindent, wo.number, wo.signcolumn = true, true, true, false, 'yes:1'
    local rows = pages[buf].page.rows
    local first = is_meant and vim.iter(rows):find(is_meant) or rows[1]
    api.nvim_win_set_cursor(0, { first and first.first + 1 or 1, 0 })
  end)
  if not known then
    api.nvim_buf_set_name(buf, name)
    vim.bo[buf].buftype, vim.bo[buf].swapfile, vim.bo[buf].bufhidden = 'nofile', false, 'wipe'
    api.nvim_create_autocmd('BufWipeout', {
      buffer = buf,
      callback = function()
        pages[buf] = nil
      end,
    })
    map(buf)
  end
end

--- Opens the session that is named, else the one that is open.
---@param session? string
function M.open(session)
  local lsp = client.needed()
  if not lsp then
    return
  end
  if session then
    return show(lsp, session)
  end
  client.request(lsp, methods.status, nil, function(answer)
    local root = review.key(vim.fs.normalize(lsp.config.root_dir))
    for _, at in ipairs(answer.workspaces or {}) do
      if review.key(vim.fs.normalize(at.root)) == root and at.session ~= '' then
        return show(lsp, at.session)
      end
    end
    notify.say('wherefore: no session yet; :Wherefore session all shows what is kept of earlier ones')
  end)
end

--- Shows the hunk that a call made, on the page of its session; calls `otherwise` where it is not kept any more.
---@param lsp vim.lsp.Client
---@param call wherefore.LineCall
---@param otherwise fun()
function M.show_call(lsp, call, otherwise)
  client.request(lsp, methods.proposals, { all = true, root = lsp.config.root_dir }, function(answer)
    local kept = vim.iter(answer.proposals or {}):find(function(proposal)
      return proposal.session == call.session and proposal.call_id == call.call
    end)
    if not kept then
      return otherwise()
    end
    local has = vim.iter(kept.files):any(function(file)
      return vim.iter(file.hunks):any(function(hunk)
        return hunk.id == call.hunk
      end)
    end)
    show(lsp, call.session, function(row)
      return row.entry.proposal.id == kept.id and (not has or row.hunk.id == call.hunk)
    end)
  end)
end

--- The sessions that were seen.
---@return string[]
function M.sessions()
  return #seen > 0 and seen or { 'all' }
end

--- Makes the pages anew as hunks change.
function M.watch()
  review.on_change(function()
    for buf, at in pairs(pages) do
      if not at.asked then
        at.asked = true
        vim.defer_fn(function()
          at.asked = nil
          guard.wrap('showing a session', ask)(buf)
        end, gather_ms)
      end
    end
  end)
end

return M
