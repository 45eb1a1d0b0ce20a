--- `:Wherefore working-set`: the files that matter now, and why.
local M = {}

local client = require('wherefore.client')
local panel = require('wherefore.panel')
local text = require('wherefore.text')
local window = require('wherefore.window')

---@type { root: string, client: integer, files: wherefore.WorkingFile[] }
local known = { root = '', client = 0, files = {} }
---@type boolean whether the server is about to be asked
local asked = false

---@type wherefore.Panel
local shown = {
  title = 'working set',
  empty = 'No file matters now: none is open, and no hunk waits.',
  rows = function(width)
    local longest = 0
    for _, file in ipairs(known.files) do
      longest = math.max(longest, vim.fn.strdisplaywidth(file.path))
    end
    longest = math.min(longest, math.floor(width / 2))
    return vim.tbl_map(function(file)
      local path = text.clip(file.path, longest)
      local gap = (' '):rep(longest - vim.fn.strdisplaywidth(path) + 2)
      local reasons = text.clip(table.concat(file.reasons, '; '), width - longest - 2)
      return { id = file.path, item = file, parts = { { path .. gap, 'WhereforeHeader' }, { reasons } } }
    end, known.files)
  end,
  keys = {},
}

shown.keys = {
  {
    lhs = '<CR>',
    desc = 'open',
    run = function(file)
      panel.close(shown)
      window.for_file()
      window.show(vim.fs.joinpath(known.root, file.path))
    end,
  },
}

---@param lsp vim.lsp.Client
---@param done fun()
local function ask(lsp, done)
  client.request(lsp, 'wherefore/workingSet', { root = lsp.config.root_dir }, function(answer)
    known = { root = lsp.config.root_dir, client = lsp.id, files = answer.files or {} }
    done()
  end)
end

function M.open()
  local lsp = client.needed()
  if lsp then
    ask(lsp, function()
      panel.open(shown)
      panel.changed(shown)
    end)
  end
end

--- Asks anew soon, where the list is open.
function M.changed()
  if asked or not panel.is_open(shown) then
    return
  end
  asked = true
  vim.defer_fn(function()
    asked = false
    local lsp = panel.is_open(shown) and vim.lsp.get_client_by_id(known.client)
    if lsp then
      ask(lsp, function()
        panel.changed(shown)
      end)
    end
  end, 50)
end

return M
