--- Tells the person what is called and why, folded where many calls come.
local M = {}

local config = require('wherefore.config')
local text = require('wherefore.text')

local uv = vim.uv
local levels = vim.log.levels

--- How long a call that writes is held back: its proposal or its fault says the same and more.
local hold_ms = 120

---@type table<string, true> calls held back
local held = {}

---@type integer[] when the last messages were shown, in milliseconds
local shown = {}
---@type { count: integer, tools: table<string, integer>, last: string }?
local folded

--- Shows a message. The message line of the editor holds one row; a longer text would ask for a key, so that a longer
--- warning is shown in a float. The lines below the first only draw what it says.
---@param message string
---@param level? integer
function M.say(message, level)
  message = text.plain(message)
  local plain = debug.getinfo(vim.notify, 'S').source
  if plain:find('vim/_') or plain == '=?' or plain == '?' then
    local whole = message:gsub(':?\n.*', '')
    message = text.clip(whole, vim.v.echospace)
    if level == levels.WARN and message ~= vim.trim(whole) then
      require('wherefore.notice').show(whole)
    end
  end
  vim.notify(message, level or levels.INFO, { title = 'wherefore' })
end

function M.warn(message)
  M.say('wherefore: ' .. message, levels.WARN)
end

local function flush()
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
  M.say(('wherefore: %s (%s), the last: %s'):format(text.count(many.count, 'more call'), table.concat(tools, ', '), many.last))
end

--- Shows a message of a call, or counts it where too many were shown within a second.
---@param tool string
---@param message string
---@param level? integer
local function fold(tool, message, level)
  local now = uv.now()
  shown = vim.tbl_filter(function(time)
    return now - time < 1000
  end, shown)
  if not folded and #shown < config.current.per_second then
    table.insert(shown, now)
    return M.say(message, level)
  end
  if not folded then
    folded = { count = 0, tools = {}, last = '' }
    vim.defer_fn(flush, 1000)
  end
  folded.count = folded.count + 1
  folded.tools[tool] = (folded.tools[tool] or 0) + 1
  folded.last = message
end

---@param notice wherefore.CallNotice
local function describe(notice)
  local path = notice.paths and notice.paths[1]
  return ('%s%s: %s'):format(notice.tool, path and ' ' .. path or '', notice.why)
end

local function wanted(writes)
  local show = config.current.notify
  return show == 'all' or show == 'writes' and writes
end

--- A call began.
---@param notice wherefore.CallNotice
function M.called(notice)
  if not wanted(notice.writes) then
    return
  end
  if not notice.writes then
    return fold(notice.tool, describe(notice))
  end
  held[notice.call_id] = true
  vim.defer_fn(function()
    if held[notice.call_id] then
      held[notice.call_id] = nil
      fold(notice.tool, describe(notice))
    end
  end, hold_ms)
end

--- A call ended; only a fault is worth a message.
---@param notice wherefore.FinishNotice
---@param call? wherefore.Call
function M.finished(notice, call)
  if notice.status ~= 'error' or config.current.notify == 'none' then
    return
  end
  held[notice.call_id] = nil
  local fault = notice.error or {}
  local why = call and (' (%s)'):format(call.notice.why) or ''
  fold(notice.tool, ('%s: %s: %s%s'):format(notice.tool, fault.code or 'error', fault.message or '?', why), levels.WARN)
end

---@param proposal wherefore.Proposal
---@param waiting integer
function M.proposed(proposal, waiting)
  held[proposal.call_id] = nil
  if not wanted(true) or waiting == 0 then
    return
  end
  local first, more = proposal.files[1], #proposal.files - 1
  local where = (first and first.path or '?') .. (more > 0 and (' and %d more'):format(more) or '')
  fold(proposal.tool, ('%s %s, %s: %s'):format(proposal.tool, where, text.count(waiting, 'hunk'), proposal.why))
end

--- Says where hunks of a proposal went stale since it was last told.
---@param before? wherefore.Proposal
---@param now wherefore.Proposal
function M.went_stale(before, now)
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
      M.warn(sentence:format(text.count(count, 'hunk'), file.path, count == 1 and 'fits' or 'fit', count == 1 and 'was' or 'were'))
    end
  end
end

return M
