--- Sends decisions to the server, which applies them.
local M = {}

local client = require('wherefore.server.client')
local methods = require('wherefore.server.wire').methods
local messages = require('wherefore.messages')

---@type table<string, true> decisions under way, so that a key pressed twice counts once
local sent = {}

---@param client_id integer
---@param params wherefore.DecideParams
---@param done? fun(clean: boolean) called with whether all of it could be done
function M.send(client_id, params, done)
  done = done or function() end
  local lsp = vim.lsp.get_client_by_id(client_id)
  if not lsp then
    messages.warn('the server is gone; :Wherefore restart')
    return done(false)
  end
  local once = vim.inspect({ client_id, params.proposal, params.hunks, params.path, params.applied, params.since })
  if sent[once] then
    return
  end
  sent[once] = true
  params.root = lsp.config.root_dir
  client.request(lsp, methods.decide, params, function(answer)
    sent[once] = nil
    require('wherefore.server.handlers').take_proposals(client_id, answer.proposals or {})
    for _, problem in ipairs(answer.problems or {}) do
      messages.warn(problem)
    end
    done(#(answer.problems or {}) == 0)
  end, function()
    sent[once] = nil
    done(false)
  end)
end

return M
