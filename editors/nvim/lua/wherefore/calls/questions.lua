--- Questions of the server that wait for the person. None is put before them by itself: typing goes on.
local M = {}

local messages = require('wherefore.messages')
local text = require('wherefore.text')

---@class wherefore.OpenQuestion
---@field client integer
---@field params wherefore.AskParams
---@field done fun(answer?: string) sends the answer, once

--- For so long after the oldest question went by itself, a word is no answer to the one in its place: it was meant for the
--- other.
local swap_ms = 1000

---@type wherefore.OpenQuestion[] oldest first
local open = {}
---@type integer? when the oldest question went with no answer of the person's, by `vim.uv.now()`
local swapped
local on_change, changed = require('wherefore.listeners').make_list()

--- Calls `run` when a question comes or is over.
M.on_change = on_change

---@param question wherefore.OpenQuestion
---@param answer? string
local function close_question(question, answer)
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
---@return wherefore.OpenQuestion
function M.add_question(client, params, done)
  local question = { client = client, params = params, done = done }
  table.insert(open, question)
  local about = params.why ~= '' and ('%s: %s'):format(params.tool, params.why) or params.text
  messages.warn('you are asked; :Wherefore answer. ' .. about)
  changed()
  return question
end

--- Takes a question back.
---@param question wherefore.OpenQuestion
function M.withdraw_question(question)
  close_question(question)
end

--- Takes a question in, and gives the answer once there is one: the server's request waits as a coroutine.
---@param client integer
---@param params wherefore.AskParams
---@return wherefore.AskAnswer
function M.ask_person(client, params)
  local waiting = coroutine.running()
  M.add_question(client, params, vim.schedule_wrap(function(answer)
    coroutine.resume(waiting, { answer = answer })
  end))
  return coroutine.yield()
end

--- Takes back what nobody has to answer any more.
---@param client integer
---@param is_over fun(params: wherefore.AskParams): boolean
local function drop_questions(client, is_over)
  for _, question in ipairs(vim.list_slice(open)) do
    if question.client == client and is_over(question.params) then
      swapped = question == open[1] and #open > 1 and vim.uv.now() or swapped
      close_question(question)
    end
  end
end

--- A call ended, and what it asked with it.
---@param client integer
---@param notice wherefore.FinishNotice
function M.end_of_call(client, notice)
  drop_questions(client, function(params)
    return params.session == notice.session and params.call_id == notice.call_id
  end)
end

--- A server ended, and what it asked with it.
---@param client integer
function M.end_all(client)
  drop_questions(client, function()
    return true
  end)
end

--- Lists the questions that wait, oldest first.
---@return wherefore.OpenQuestion[]
function M.list_open()
  return open
end

--- Finds the question of a call.
---@param call wherefore.CallRecord
---@return wherefore.OpenQuestion?
function M.find_by_call(call)
  return vim.iter(open):find(function(question)
    local params = question.params
    return question.client == call.client and params.session == call.notice.session and params.call_id == call.notice.call_id
  end)
end

--- Has the person choose an answer.
---@param question wherefore.OpenQuestion
function M.choose_answer(question)
  local options = { prompt = text.escape_hidden(question.params.text), format_item = text.escape_hidden }
  vim.ui.select(question.params.answers, options, function(answer)
    -- Turned away, it still waits.
    if answer then
      close_question(question, answer)
    end
  end)
end

--- Answers the oldest question, with the word where one is given.
---@param word? string
function M.answer_oldest(word)
  local question = open[1]
  if not question then
    return messages.show('wherefore: nothing is asked')
  end
  if not word then
    return M.choose_answer(question)
  elseif swapped and vim.uv.now() - swapped < swap_ms then
    return messages.warn('the question before is over; this is another one: ' .. question.params.text)
  end
  for _, answer in ipairs(question.params.answers) do
    if answer:lower() == word:lower() then
      return close_question(question, answer)
    end
  end
  messages.warn(('%s is not an answer; there are: %s'):format(word, table.concat(question.params.answers, ', ')))
end

return M
