--- A stand-in for Claude Code: finds the editor by its file, enters over a WebSocket with the token, and calls its tools.
local M = {}

---@class SlotAgent
---@field socket uv.uv_tcp_t
---@field told table[] what the editor told by itself
---@field answers table<integer, table>
---@field last integer
---@field rest string bytes that are no whole frame yet
local Agent = {}
Agent.__index = Agent

--- The announcements below an agent's own folder.
---@param home string
---@return string[]
function M.files(home)
  return vim.fn.glob(home .. '/ide/*.lock', true, true)
end

--- A frame from a client: masked, with a mask of zeros.
local function frame(text)
  local head
  if #text < 126 then
    head = string.char(0x81, 0x80 + #text)
  else
    head = string.char(0x81, 0x80 + 126, math.floor(#text / 256), #text % 256)
  end
  return head .. '\0\0\0\0' .. text
end

--- The text of the first frame, and the bytes after it; nothing where it is not whole.
local function unframe(bytes)
  if #bytes < 2 then
    return
  end
  local length, from = bytes:byte(2), 3
  if length >= 126 then
    local size = length == 126 and 2 or 8
    if #bytes < 2 + size then
      return
    end
    length = 0
    for at = 3, 2 + size do
      length = length * 256 + bytes:byte(at)
    end
    from = 3 + size
  end
  if #bytes < from + length - 1 then
    return
  end
  return bytes:sub(from, from + length - 1), bytes:sub(from + length)
end

function Agent:heard(bytes)
  self.rest = self.rest .. bytes
  if not self.is_in then
    local stop = select(2, self.rest:find('\r\n\r\n', 1, true))
    if not stop then
      return
    end
    self.is_in, self.rest = self.rest:find('^HTTP/1.1 101') ~= nil, self.rest:sub(stop + 1)
  end
  while true do
    local text, rest = unframe(self.rest)
    if not text then
      return
    end
    self.rest = rest
    local ok, message = pcall(vim.json.decode, text)
    if ok and message.method then
      table.insert(self.told, message)
    elseif ok and message.id then
      self.answers[message.id] = message
    end
  end
end

function Agent:send(message)
  self.socket:write(frame(vim.json.encode(message)))
end

function Agent:ask(method, params)
  self.last = self.last + 1
  local id = self.last
  self:send({ jsonrpc = '2.0', id = id, method = method, params = params })
  assert(vim.wait(10000, function()
    return self.answers[id] ~= nil
  end, 10), 'no answer to ' .. method)
  return assert(self.answers[id].result, vim.inspect(self.answers[id]))
end

--- What a tool answers as one value.
function Agent:value(tool, arguments)
  local answer = self:ask('tools/call', { name = tool, arguments = arguments or vim.empty_dict() })
  return vim.json.decode(answer.content[1].text)
end

--- Waits until it is told that another text is selected; gives the params of that.
---@param text string
function Agent:hears(text)
  local found
  local ok = vim.wait(10000, function()
    for _, message in ipairs(self.told) do
      if message.method == 'selection_changed' and message.params.text == text then
        found = message.params
      end
    end
    return found ~= nil
  end, 20)
  assert(ok, ('not told of %q: %s'):format(text, vim.inspect(self.told)))
  return found
end

function Agent:leave()
  self.socket:close()
end

--- Enters by the announcement in a folder, once it is there.
---@param home string
---@return SlotAgent
function M.enter(home)
  assert(vim.wait(10000, function()
    return #M.files(home) == 1
  end, 20), 'nothing is announced')
  local file = M.files(home)[1]
  local port = vim.fn.fnamemodify(file, ':t:r')
  local token = vim.json.decode(table.concat(vim.fn.readfile(file), '\n')).authToken
  local agent = setmetatable({ socket = assert(vim.uv.new_tcp()), told = {}, answers = {}, last = 0, rest = '', is_in = false }, Agent)
  agent.socket:connect('127.0.0.1', tonumber(port), function(err)
    assert(not err, err)
    agent.socket:read_start(function(_, bytes)
      if bytes then
        agent:heard(bytes)
      end
    end)
    agent.socket:write(table.concat({
      'GET / HTTP/1.1',
      'Host: 127.0.0.1:' .. port,
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Protocol: mcp',
      'X-Claude-Code-Ide-Authorization: ' .. token,
      '\r\n',
    }, '\r\n'))
  end)
  assert(vim.wait(10000, function()
    return agent.is_in
  end, 10), 'not let in')
  agent:ask('initialize', { protocolVersion = '2025-06-18', capabilities = vim.empty_dict(), clientInfo = { name = 'claude-code', version = '1' } })
  agent:send({ jsonrpc = '2.0', method = 'notifications/initialized' })
  return agent
end

return M
