--- Tells the person what is called and why, folded where many calls come.
local M = {}

local config = require('wherefore.config')
local messages = require('wherefore.messages')
local text = require('wherefore.text')

local uv = vim.uv
local levels = vim.log.levels

--- The time that a call that writes is held back: its proposal or its fault says the same and more.
local hold_ms = 120

---@type table<string, true> calls held back
local delayed = {}

---@type integer[] when the last messages were shown, in milliseconds
local shown = {}
---@type { count: integer, tools: table<string, integer>, last: string }?
local folded

local function flush_folded()
  local many = folded
  folded = nil
  if not many then
    return
  end
  local tools = {}
  for tool, count in pairs(many.tools) do
    table.insert(tools, ('%d %s'):format(count, tool))
  end
  table.sort(tools)
  messages.show(('wherefore: %s (%s), the last: %s'):format(text.format_count(many.count, 'more call'), table.concat(tools, ', '), many.last))
end

--- Shows a message of a call that only reads, or counts it where too many were shown within a second. A change or a fault is
--- never counted: `messages.show` shows it.
---@param tool string
---@param message string
local function fold_message(tool, message)
  local now = uv.now()
  shown = vim.tbl_filter(function(time)
    return now - time < 1000
  end, shown)
  if not folded and #shown < config.current.per_second then
    table.insert(shown, now)
    return messages.show(message)
  end
  if not folded then
    folded = { count = 0, tools = {}, last = '' }
    vim.defer_fn(flush_folded, 1000)
  end
  folded.count = folded.count + 1
  folded.tools[tool] = (folded.tools[tool] or 0) + 1
  folded.last = message
end

---@param notice wherefore.CallNotice
local function describe_call(notice)
  local path = notice.paths and notice.paths[1]
  return ('%s%s: %s'):format(notice.tool, path and ' ' .. path or '', notice.why)
end

local function is_wanted(writes)
  local show = config.current.notify
  return show == 'all' or show == 'writes' and writes
end

--- A call began.
---@param notice wherefore.CallNotice
function M.show_call(notice)
  if not is_wanted(notice.writes) then
    return
  end
  if not notice.writes then
    return fold_message(notice.tool, describe_call(notice))
  end
  delayed[notice.call_id] = true
  vim.defer_fn(function()
    if delayed[notice.call_id] then
      delayed[notice.call_id] = nil
      messages.show(describe_call(notice))
    end
  end, hold_ms)
end

--- A call ended; only a fault is worth a message, and where all calls are messages a command that failed.
---@param notice wherefore.FinishNotice
---@param call? wherefore.CallRecord
function M.show_call_end(notice, call)
  local why = call and (' (%s)'):format(call.notice.why) or ''
  if notice.status == 'error' and config.current.notify ~= 'none' then
    delayed[notice.call_id] = nil
    local fault = notice.error or {}
    messages.show(('%s: %s: %s%s'):format(notice.tool, fault.code or 'error', fault.message or '?', why), levels.WARN)
  elseif notice.failure and config.current.notify == 'all' then
    fold_message(notice.tool, ('%s failed: %s%s'):format(notice.tool, notice.failure, why))
  end
end

---@param proposal wherefore.Proposal
---@param waiting integer
function M.show_proposal(proposal, waiting)
  delayed[proposal.call_id] = nil
  if not is_wanted(true) or waiting == 0 then
    return
  end
  local first, more = proposal.files[1], #proposal.files - 1
  local where = (first and first.path or '?') .. (more > 0 and (' and %d more'):format(more) or '')
  messages.show(('%s %s, %s: %s'):format(proposal.tool, where, text.format_count(waiting, 'hunk'), proposal.why))
end

--- Says where hunks of a proposal went stale since it was last told.
---@param before? wherefore.Proposal
---@param now wherefore.Proposal
function M.warn_of_stale_hunks(before, now)
  local was = {}
  for _, file in ipairs(before and before.files or {}) do
    for _, hunk in ipairs(file.hunks) do
      was[hunk.id] = hunk.state or 'pending'
    end
  end
  for _, file in ipairs(now.files) do
    local count = 0
    for _, hunk in ipairs(file.hunks) do
      if hunk.state == 'stale' and was[hunk.id] == 'pending' then
        count = count + 1
      end
    end
    if count > 0 then
      local sentence = '%s of %s no longer %s the text and %s set aside'
      messages.warn(sentence:format(text.format_count(count, 'hunk'), file.path, count == 1 and 'fits' or 'fit', count == 1 and 'was' or 'were'))
    end
  end
end

return M
