--- Messages of a person to an agent: words, lines with their diagnostics, or a comment on a hunk. The agent's next result
--- brings it, and nothing is decided.
local M = {}

local api = vim.api
local client = require('wherefore.server.client')
local methods = require('wherefore.server.wire').methods
local messages = require('wherefore.messages')

local severities = { 'error', 'warning', 'information', 'hint' }

--- Asks for the words where there are none; `done` gets them. An empty answer is one where `may_be_empty`.
---@param words? string
---@param prompt string
---@param may_be_empty boolean
---@param done fun(words: string)
local function ask_for_words(words, prompt, may_be_empty, done)
  if words and words ~= '' then
    return done(words)
  end
  vim.ui.input({ prompt = prompt }, function(typed)
    if typed and (may_be_empty or typed ~= '') then
      done(typed)
    end
  end)
end

---@param lsp vim.lsp.Client
---@param params wherefore.SendParams|{}
local function send_message(lsp, params)
  params.root = lsp.config.root_dir
  client.request(lsp, methods.send, params, function(answer)
    for _, problem in ipairs(answer.problems or {}) do
      messages.warn(problem)
    end
    messages.show(('wherefore: %s gets it with its next result'):format(answer.agent or 'the next agent that calls'))
  end)
end

--- Describes what language servers say of lines, a sentence each.
---@param first integer a line, counted from 1
---@param last integer
---@return string[]
local function describe_diagnostics(first, last)
  local found = vim.tbl_filter(function(each)
    return each.lnum + 1 <= last and (each.end_lnum or each.lnum) + 1 >= first
  end, vim.diagnostic.get(0))
  table.sort(found, function(a, b)
    return a.lnum < b.lnum
  end)
  return vim.tbl_map(function(each)
    local source = each.source and (' (%s)'):format(each.source) or ''
    return ('line %d: %s: %s%s'):format(each.lnum + 1, severities[each.severity] or 'error', each.message, source)
  end, found)
end

--- The file of the current buffer; nil where it shows none.
---@return string?
local function find_file()
  local name = api.nvim_buf_get_name(0)
  if vim.bo.buftype == '' and name ~= '' and not name:find('^%a[%w+.-]+://') then
    return vim.fs.normalize(name)
  end
end

--- Sends words, with the line of the cursor where a diagnostic stands on it or `whole` asks for those of the whole file.
---@param words? string
---@param whole? boolean
function M.send_words(words, whole)
  local lsp = client.require_client()
  if not lsp then
    return
  end
  local row, path = api.nvim_win_get_cursor(0)[1], find_file()
  local descriptions = path and describe_diagnostics(whole and 1 or row, whole and api.nvim_buf_line_count(0) or row) or {}
  local params = {}
  if #descriptions > 0 or (whole and path) then
    params = { path = path, lines = { first = row, last = row }, diagnostics = descriptions }
  end
  ask_for_words(words, #descriptions > 0 and 'Tell the agent about this diagnostic: ' or 'Tell the agent: ', params.path ~= nil, function(text)
    params.text = text
    send_message(lsp, params)
  end)
end

--- Sends lines of the current buffer, with what language servers say of them.
---@param first integer a line, counted from 1
---@param last integer
---@param words? string
function M.send_lines(first, last, words)
  local lsp, path = client.require_client(), find_file()
  if not lsp then
    return
  end
  if not path then
    return messages.warn('this buffer shows no file whose lines could be sent')
  end
  local params = { path = path, lines = { first = first, last = last }, diagnostics = describe_diagnostics(first, last) }
  ask_for_words(words, 'Tell the agent about these lines: ', true, function(text)
    params.text = text
    send_message(lsp, params)
  end)
end

--- Sends the lines that are selected.
function M.send_selection()
  local first, last = vim.fn.line('v'), vim.fn.line('.')
  -- Keys that were typed ahead are the person's words.
  vim.cmd.normal({ vim.keycode('<Esc>'), bang = true })
  M.send_lines(math.min(first, last), math.max(first, last))
end

--- Sends a comment on a hunk to the agent that proposed it.
---@param item wherefore.DrawnHunk
---@param words? string
function M.send_comment(item, words)
  local lsp = vim.lsp.get_client_by_id(item.entry.client)
  if not lsp then
    return messages.warn('the server is gone; :Wherefore restart')
  end
  ask_for_words(words, 'Tell the agent about this hunk: ', false, function(text)
    send_message(lsp, { text = text, proposal = item.entry.proposal.id, hunk = item.hunk.id })
  end)
end

return M
