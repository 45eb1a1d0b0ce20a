--- `:Wherefore applied`: hunks that a policy applied with nobody looking are looked at afterwards. They are drawn and
--- decided on as those that wait are: accepted, they stay; rejected, they are taken back.
local M = {}

local client = require('wherefore.server.client')
local guard = require('wherefore.guard')
local methods = require('wherefore.server.wire').methods
local messages = require('wherefore.messages')
local proposal_store = require('wherefore.review.proposal_store')

---@type table<integer, { since?: string, asked?: true }> what is looked at, by client
local on = {}

--- The point of the log after which a client's hunks are looked at; nil where it is the beginning, or none are.
---@param id integer
---@return string?
function M.find_start(id)
  return on[id] and on[id].since
end

--- Asks what was applied, and shows it.
---@param lsp vim.lsp.Client
---@param since? string
---@param done fun()
local function request_applied(lsp, since, done)
  local params = { applied = true, since = since, root = lsp.config.root_dir }
  client.request(lsp, methods.proposals, params, function(answer)
    local ids = {}
    for _, proposal in ipairs(answer.proposals or {}) do
      ids[proposal.id] = true
    end
    proposal_store.look_at(lsp.id, ids)
    require('wherefore.server.handlers').take_proposals(lsp.id, answer.proposals or {})
    done()
  end)
end

---@param since? string a point of the log
local function begin_review(since)
  local lsp = client.require_client()
  if not lsp then
    return
  end
  request_applied(lsp, since, function()
    local count = proposal_store.count_applied(lsp.id)
    if count == 0 then
      proposal_store.look_at(lsp.id, nil)
      on[lsp.id] = nil
      return messages.show('wherefore: nothing was applied that nobody has looked at' .. (since and ', since ' .. since or ''))
    end
    on[lsp.id] = { since = since }
    local what = count == 1 and '1 hunk was' or count .. ' hunks were'
    messages.show(('wherefore: %s applied with nobody looking; :Wherefore applied off leaves'):format(what))
    require('wherefore.review.navigation').go_to_applied()
  end)
end

local function end_review()
  if not next(on) then
    return messages.show('wherefore: hunks that were applied are not shown; :Wherefore applied shows them')
  end
  for id in pairs(on) do
    on[id] = nil
    proposal_store.look_at(id, nil)
  end
end

--- Begins at a point of the log, or ends.
---@param rest? string a point, or `off`
function M.begin_or_end(rest)
  if rest == 'off' then
    end_review()
  else
    begin_review(rest)
  end
end

--- A server told of proposals: those that were applied just now are to be looked at too.
---@param id integer
---@param list wherefore.Proposal[]
function M.take_proposals(id, list)
  local state = on[id]
  local new = state and not state.asked and vim.iter(list):any(function(proposal)
    return not proposal_store.is_looked_at(id, proposal.id) and proposal_store.has_applied(proposal)
  end)
  if not state or not new then
    return
  end
  state.asked = true
  vim.defer_fn(guard.wrap('asking what was applied', function()
    state.asked = nil
    local lsp = vim.lsp.get_client_by_id(id)
    if lsp and on[id] == state then
      request_applied(lsp, state.since, function() end)
    end
  end), 100)
end

--- Leaves where nothing is left, or the server ended.
function M.watch()
  proposal_store.on_change(function()
    for id in pairs(on) do
      if proposal_store.count_applied(id) == 0 then
        on[id] = nil
        if proposal_store.has_looked_at(id) then
          proposal_store.look_at(id, nil)
          messages.show('wherefore: all that was applied has been looked at')
        end
      end
    end
  end)
end

return M
