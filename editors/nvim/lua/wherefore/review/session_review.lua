--- `:Wherefore session`: all that agents changed in a session, file by file, with each reason and what became of each hunk. A
--- hunk that was applied can be taken back here, one that waits can be decided on.
local M = {}

local api = vim.api
local client = require('wherefore.server.client')
local guard = require('wherefore.guard')
local hunk_heading = require('wherefore.review.hunk_heading')
local drawn_hunks = require('wherefore.review.drawn_hunks')
local methods = require('wherefore.server.wire').methods
local messages = require('wherefore.messages')
local proposal_store = require('wherefore.review.proposal_store')
local session_page = require('wherefore.review.session_page')
local file_window = require('wherefore.file_window')

--- The time that changes are gathered before a page is made anew.
local gather_ms = 150

---@class wherefore.SessionBuffer
---@field client integer
---@field session string its id; `all` for every one
---@field page? wherefore.SessionPage
---@field asked? true whether it is about to be made anew

---@type table<integer, wherefore.SessionBuffer> by buffer
local pages = {}
---@type string[] sessions that were seen, for Tab
local known_sessions = {}

--- True if a buffer shows a session.
---@param buf integer
---@return boolean
function M.is_session(buf)
  return pages[buf] ~= nil
end

--- Each file of the proposals of a session, by path, then by age.
---@param at wherefore.SessionBuffer
---@param proposals wherefore.Proposal[] oldest first
---@return wherefore.ReviewEntry[]
local function list_entries(at, proposals)
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
local function request_page(buf, done)
  local at = pages[buf]
  local lsp = at and vim.lsp.get_client_by_id(at.client)
  if not lsp then
    return
  end
  client.request(lsp, methods.proposals, { all = true, root = lsp.config.root_dir }, function(answer)
    if not api.nvim_buf_is_valid(buf) then
      return
    end
    known_sessions = { 'all' }
    for _, proposal in ipairs(answer.proposals or {}) do
      if not vim.list_contains(known_sessions, proposal.session) then
        table.insert(known_sessions, 2, proposal.session)
      end
    end
    at.page = session_page.write_page(buf, at.session, list_entries(at, answer.proposals or {}))
    if done then
      done()
    end
  end)
end

