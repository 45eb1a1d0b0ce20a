--- The proposals that the servers told of: which hunks wait, in which file. No text and no windows here.
local M = {}

local uv = vim.uv

---@class wherefore.ReviewEntry one file of a proposal, with the hunks that wait
---@field client integer the client whose server holds it
---@field proposal wherefore.Proposal
---@field file wherefore.ProposedFile
---@field key string the file's real path
---@field hunks wherefore.Hunk[] those that wait, and those to look at afterwards

---@type table<integer, table<string, wherefore.Proposal>> by client, by proposal
local proposals = {}
---@type table<integer, table<string, true>> proposals whose applied hunks are looked at, by client
local looked_at = {}
---@type wherefore.ReviewEntry[]? in the order of paths, then of age; nil when it must be built anew
local entries
---@type table<string, string>
local real_paths = {}
local on_change, tell = require('wherefore.listeners').make_list()

--- The one name of a file, whatever links lead to it.
---@param path string absolute
---@return string
function M.find_real_path(path)
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
function M.find_path(file)
  return vim.fs.normalize(vim.uri_to_fname(file.uri))
end

--- Describes what is done to a file, by a sentence of the server's; nil where its lines say everything.
---@param file wherefore.ProposedFile
---@return string?
function M.describe_file_change(file)
  return type(file.what) == 'string' and file.what or nil
end

--- The one name of a proposal's file: of a symlink its own, not that of what it leads to.
---@param file wherefore.ProposedFile
---@return string
local function find_file_key(file)
  local path = M.find_path(file)
  if file.kind ~= 'symlink' and file.kind ~= 'rename' then
    return M.find_real_path(path)
  end
  return vim.fs.joinpath(M.find_real_path(vim.fs.dirname(path)), vim.fs.basename(path))
end

--- Calls `run` with the files touched whenever hunks come, move or go.
---@type fun(run: fun(keys: table<string, true>))
M.on_change = on_change

local function note_change(keys)
  entries = nil
  tell(keys)
end

---@param proposal wherefore.Proposal
---@param keys table<string, true>
local function add_keys(proposal, keys)
  for _, file in ipairs(proposal.files) do
    keys[find_file_key(file)] = true
  end
end

--- True if a hunk waits for a decision.
---@param hunk wherefore.Hunk
---@return boolean
function M.is_pending(hunk)
  return hunk.state == nil or hunk.state == 'pending'
end

--- True if a policy applied a hunk, and nobody has looked at it.
---@param hunk wherefore.Hunk
---@return boolean
function M.is_applied(hunk)
  return hunk.state == 'accepted' and hunk.reviewed ~= true
end

---@param files wherefore.ProposedFile[]
---@param is fun(hunk: wherefore.Hunk): boolean
---@return wherefore.Hunk[]
local function filter_hunks(files, is)
  local hunks = {}
  for _, file in ipairs(files) do
    vim.list_extend(hunks, vim.tbl_filter(is, file.hunks))
  end
  return hunks
end

--- Counts the hunks of one proposal that wait.
---@param proposal wherefore.Proposal
---@return integer
function M.count_waiting_of(proposal)
  return #filter_hunks(proposal.files, M.is_pending)
end

--- True if a policy applied hunks of one proposal that nobody has looked at.
---@param proposal wherefore.Proposal
---@return boolean
function M.has_applied(proposal)
  return #filter_hunks(proposal.files, M.is_applied) > 0
end

--- True if applied hunks are among those of an entry.
---@param entry wherefore.ReviewEntry
---@return boolean
function M.has_applied_hunks(entry)
  return vim.iter(entry.hunks):any(M.is_applied)
end

--- True if the applied hunks of one proposal are looked at.
---@param client integer
---@param id string
---@return boolean
function M.is_looked_at(client, id)
  return (looked_at[client] or {})[id] == true
end

