--- Why lines of a file are as they are: in a float for the line at the cursor or a range, and, where it is set, behind the
--- cursor's line.
local M = {}

local api = vim.api
local client = require('wherefore.server.client')
local config = require('wherefore.config')
local guard = require('wherefore.guard')
local methods = require('wherefore.server.wire').methods
local messages = require('wherefore.messages')
local text = require('wherefore.text')

--- The time that the cursor stands on a line before its why is asked for.
local settle_ms = 300

--- The widest that the text behind a line gets.
local most_cells = 100

--- Origins that a float has at most; a page of the program has all.
local most_origins = 12

--- Above the 100 of gitsigns' `current_line_blame`, so that ours stands behind it.
local priority = 200

local ns = api.nvim_create_namespace('wherefore_line_why')
---@type integer how often the cursor was on another line
local turn = 0

---@class wherefore.LineOrigin lines that have the same origin
---@field by wherefore.LineBy
---@field call? wherefore.LineCall
---@field commit? string
---@field spans string[] `4` or `7-9`

---@param answer wherefore.LineWhys
---@return wherefore.LineOrigin[] in the order of their first lines
local function list_origins(answer)
  local list, known = {}, {}
  for _, group in ipairs(answer.groups) do
    local key = ('%s/%s/%s'):format(group.by, tostring(group.call), tostring(group.commit))
    if not known[key] then
      local call = type(group.call) == 'number' and answer.calls[group.call + 1] or nil
      known[key] = { by = group.by, call = call, commit = type(group.commit) == 'string' and group.commit or nil, spans = {} }
      table.insert(list, known[key])
    end
    local span = group.start == group['end'] and tostring(group.start) or ('%d-%d'):format(group.start, group['end'])
    table.insert(known[key].spans, span)
  end
  return list
end

--- Sentences on lines that no call explains.
local without_call = {
  human = 'a person wrote this, or another program on the disk: no call changed it',
  mixed = 'a person and an agent both changed this',
  git = 'older than what wherefore recorded',
  unknown = 'nobody knows: what would tell is not kept any more, or there is no git',
  agent = 'an agent wrote this; its call is not kept any more',
}

--- Describes how a hunk was decided on, and what the person said.
---@param call wherefore.LineCall
---@return string?
local function describe_decision(call)
  if type(call.decision) ~= 'string' then
    return nil
  end
  local by = type(call.decided_by) == 'string' and (' by %s'):format(call.decided_by == 'person' and 'a person' or 'the ' .. call.decided_by) or ''
  local time = type(call.time) == 'string' and (', %s'):format(text.format_moment(call.time)) or ''
  local reason = type(call.reason) == 'string' and call.reason ~= '' and (': %s'):format(call.reason) or ''
  return call.decision .. by .. time .. reason
end

--- Finds how the log that holds a call was altered or cut, where it was.
---@param answer wherefore.LineWhys
---@param call wherefore.LineCall
---@return string?
local function find_alteration(answer, call)
  return type(answer.altered) == 'table' and answer.altered[call.session] or nil
end

---@param answer wherefore.LineWhys
---@param hash string
---@return string
local function describe_commit(answer, hash)
  local about = type(answer.commits) == 'table' and answer.commits[hash]
  local words = ('commit %s'):format(hash:sub(1, 8))
  return about and ('%s · %s · %s: %s'):format(words, about.author, os.date('%Y-%m-%d', about.time), about.summary) or words
end

---@param answer wherefore.LineWhys
---@param origin wherefore.LineOrigin
---@param named boolean whether the lines are named
---@return string[]
local function describe_origin(answer, origin, named)
  local call, out = origin.call, {}
  local why = call and type(call.why) == 'string' and call.why or without_call[origin.by]
  local lines = #origin.spans == 1 and not origin.spans[1]:find('-') and 'line' or 'lines'
  table.insert(out, (named and ('%s %s: %s'):format(lines, table.concat(origin.spans, ', '), why) or why))
  if call then
    local parts = { call.agent or 'an agent without a name', call.tool or vim.NIL, call.call }
    parts = vim.tbl_filter(function(part)
      return type(part) == 'string'
    end, parts)
    table.insert(out, table.concat(parts, ' · '))
    table.insert(out, describe_decision(call))
    if origin.by == 'mixed' then
      table.insert(out, without_call.mixed)
    end
    local log = find_alteration(answer, call)
    if log then
      table.insert(out, ('the session log of this call is %s; nothing here is taken from it'):format(log))
    end
  end
  if origin.commit then
    table.insert(out, describe_commit(answer, origin.commit))
  end
  return out
end

--- The call in the log; one of an earlier session too.
---@param lsp vim.lsp.Client
---@param call wherefore.LineCall
local function open_log(lsp, call)
  require('wherefore.log.session_log').open_log({ client = lsp.id, notice = { session = call.session, call_id = call.call } })
end

---@param lsp vim.lsp.Client
---@param origins wherefore.LineOrigin[]
---@return wherefore.FloatKey[]
local function make_keys(lsp, origins)
  local first = vim.iter(origins):find(function(origin)
    return origin.call ~= nil
  end)
  if not first then
    return {}
  end
  local call = first.call
  return {
    {
      lhs = '<CR>',
      desc = 'open in log',
      run = function()
        open_log(lsp, call)
      end,
    },
    {
      lhs = 'o',
      desc = 'show that change',
      run = function()
        require('wherefore.review.session_review').show_call(lsp, call, function()
          messages.show(('wherefore: the change of %s is not kept any more; this is its call in the log'):format(call.call))
          open_log(lsp, call)
        end)
      end,
    },
  }
end

