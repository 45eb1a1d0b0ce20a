--- Questions of the server that wait for the person. None is put before them by itself: typing goes on.
local M = {}

local notify = require('wherefore.notify')
local text = require('wherefore.text')

---@class wherefore.Question
---@field client integer
---@field params wherefore.AskParams
---@field done fun(answer?: string) sends the answer, once

---@type wherefore.Question[] oldest first
local open = {}
local on_change, changed = require('wherefore.listeners').new()

--- Calls `run` when a question comes or is over.
M.on_change = on_change

---@param question wherefore.Question
---@param answer? string
local function finish(question, answer)
  for index, each in ipairs(open) do
    if each == question then
      table.remove(open, index)
      question.done(answer)
      return changed()
    end
  end
end

--- Takes a question in; `done` is called once, with the answer or with nothing where it is not asked any more.
---@param client integer
---@param params wherefore.AskParams
---@param done fun(answer?: string)
---@return wherefore.Question
function M.add(client, params, done)
  local question = { client = client, params = params, done = done }
  table.insert(open, question)
  local about = params.why ~= '' and ('%s: %s'):format(params.tool, params.why) or params.text
  notify.warn('you are asked; :Wherefore answer. ' .. about)
  changed()
  return question
end

--- Takes a question back.
---@param question wherefore.Question
function M.withdraw(question)
  finish(question)
end

--- Takes a question in, and gives the answer once there is one: the server's request waits as a coroutine.
---@param client integer
---@param params wherefore.AskParams
---@return wherefore.AskAnswer
function M.ask(client, params)
  local waiting = coroutine.running()
  M.add(client, params, vim.schedule_wrap(function(answer)
    coroutine.resume(waiting, { answer = answer })
  end))
  return coroutine.yield()
end

--- Takes back what nobody has to answer any more.
---@param client integer
---@param gone fun(params: wherefore.AskParams): boolean
local function drop(client, gone)
  for _, question in ipairs(vim.list_slice(open)) do
    if question.client == client and gone(question.params) then
      finish(question)
    end
  end
end

--- A call ended, and what it asked with it.
---@param client integer
---@param notice wherefore.FinishNotice
function M.ended(client, notice)
  drop(client, function(params)
    return params.session == notice.session and params.call_id == notice.call_id
  end)
end

--- A server ended, and what it asked with it.
---@param client integer
function M.lost(client)
  drop(client, function()
    return true
  end)
end

--- What waits, oldest first.
---@return wherefore.Question[]
function M.list()
  return open
end

--- What a call asks, if it does.
---@param call wherefore.Call
---@return wherefore.Question?
function M.of(call)
  return vim.iter(open):find(function(question)
    local params = question.params
    return question.client == call.client and params.session == call.notice.session and params.call_id == call.notice.call_id
  end)
end

--- Has the person choose an answer.
---@param question wherefore.Question
function M.choose(question)
  local options = { prompt = text.plain(question.params.text), format_item = text.plain }
  vim.ui.select(question.params.answers, options, function(answer)
    -- Turned away, it still waits.
    if answer then
      finish(question, answer)
    end
  end)
end

--- Answers the oldest question, with the word where one is given.
---@param word? string
function M.answer(word)
  local question = open[1]
  if not question then
    return notify.say('wherefore: nothing is asked')
  end
  if not word then
    return M.choose(question)
  end
  for _, answer in ipairs(question.params.answers) do
    if answer:lower() == word:lower() then
      return finish(question, answer)
    end
  end
  notify.warn(('%s is not an answer; there are: %s'):format(word, table.concat(question.params.answers, ', ')))
end

return M
