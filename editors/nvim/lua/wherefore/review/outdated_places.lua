--- Places of hunks that the server counted in an older text than the buffer's: they are asked for again once nobody types.
local M = {}

local client = require('wherefore.server.client')
local guard = require('wherefore.guard')
local methods = require('wherefore.server.wire').methods

--- The time that nothing must have changed before the places are asked for.
local settle_ms = 300

---@type table<integer, integer> the version that was asked for last, by buffer
local asked = {}

--- True if an entry's places count in an older text.
---@param entry wherefore.ReviewEntry
---@param now integer
local function is_outdated(entry, now)
  return type(entry.file.version) == 'number' and entry.file.version < now
end

---@param buf integer
---@param version integer
---@param id integer the client
local function request_places(buf, version, id)
  local lsp = vim.lsp.get_client_by_id(id)
  if not lsp or vim.lsp.util.buf_versions[buf] ~= version then
    return -- what was typed since tells the server, which tells the places
  end
  client.request(lsp, methods.proposals, { root = lsp.config.root_dir }, function(answer)
    require('wherefore.server.handlers').take_proposals(id, answer.proposals or {})
  end)
end

--- Hunks of a buffer were drawn: asks for their places anew where they may be wrong, once for each text.
---@param buf integer
---@param entries wherefore.ReviewEntry[]
function M.refresh_outdated(buf, entries)
  local now = vim.lsp.util.buf_versions[buf]
  if type(now) ~= 'number' or asked[buf] == now then
    return
  end
  for _, entry in ipairs(entries) do
    if is_outdated(entry, now) then
      asked[buf] = now
      vim.defer_fn(function()
        guard.wrap('asking where hunks are', request_places)(buf, now, entry.client)
      end, settle_ms)
      return
    end
  end
end

return M
