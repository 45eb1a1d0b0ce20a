--- The proposals that the servers told of: which hunks wait, in which file. No text and no windows here.
local M = {}

local uv = vim.uv

---@class wherefore.Entry one file of a proposal, with the hunks that wait
---@field client integer the client whose server holds it
---@field proposal wherefore.Proposal
---@field file wherefore.ProposedFile
---@field key string the file's real path
---@field hunks wherefore.Hunk[]

---@type table<integer, table<string, wherefore.Proposal>> by client, by proposal
local proposals = {}
---@type wherefore.Entry[]? in the order of paths, then of age; nil when it must be built anew
local entries
---@type table<string, string>
local real_paths = {}
---@type fun(keys: table<string, true>)[]
local listeners = {}

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

--- Calls `run` with the files touched whenever hunks come, move or go.
---@param run fun(keys: table<string, true>)
function M.on_change(run)
  table.insert(listeners, run)
end

local function changed(keys)
  entries = nil
  for _, run in ipairs(listeners) do
    run(keys)
  end
end

---@param proposal wherefore.Proposal
---@param keys table<string, true>
local function add_keys(proposal, keys)
  for _, file in ipairs(proposal.files) do
    keys[M.key(M.path(file))] = true
  end
end

---@param proposal wherefore.Proposal
---@return wherefore.Hunk[]
local function waiting(proposal)
  local hunks = {}
  for _, file in ipairs(proposal.files) do
    for _, hunk in ipairs(file.hunks) do
      if hunk.state == nil or hunk.state == 'pending' then
        table.insert(hunks, hunk)
      end
    end
  end
  return hunks
end

--- How many hunks of one proposal wait.
---@param proposal wherefore.Proposal
---@return integer
function M.waiting(proposal)
  return #waiting(proposal)
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
    proposals[client][proposal.id] = #waiting(proposal) > 0 and proposal or nil
  end
  changed(keys)
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
  proposals[client] = nil
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

--- Every file with a hunk that waits.
---@return wherefore.Entry[]
function M.entries()
  if entries then
    return entries
  end
  entries = {}
  for client, held in pairs(proposals) do
    for _, proposal in pairs(held) do
      for _, file in ipairs(proposal.files) do
        local hunks = waiting({ files = { file } })
        if #hunks > 0 then
          local key = M.key(M.path(file))
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
    hunks = hunks + #entry.hunks
    files = entry.key == last and files or files + 1
    last = entry.key
  end
  return hunks, files
end

return M