--- True if applied hunks of a client are looked at.
---@param client integer
---@return boolean
function M.has_looked_at(client)
  return looked_at[client] ~= nil
end

--- The hunks to decide on: those that wait, and where they are looked at those that were applied.
---@param client integer
---@param proposal wherefore.Proposal
---@param files wherefore.ProposedFile[] of the proposal
---@return wherefore.Hunk[]
local function list_to_decide(client, proposal, files)
  local looks = M.is_looked_at(client, proposal.id)
  return filter_hunks(files, function(hunk)
    return M.is_pending(hunk) or looks and M.is_applied(hunk)
  end)
end

--- Takes proposals as the server holds them now.
---@param client integer
---@param list wherefore.Proposal[]
function M.take_proposals(client, list)
  local keys = {}
  proposals[client] = proposals[client] or {}
  for _, proposal in ipairs(list) do
    add_keys(proposal, keys)
    local before = proposals[client][proposal.id]
    if before then
      add_keys(before, keys)
    end
    proposals[client][proposal.id] = #list_to_decide(client, proposal, proposal.files) > 0 and proposal or nil
  end
  note_change(keys)
end

--- Says whose applied hunks are looked at from the next time on that they are told of; nil: of none, at once.
---@param client integer
---@param ids? table<string, true>
function M.look_at(client, ids)
  looked_at[client] = ids
  if not ids then
    M.take_proposals(client, vim.tbl_values(proposals[client] or {}))
  end
end

--- The proposal as it was last told, while a hunk of it waits.
---@param client integer
---@param id string
---@return wherefore.Proposal?
function M.find_proposal(client, id)
  return (proposals[client] or {})[id]
end

--- Forgets what a server held, as when it ended.
---@param client integer
function M.forget_client(client)
  local keys = {}
  for _, proposal in pairs(proposals[client] or {}) do
    add_keys(proposal, keys)
  end
  proposals[client], looked_at[client] = nil, nil
  note_change(keys)
end

---@param a wherefore.ReviewEntry
---@param b wherefore.ReviewEntry
local function is_before(a, b)
  if a.key ~= b.key then
    return a.key < b.key
  end
  if a.proposal.created ~= b.proposal.created then
    return a.proposal.created < b.proposal.created
  end
  return a.proposal.id < b.proposal.id
end

--- Every file with a hunk to decide on.
---@return wherefore.ReviewEntry[]
function M.list_entries()
  if entries then
    return entries
  end
  entries = {}
  for client, of_client in pairs(proposals) do
    for _, proposal in pairs(of_client) do
      for _, file in ipairs(proposal.files) do
        local hunks = list_to_decide(client, proposal, { file })
        if #hunks > 0 then
          local key = find_file_key(file)
          table.insert(entries, { client = client, proposal = proposal, file = file, key = key, hunks = hunks })
        end
      end
    end
  end
  table.sort(entries, is_before)
  return entries
end

--- The entries of one file.
---@param key string
---@return wherefore.ReviewEntry[]
function M.list_of_file(key)
  return vim.tbl_filter(function(entry)
    return entry.key == key
  end, M.list_entries())
end

--- Counts the hunks that wait, and their files.
---@return integer hunks
---@return integer files
function M.count_waiting()
  local hunks, files, last = 0, 0, nil
  for _, entry in ipairs(M.list_entries()) do
    local waiting = #vim.tbl_filter(M.is_pending, entry.hunks)
    if waiting > 0 then
      hunks = hunks + waiting
      files = entry.key == last and files or files + 1
      last = entry.key
    end
  end
  return hunks, files
end

--- Counts the applied hunks that are still to look at.
---@param client? integer of this one alone
---@return integer
function M.count_applied(client)
  local count = 0
  for _, entry in ipairs(M.list_entries()) do
    if not client or entry.client == client then
      count = count + #vim.tbl_filter(M.is_applied, entry.hunks)
    end
  end
  return count
end

return M
