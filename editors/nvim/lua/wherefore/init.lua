--- The plugin's door: `setup`, and what a status line asks.
local M = {}

local ready = false

--- Starts the plugin. Options that are wrong throw a sentence that names them.
---@param opts? wherefore.Config|{}
function M.setup(opts)
  require('wherefore.config').set(opts)
  -- Nothing but the runtime path is set where a plugin manager knows no folder inside of a repository.
  if not vim.g.loaded_wherefore then
    vim.cmd.runtime('plugin/wherefore.lua')
  end
  require('wherefore.keys').everywhere()
  if not ready then
    ready = true
    require('wherefore.hunks').watch()
    require('wherefore.preview').watch()
    require('wherefore.call_panel').watch()
    require('wherefore.applied').watch()
    require('wherefore.focus').watch()
    require('wherefore.slot').watch()
    require('wherefore.banner').watch()
    require('wherefore.session').watch()
    require('wherefore.line_why').watch()
    local function changed()
      vim.api.nvim_exec_autocmds('User', { pattern = 'WhereforeChanged', modeline = false })
      vim.cmd.redrawstatus({ bang = true })
    end
    require('wherefore.asks').on_change(changed)
    require('wherefore.review').on_change(changed)
  end
  require('wherefore.client').watch()
end

--- Whether `setup` was called.
---@return boolean
function M.is_ready()
  return ready
end

--- Calls `setup` with the defaults where nobody did.
function M.ready()
  if not ready then
    M.setup()
  end
end

--- How many hunks wait for a decision, in how many files.
---@return integer hunks
---@return integer files
function M.pending()
  return require('wherefore.review').count()
end

--- A piece for a status line: `3 hunks in 2 files`, where `:Wherefore applied` is on `5 applied`,
--- where something is asked `1 question`, or nothing.
---@return string
function M.statusline()
  local hunks, files = M.pending()
  local text = require('wherefore.text')
  local applied, parts = require('wherefore.review').applied(), {}
  if hunks > 0 then
    table.insert(parts, ('%s in %s'):format(text.count(hunks, 'hunk'), text.count(files, 'file')))
  end
  if applied > 0 then
    table.insert(parts, applied .. ' applied')
  end
  local questions = #require('wherefore.asks').list()
  if questions > 0 then
    table.insert(parts, text.count(questions, 'question'))
  end
  return table.concat(parts, ', ')
end

return M
