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
  require('wherefore.review.keys').map_everywhere()
  if not ready then
    ready = true
    require('wherefore.review.drawn_hunks').watch()
    require('wherefore.review.proposal_preview').watch()
    require('wherefore.calls.call_panel').watch()
    require('wherefore.review.applied_review').watch()
    require('wherefore.server.focus_reporter').watch()
    require('wherefore.review.banner').watch()
    require('wherefore.calls.question_card').watch()
    require('wherefore.review.session_review').watch()
    require('wherefore.why.line_why').watch()
    local function changed()
      vim.api.nvim_exec_autocmds('User', { pattern = 'WhereforeChanged', modeline = false })
      vim.cmd.redrawstatus({ bang = true })
    end
    require('wherefore.calls.questions').on_change(changed)
    require('wherefore.review.proposal_store').on_change(changed)
  end
  require('wherefore.server.client').watch()
end

--- True if `setup` was called.
---@return boolean
function M.is_ready()
  return ready
end

--- Calls `setup` with the defaults where nobody did.
function M.ensure_ready()
  if not ready then
    M.setup()
  end
end

--- Counts the hunks that wait for a decision, and their files.
---@return integer hunks
---@return integer files
function M.pending()
  return require('wherefore.review.proposal_store').count_waiting()
end

--- A piece for a status line: `3 hunks in 2 files`, where `:Wherefore applied` is on `5 applied`,
--- where something is asked `1 question`, or nothing.
---@return string
function M.statusline()
  local hunks, files = M.pending()
  local text = require('wherefore.text')
  local applied, parts = require('wherefore.review.proposal_store').count_applied(), {}
  if hunks > 0 then
    table.insert(parts, ('%s in %s'):format(text.format_count(hunks, 'hunk'), text.format_count(files, 'file')))
  end
  if applied > 0 then
    table.insert(parts, applied .. ' applied')
  end
  local questions = #require('wherefore.calls.questions').list_open()
  if questions > 0 then
    table.insert(parts, text.format_count(questions, 'question'))
  end
  return table.concat(parts, ', ')
end

return M