--- The hunk at the cursor of the current page, or the first one below.
---@return wherefore.SessionRow?
local function find_row()
  local at = pages[api.nvim_get_current_buf()]
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local rows = at and at.page and at.page.rows or {}
  return vim.iter(rows):find(function(each)
    return row <= each.last
  end) or rows[#rows]
end

---@param step 1|-1
local function step_rows(step)
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

--- Describes what a decision does to a hunk as it is; nothing where it does nothing, and why.
---@param act 'accept'|'reject'
---@param hunk wherefore.Hunk
---@return string? done
---@return string? why_not
local function describe_outcome(act, hunk)
  if proposal_store.is_pending(hunk) then
    return act == 'accept' and 'accepted' or 'rejected'
  elseif hunk.state ~= 'accepted' then
    return nil, ('this hunk was %s; nothing of it stands in the file'):format(hunk.state == 'stale' and 'set aside' or 'rejected')
  elseif act == 'reject' then
    return 'taken back'
  elseif proposal_store.is_applied(hunk) then
    return 'kept'
  end
  return nil, 'this hunk was accepted already'
end

---@param act 'accept'|'reject'
---@param reason? string
local function decide_hunk(act, reason)
  local row = find_row()
  if not row then
    return
  end
  local done, why_not = describe_outcome(act, row.hunk)
  if not done then
    return messages.warn(why_not)
  end
  local params = { proposal = row.entry.proposal.id, hunks = { row.hunk.id }, act = act, reason = reason ~= '' and reason or nil }
  local buf = api.nvim_get_current_buf()
  require('wherefore.review.decisions').send(row.entry.client, params, function(clean)
    vim.cmd.checktime()
    request_page(buf)
    if clean then
      messages.show(('wherefore: %s %s of %s'):format(done, hunk_heading.format_number(row.entry, row.hunk), row.entry.file.path))
    end
  end)
end

local function ask_for_reason()
  vim.ui.input({ prompt = 'Why? ' }, function(reason)
    if reason then
      decide_hunk('reject', reason)
    end
  end)
end

--- Goes to the hunk at the cursor in its file.
local function open_file()
  local row = find_row()
  if not row then
    return
  end
  local path = proposal_store.find_path(row.entry.file)
  if vim.fn.filereadable(path) == 0 then
    return messages.warn(('%s is not on the disk'):format(row.entry.file.path))
  end
  vim.cmd.tabprevious()
  file_window.go_to_file_window()
  if file_window.show_file(path) then
    drawn_hunks.go_to_row(row.hunk.start)
  end
end

---@param buf integer
local function map_keys(buf)
  local acts = {
    next = function()
      step_rows(1)
    end,
    prev = function()
      step_rows(-1)
    end,
    accept = function()
      decide_hunk('accept')
    end,
    reject = function()
      decide_hunk('reject')
    end,
    reject_reason = ask_for_reason,
    why = function()
      local row = find_row()
      if row then
        require('wherefore.why.hunk_why').show_hunk(row)
      end
    end,
  }
  require('wherefore.review.keys').map_page(buf, acts)
  local more = { ['<CR>'] = open_file, K = acts.why, q = '<Cmd>close<CR>' }
  for lhs, run in pairs(more) do
    vim.keymap.set('n', lhs, run, { buffer = buf, nowait = true })
  end
end

--- Shows a session in a tab page of its own.
---@param lsp vim.lsp.Client
---@param session string
---@param is_meant? fun(row: wherefore.SessionRow): boolean the hunk that the cursor goes to; the first where none is named
local function show_session(lsp, session, is_meant)
  local name = 'wherefore://session/' .. session
  local known = vim.fn.bufexists(name) == 1 and vim.fn.bufadd(name) or nil
  local buf = known or api.nvim_create_buf(false, true)
  pages[buf] = { client = lsp.id, session = session }
  request_page(buf, function()
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
    map_keys(buf)
  end
end

--- Opens the session that is named, else the one that is open.
---@param session? string
function M.open_session(session)
  local lsp = client.require_client()
  if not lsp then
    return
  end
  if session then
    return show_session(lsp, session)
  end
  client.request(lsp, methods.status, nil, function(answer)
    local root = proposal_store.find_real_path(vim.fs.normalize(lsp.config.root_dir))
    for _, at in ipairs(answer.workspaces or {}) do
      if proposal_store.find_real_path(vim.fs.normalize(at.root)) == root and at.session ~= '' then
        return show_session(lsp, at.session)
      end
    end
    messages.show('wherefore: no session yet; :Wherefore session all shows what is kept of earlier ones')
  end)
end

--- Shows the hunk that a call made, on the page of its session; calls `otherwise` where it is not kept any more.
---@param lsp vim.lsp.Client
---@param call wherefore.LineCall
---@param otherwise fun()
function M.show_call(lsp, call, otherwise)
  client.request(lsp, methods.proposals, { all = true, root = lsp.config.root_dir }, function(answer)
    local found = vim.iter(answer.proposals or {}):find(function(proposal)
      return proposal.session == call.session and proposal.call_id == call.call
    end)
    if not found then
      return otherwise()
    end
    local has = vim.iter(found.files):any(function(file)
      return vim.iter(file.hunks):any(function(hunk)
        return hunk.id == call.hunk
      end)
    end)
    show_session(lsp, call.session, function(row)
      return row.entry.proposal.id == found.id and (not has or row.hunk.id == call.hunk)
    end)
  end)
end

--- The sessions that were seen.
---@return string[]
function M.list_sessions()
  return #known_sessions > 0 and known_sessions or { 'all' }
end

--- Makes the pages anew as hunks change.
function M.watch()
  proposal_store.on_change(function()
    for buf, at in pairs(pages) do
      if not at.asked then
        at.asked = true
        vim.defer_fn(function()
          at.asked = nil
          guard.wrap('showing a session', request_page)(buf)
        end, gather_ms)
      end
    end
  end)
end

return M
