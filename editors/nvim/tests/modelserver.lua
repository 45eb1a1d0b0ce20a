--- A model that plays a script: speaks the chat completions of OpenAI on loopback, streamed, and keeps what it was sent.
local M = {}

local uv = vim.uv

---@class Answer
---@field text? string[] pieces
---@field calls? { [1]: string, [2]: table }[] a tool by its dotted name, and arguments
---@field hold? boolean whether the stream stays open after the pieces
---@field status? integer of an answer that is a fault

local function event(delta, reason)
  local choice = { index = 0, delta = delta, finish_reason = reason or vim.NIL }
  local chunk = { id = 'chat', object = 'chat.completion.chunk', created = 1, model = 'scripted', choices = { choice } }
  if reason then
    chunk.usage = { prompt_tokens = 100, completion_tokens = 10, total_tokens = 110 }
  end
  return ('data: %s\n\n'):format(vim.json.encode(chunk))
end

--- The name by which the tool was offered.
local function offered(body, tool)
  for _, each in ipairs(body.tools or {}) do
    local name = each['function'].name
    if name:gsub('%W', '_') == tool:gsub('%W', '_') then
      return name
    end
  end
  return tool
end

---@param body table
---@param answer Answer
---@param count integer
---@return string[] pieces
local function pieces_of(body, answer, count)
  local out = {}
  for _, text in ipairs(answer.text or {}) do
    table.insert(out, event({ role = 'assistant', content = text }))
  end
  if answer.hold then
    return out
  end
  local calls = {}
  for index, call in ipairs(answer.calls or {}) do
    local fn = { name = offered(body, call[1]), arguments = vim.json.encode(call[2]) }
    table.insert(calls, { index = index - 1, id = ('call_%d_%d'):format(count, index), type = 'function', ['function'] = fn })
  end
  if #calls > 0 then
    table.insert(out, event({ role = 'assistant', tool_calls = calls }))
  end
  table.insert(out, event(vim.empty_dict(), #calls > 0 and 'tool_calls' or 'stop'))
  table.insert(out, 'data: [DONE]\n\n')
  return out
end

local head = 'HTTP/1.1 %d %s\r\ncontent-type: %s\r\nconnection: close\r\n\r\n'

local function respond(server, socket, line, body)
  if not line:find('/chat/completions', 1, true) then
    socket:write(head:format(200, 'OK', 'application/json') .. vim.json.encode({ object = 'list', data = { { id = 'scripted', object = 'model' } } }))
    return socket:shutdown(function() socket:close() end)
  end
  body = vim.json.decode(body)
  table.insert(server.seen, body)
  local answer = server.script[#server.seen] or { text = { 'The script is over.' } }
  if answer.status then
    socket:write(head:format(answer.status, 'Fault', 'application/json') .. '{"error":{"message":"no such model"}}')
    return socket:shutdown(function() socket:close() end)
  end
  socket:write(head:format(200, 'OK', 'text/event-stream'))
  for _, piece in ipairs(pieces_of(body, answer, #server.seen)) do
    socket:write(piece)
  end
  if not answer.hold then
    socket:shutdown(function() socket:close() end)
  end
end

--- Starts one.
---@param script Answer[] an answer for each time that the model is asked
---@return { port: integer, seen: table[], script: Answer[], stop: fun() }
function M.start(script)
  local listener = assert(uv.new_tcp())
  assert(listener:bind('127.0.0.1', 0))
  local server = { port = listener:getsockname().port, seen = {}, script = script }
  local sockets = {}
  listener:listen(64, function()
    local socket, came = assert(uv.new_tcp()), ''
    table.insert(sockets, socket)
    listener:accept(socket)
    socket:read_start(function(err, bytes)
      if err or not bytes then
        return not socket:is_closing() and socket:close()
      end
      came = came .. bytes
      local top, rest = came:match('^(.-)\r\n\r\n(.*)$')
      local length = top and tonumber(top:lower():match('content%-length: *(%d+)') or '0')
      if top and #rest >= length then
        came = ''
        vim.schedule(function() respond(server, socket, top:match('^[^\r]*'), rest) end)
      end
    end)
  end)
  function server.stop()
    for _, each in ipairs(vim.list_extend({ listener }, sockets)) do
      if not each:is_closing() then
        each:close()
      end
    end
  end
  return server
end

return M