---@param lsp vim.lsp.Client
---@param answer wherefore.LineWhys
---@param named boolean
local function show_whys(lsp, answer, named)
  local origins, sentences = list_origins(answer), {}
  for index, origin in ipairs(origins) do
    if index > most_origins then
      table.insert(sentences, '')
      table.insert(sentences, ('and %d more; wherefore why %s has all'):format(#origins - most_origins, answer.path))
      break
    end
    if index > 1 then
      table.insert(sentences, '')
    end
    vim.list_extend(sentences, describe_origin(answer, origin, named))
  end
  for _, warning in ipairs(type(answer.warnings) == 'table' and answer.warnings or {}) do
    table.insert(sentences, 'not certain: ' .. warning)
  end
  if #origins == 0 then
    sentences = { 'this file has no lines' }
  end
  require('wherefore.cursor_float').open_float(sentences, make_keys(lsp, origins))
end

--- The client of a buffer with a file.
---@param buf integer
---@return vim.lsp.Client?
local function find_client(buf)
  local is_file = vim.bo[buf].buftype == '' and api.nvim_buf_get_name(buf) ~= ''
  return is_file and vim.lsp.get_clients({ name = 'wherefore', bufnr = buf })[1] or nil
end

---@param lsp vim.lsp.Client
---@param buf integer
---@param first integer
---@param last integer
---@param commits boolean
---@return wherefore.WhyParams
local function make_params(lsp, buf, first, last, commits)
  return { root = lsp.config.root_dir, path = api.nvim_buf_get_name(buf), start = first, ['end'] = last, commits = commits }
end

--- Shows why lines are so.
---@param first integer from 1
---@param last integer
function M.show_lines(first, last)
  local buf = api.nvim_get_current_buf()
  local lsp = find_client(buf)
  if not lsp then
    return messages.warn('this is no file that the server knows; :Wherefore why tells of the lines of a file')
  end
  local cursor = api.nvim_win_get_cursor(0)
  client.request(lsp, methods.why, make_params(lsp, buf, first, last, true), function(answer)
    if api.nvim_get_current_buf() == buf and vim.deep_equal(api.nvim_win_get_cursor(0), cursor) then
      show_whys(lsp, answer, last > first)
    end
  end)
end

--- Says why the hunk under the cursor is there; where none is, why the cursor's line is so.
function M.show_here()
  local hunk_actions = require('wherefore.review.hunk_actions')
  local buf = api.nvim_get_current_buf()
  if require('wherefore.review.proposal_preview').find_item() or require('wherefore.review.drawn_hunks').find_at_cursor() or not find_client(buf) then
    return hunk_actions.why()
  end
  local line = api.nvim_win_get_cursor(0)[1]
  M.show_lines(line, line)
end

--- Describes a line briefly: who, and why; nothing where no agent had to do with it.
---@param answer wherefore.LineWhys
---@return string?
local function describe_briefly(answer)
  local origin = list_origins(answer)[1]
  local call = origin and origin.call
  if not call or type(call.why) ~= 'string' then
    return nil
  end
  local who = (type(call.agent) == 'string' and call.agent or 'an agent') .. (origin.by == 'mixed' and ' and a person' or '')
  local log = find_alteration(answer, call) and ' (log altered)' or ''
  return text.clip(('%s%s: %s'):format(who, log, call.why), most_cells)
end

---@param mine integer
local function annotate_line(mine)
  local buf, win = api.nvim_get_current_buf(), api.nvim_get_current_win()
  local lsp = mine == turn and vim.fn.mode():sub(1, 1) ~= 'i' and find_client(buf)
  if not lsp then
    return
  end
  local line = api.nvim_win_get_cursor(win)[1]
  client.request_quietly(lsp, methods.why, make_params(lsp, buf, line, line, false), function(answer)
    local annotation = answer and mine == turn and api.nvim_buf_is_valid(buf) and describe_briefly(answer)
    if annotation and line <= api.nvim_buf_line_count(buf) then
      api.nvim_buf_set_extmark(buf, ns, line - 1, 0, {
        virt_text = { { '  ' .. annotation, 'WhereforeLineWhy' } },
        virt_text_pos = 'eol',
        hl_mode = 'combine',
        priority = priority,
      })
    end
  end)
end

---@type { buf: integer, line: integer, tick: integer }? where the annotation belongs
local at

local function clear_annotation()
  turn = turn + 1
  if at and api.nvim_buf_is_valid(at.buf) then
    api.nvim_buf_clear_namespace(at.buf, ns, 0, -1)
  end
  at = nil
end

--- The cursor came to a line, or the line changed.
local function follow_cursor()
  local buf = api.nvim_get_current_buf()
  local here = { buf = buf, line = api.nvim_win_get_cursor(0)[1], tick = api.nvim_buf_get_changedtick(buf) }
  if vim.deep_equal(at, here) then
    return
  end
  clear_annotation()
  at = here
  local mine = turn
  vim.defer_fn(function()
    guard.wrap('saying why a line is so', annotate_line)(mine)
  end, settle_ms)
end

--- Follows the cursor, where the option `why.virtual_text` is on.
function M.watch()
  if not config.current.why.virtual_text then
    return
  end
  local group = api.nvim_create_augroup('wherefore_line_why', {})
  local function on(events, run)
    api.nvim_create_autocmd(events, { group = group, callback = guard.wrap('following the cursor', run) })
  end
  on({ 'CursorMoved', 'BufEnter', 'TextChanged', 'InsertLeave' }, follow_cursor)
  on({ 'InsertEnter', 'BufLeave', 'WinLeave' }, clear_annotation)
end

return M
