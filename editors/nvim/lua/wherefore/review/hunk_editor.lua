--- A hunk's new lines in a buffer `wherefore://edit/…`, to be changed before they are accepted: `:w` accepts.
local M = {}

local api = vim.api
local buffer = require('wherefore.buffer')
local decisions = require('wherefore.review.decisions')
local guard = require('wherefore.guard')
local messages = require('wherefore.messages')
local proposal_store = require('wherefore.review.proposal_store')
local text = require('wherefore.text')

---@class wherefore.HunkEdit
---@field client integer
---@field proposal string
---@field hunk string
---@field path string the file that the hunk is of
---@field lines string[] as they were proposed
---@field sent? true whether it is being accepted

---@type table<integer, wherefore.HunkEdit> by buffer
local edited = {}

---@param hunk wherefore.Hunk
---@return string[]
local function list_proposed(hunk)
  return vim.tbl_map(function(line)
    return (text.chomp(line, true))
  end, hunk.new)
end

--- Why a hunk cannot be changed, and what to do instead.
---@param item wherefore.DrawnHunk
---@return string?
local function explain_read_only(item)
  local kind = item.entry.file.kind
  if proposal_store.is_applied(item.hunk) then
    return 'this hunk stands in the text already; change it there'
  elseif kind ~= 'edit' and kind ~= 'create' then
    return ('this hunk (%s) adds no text; accept or reject it'):format(kind)
  end
end

--- Closes the buffer and every window on it.
---@param buf integer
local function close_buffer(buf)
  if api.nvim_buf_is_valid(buf) then
    vim.bo[buf].modified = false
    api.nvim_buf_delete(buf, { force = true })
  end
end

--- `:w`: accepts the hunk with the text as it is now.
---@param buf integer
---@param show fun(at: wherefore.HunkEdit, lines: string[]) shows a text that could not be accepted again
local function accept_text(buf, show)
  local at = edited[buf]
  if at.sent then
    return
  end
  local lines = api.nvim_buf_get_lines(buf, 0, -1, true)
  local text_of = require('wherefore.server.workspace_edits').is_empty(buf) and {} or lines
  local params = { proposal = at.proposal, hunks = { at.hunk }, act = 'accept' }
  if not vim.deep_equal(text_of, at.lines) then
    params.texts = { [at.hunk] = table.concat(text_of, '\n') .. (#text_of > 0 and '\n' or '') }
  end
  -- Before the answer, so that `:wq` closes the window.
  at.sent, vim.bo[buf].modified = true, false
  decisions.send(at.client, params, function(clean)
    at.sent = nil
    if clean then
      return close_buffer(buf)
    end
    messages.warn('the hunk was not accepted, your text is kept: copy what you need, then :q!')
    if api.nvim_buf_is_valid(buf) then
      vim.bo[buf].modified = true
    else
      show(at, lines)
    end
  end)
end

--- Puts the proposed lines into a hunk's buffer; `:e!` does so too.
---@param buf integer
function M.fill_buffer(buf)
  local at = edited[buf]
  if not at then
    return messages.warn('this hunk is no longer being changed; :Wherefore edit opens one')
  end
  local undo = vim.bo[buf].undolevels
  vim.bo[buf].undolevels = -1
  if not (#at.lines == 0 and require('wherefore.server.workspace_edits').is_empty(buf)) then
    api.nvim_buf_set_lines(buf, 0, -1, true, at.lines)
  end
  vim.bo[buf].undolevels, vim.bo[buf].modified = undo, false
end

--- Shows a hunk's lines in a split.
---@param at wherefore.HunkEdit
---@param typed? string[] what a person made of them
local function show_editor(at, typed)
  local name = ('wherefore://edit/%s/%s'):format(at.proposal, at.hunk)
  local known = buffer.find_by_name(name)
  local buf = known > 0 and known or api.nvim_create_buf(false, false)
  local height = math.min(#(typed or at.lines) + 1, math.floor(vim.o.lines / 2))
  vim.cmd(('belowright %dsplit'):format(math.max(height, 3)))
  api.nvim_win_set_buf(0, buf)
  if known > 0 then
    return
  end
  edited[buf] = at
  api.nvim_buf_set_name(buf, name)
  vim.bo[buf].buftype, vim.bo[buf].swapfile, vim.bo[buf].bufhidden = 'acwrite', false, 'wipe'
  M.fill_buffer(buf)
  if typed then
    api.nvim_buf_set_lines(buf, 0, -1, true, typed)
  end
  local source = buffer.find_by_name(at.path)
  local filetype = source > 0 and vim.bo[source].filetype or ''
  vim.bo[buf].filetype = filetype ~= '' and filetype or vim.filetype.match({ filename = at.path, buf = buf }) or ''
  api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buf,
    nested = true,
    callback = function()
      guard.wrap('accepting what was changed', accept_text)(buf, show_editor)
    end,
  })
  api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    callback = function()
      edited[buf] = nil
    end,
  })
end

--- Opens what a hunk adds, to be changed.
---@param item wherefore.DrawnHunk
function M.open_hunk(item)
  local why = explain_read_only(item)
  if why then
    return messages.warn(why)
  end
  local entry = item.entry
  show_editor({
    client = entry.client,
    proposal = entry.proposal.id,
    hunk = item.hunk.id,
    path = proposal_store.find_path(entry.file),
    lines = list_proposed(item.hunk),
  })
  messages.show('wherefore: :w accepts the hunk with this text, :q! leaves it as it was')
end

return M
