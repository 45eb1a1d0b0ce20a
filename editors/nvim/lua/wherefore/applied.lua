--- `:Wherefore applied`: hunks that a policy applied with nobody looking are looked at afterwards. They are drawn and
--- decided on as those that wait are: accepted, they stay; rejected, they are taken back.
local M = {}

local client = require('wherefore.client')
local guard = require('wherefore.guard')
local methods = require('wherefore.wire').methods
local notify = require('wherefore.notify')
local review = require('wherefore.review')

---@type table<integer, { since?: string, asked?: true }> what is looked at, by client
local on = {}

--- The point of the log after which a client's hunks are looked at; nil where it is the beginning, or none are.
---@param id integer
---@return string?
function M.since(id)
  return on[id] and on[id].since
end

--- Asks what was applied, and shows it.
---@param lsp vim.lsp.Client
---@param since? string
---@param done fun()
local function ask(lsp, since, done)
  local params = { applied = true, since = since, root = lsp.config.root_dir }
  client.request(lsp, methods.proposals, params, function(answer)
    local ids = {}
    for _, proposal in ipairs(answer.proposals or {}) do
      ids[proposal.id] = true
    end
    review.look(lsp.id, ids)
    require('wherefore.handlers').take(lsp.id, answer.proposals or {})
    done()
  end)
end

---@param since? string a point of the log
local function enter(since)
  local lsp = client.needed()
  if not lsp then
    return
  end
  ask(lsp, since, function()
    local count = review.applied(lsp.id)
    if count == 0 then
      review.look(lsp.id, nil)
      on[lsp.id] = nil
      return notify.say('wherefore: nothing was applied that nobody has looked at' .. (since and ', since ' .. since or ''))
    end
    on[lsp.id] = { since = since }
    local what = count == 1 and '1 hunk was' or count .. ' hunks were'
    notify.say(('wherefore: %s applied with nobody looking; :Wherefore applied off leaves'):format(what))
    if not require('wherefore.hunks').at_cursor() then
      require('wherefore.act').next()
    end
  end)
end

local function leave()
  if not next(on) then
    return notify.say('wherefore: hunks that were applied are not shown; :Wherefore applied shows them')
  end
  for id in pairs(on) do
    on[id] = nil
    review.look(id, nil)
  end
end

--- Begins at a point of the log, or ends.
---@param rest? string a point, or `off`
function M.run(rest)
  if rest == 'off' then
    leave()
  else
    enter(rest)
  end
end

--- A server told of proposals: those that were applied just now are to be looked at too.
---@param id integer
---@param list wherefore.Proposal[]
function M.heard(id, list)
  local state = on[id]
  local new = state and not state.asked and vim.iter(list):any(function(proposal)
    return not review.looks_at(id, proposal.id) and review.has_applied(proposal)
  end)
  if not state or not new then
    return
  end
  state.asked = true
  vim.defer_fn(guard.wrap('asking what was applied', function()
    state.asked = nil
    local lsp = vim.lsp.get_client_by_id(id)
    if lsp and on[id] == state then
      ask(lsp, state.since, function() end)
    end
  end), 100)
end

--- Leaves where nothing is left, or the server ended.
function M.watch()
  review.on_change(function()
    for id in pairs(on) do
      if review.applied(id) == 0 then
        on[id] = nil
        if review.looks(id) then
          review.look(id, nil)
          notify.say('wherefore: all that was applied has been looked at')
        end
      end
    end
  end)
end

return M
