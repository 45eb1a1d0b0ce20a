--- The proposals that the servers told of: which hunks wait, in which file. No text and no windows here.
local M = {}

local uv = vim.uv

---@class wherefore.Entry one file of a proposal, with the hunks that wait
---@field client integer the client whose server holds it
---@field proposal wherefore.Proposal
---@field file wherefore.ProposedFile
---@field key string the file's real path
---@field hunks wherefore.Hunk[] those that wait, and those to look at afterwards

---@type table<integer, table<string, wherefore.Proposal>> by client, by proposal
local proposals = {}
---@type table<integer, table<string, true>> proposals whose applied hunks are looked at, by client
local looked_at = {}
---@type wherefore.Entry[]? in the order of paths, then of age; nil when it must be built anew
local entries
---@type table<string, string>
local real_paths = {}
local on_change, tell = require('wherefore.listeners').new()

--- The one name of a file, whatever links lead to it.
---@param path string absolute
---@return string
function M.key(path)
  local known = real_paths[path]
  if known then
    return known
  end
  local real = uv.fs_realpath(path)
  if real then
    real_paths[path] = real
    return real
  end
  local folder = uv.fs_realpath(vim.fs.dirname(path))
  return folder and vim.fs.joinpath(folder, vim.fs.basename(path)) or path
end

---@param file wherefore.ProposedFile
---@return string
function M.path(file)
  return vim.fs.normalize(vim.uri_to_fname(file.uri))
end

--- What is done to a file, as a sentence of the server's; nil where its lines say everything.
---@param file wherefore.ProposedFile
---@return string?
function M.what(file)
  return type(file.what) == 'string' and file.what or nil
end

--- The one name of a proposal's file: of a symlink its own, not that of what it leads to.
---@param file wherefore.ProposedFile
---@return string
local function key_of(file)
  local path = M.path(file)
  if file.kind ~= 'symlink' and file.kind ~= 'rename' then
    return M.key(path)
  end
  return vim.fs.joinpath(M.key(vim.fs.dirname(path)), vim.fs.basename(path))
end

--- Calls `run` with the files touched whenever hunks come, move or go.
---@type fun(run: fun(keys: table<string, true>))
M.on_change = on_change

local function changed(keys)
  entries = nil
  tell(keys)
end

---@param proposal wherefore.Proposal
---@param keys table<string, true>
local function add_keys(proposal, keys)
  for _, file in ipairs(proposal.files) do
    keys[key_of(file)] = true
  end
end

--- Whether a hunk waits for a decision.
---@param hunk wherefore.Hunk
---@return boolean
function M.is_pending(hunk)
  return hunk.state == nil or hunk.state == 'pending'
end

--- Whether a policy applied a hunk, and nobody has looked at it.
---@param hunk wherefore.Hunk
---@return boolean
function M.is_applied(hunk)
  return hunk.state == 'accepted' and hunk.reviewed ~= true
end

---@param files wherefore.ProposedFile[]
---@param is fun(hunk: wherefore.Hunk): boolean
---@return wherefore.Hunk[]
local function hunks_of(files, is)
  local hunks = {}
  for _, file in ipairs(files) do
    vim.list_extend(hunks, vim.tbl_filter(is, file.hunks))
  end
  return hunks
end

--- How many hunks of one proposal wait.
---@param proposal wherefore.Proposal
---@return integer
function M.waiting(proposal)
  return #hunks_of(proposal.files, M.is_pending)
end

--- Whether a policy applied hunks of one proposal that nobody has looked at.
---@param proposal wherefore.Proposal
---@return boolean
function M.has_applied(proposal)
  return #hunks_of(proposal.files, M.is_applied) > 0
end

--- Whether the applied hunks of one proposal are looked at.
---@param client integer
---@param id string
---@return boolean
function M.looks_at(client, id)
  return (looked_at[client] or {})[id] == true
end

--- Whether applied hunks of a client are looked at.
---@param client integer
---@return boolean
function M.looks(client)
  return looked_at[client] ~= nil
end

--- The hunks to decide on: those that wait, and where they are looked at those that were applied.
---@param client integer
---@param proposal wherefore.Proposal
---@param files wherefore.ProposedFile[] of the proposal
---@return wherefore.Hunk[]
local function to_decide(client, proposal, files)
  local looks = M.looks_at(client, proposal.id)
  return hunks_of(files, function(hunk)
    return M.is_pending(hunk) or looks and M.is_applied(hunk)
  end)
end

--- Takes proposals as the server holds them now.
---@param client integer
---@param list wherefore.Proposal[]
function M.put(client, list)
  local keys = {}
  proposals[client] = proposals[client] or {}
  for _, proposal in ipairs(list) do
    add_keys(proposal, keys)
    local before = proposals[client][proposal.id]
    if before then
      add_keys(before, keys)
    end
    proposals[client][proposal.id] = #to_decide(client, proposal, proposal.files) > 0 and proposal or nil
  end
  changed(keys)
end

--- Says whose applied hunks are looked at from the next time on that they are told of; nil: of none, at once.
---@param client integer
---@param ids? table<string, true>
function M.look(client, ids)
  looked_at[client] = ids
  if not ids then
    M.put(client, vim.tbl_values(proposals[client] or {}))
  end
end

--- The proposal as it was last told, while a hunk of it waits.
---@param client integer
---@param id string
---@return wherefore.Proposal?
function M.get(client, id)
  return (proposals[client] or {})[id]
end

--- Forgets what a server held, as when it ended.
---@param client integer
function M.forget(client)
  local keys = {}
  for _, proposal in pairs(proposals[client] or {}) do
    add_keys(proposal, keys)
  end
  proposals[client], looked_at[client] = nil, nil
  changed(keys)
end

---@param a wherefore.Entry
---@param b wherefore.Entry
local function before(a, b)
  if a.key ~= b.key then
    return a.key < b.key
  end
  if a.proposal.created ~= b.proposal.created then
    return a.proposal.created < b.proposal.created
  end
  return a.proposal.id < b.proposal.id
end

--- Every file with a hunk to decide on.
---@return wherefore.Entry[]
function M.entries()
  if entries then
    return entries
  end
  entries = {}
  for client, held in pairs(proposals) do
    for _, proposal in pairs(held) do
      for _, file in ipairs(proposal.files) do
        local hunks = to_decide(client, proposal, { file })
        if #hunks > 0 then
          local key = key_of(file)
          table.insert(entries, { client = client, proposal = proposal, file = file, key = key, hunks = hunks })
        end
      end
    end
  end
  table.sort(entries, before)
  return entries
end

--- The entries of one file.
---@param key string
---@return wherefore.Entry[]
function M.of(key)
  return vim.tbl_filter(function(entry)
    return entry.key == key
  end, M.entries())
end

--- How many hunks wait, in how many files.
---@return integer hunks
---@return integer files
function M.count()
  local hunks, files, last = 0, 0, nil
  for _, entry in ipairs(M.entries()) do
    local waiting = #vim.tbl_filter(M.is_pending, entry.hunks)
    if waiting > 0 then
      hunks = hunks + waiting
      files = entry.key == last and files or files + 1
      last = entry.key
    end
  end
  return hunks, files
end

--- How many hunks that were applied are still to look at.
---@param client? integer of this one alone
---@return integer
function M.applied(client)
  local count = 0
  for _, entry in ipairs(M.entries()) do
    if not client or entry.client == client then
      count = count + #vim.tbl_filter(M.is_applied, entry.hunks)
    end
  end
  return count
end

return M
