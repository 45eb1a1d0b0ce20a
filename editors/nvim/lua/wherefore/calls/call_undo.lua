--- Takes calls back.
local M = {}

local buffer = require('wherefore.buffer')
local client = require('wherefore.server.client')
local messages = require('wherefore.messages')
local methods = require('wherefore.server.wire').methods

--- Takes a call back; the last one that changed a file when none is named.
---@param call? string
function M.undo(call)
  local lsp = client.require_client()
  if not lsp then
    return
  end
  client.request(lsp, methods.undo, { call = call, root = lsp.config.root_dir }, function(answer)
    local paths = answer.paths or {}
    if (answer.withdrawn or 0) > 0 then
      messages.show(('wherefore: %d hunks of %s that waited are rejected'):format(answer.withdrawn, answer.call))
    end
    if #paths == 0 then
      return
    end
    require('wherefore.calls.call_list').note_undo(lsp.id, call or answer.call, answer.undo_id)
    require('wherefore.review.deleted_files').close_buffers(vim.tbl_map(function(path)
      return vim.fs.normalize(vim.fs.joinpath(lsp.config.root_dir, path))
    end, paths))
    vim.cmd.checktime()
    local back = (':Wherefore undo %s takes that back'):format(answer.undo_id)
    messages.show(('wherefore: %s undone: %s (%s)'):format(answer.call, table.concat(paths, ', '), back))
    local unsaved = vim.tbl_filter(function(path)
      local buf = buffer.find_by_name(vim.fs.joinpath(lsp.config.root_dir, path))
      return buf > 0 and vim.bo[buf].modified
    end, paths)
    if #unsaved > 0 then
      local list = table.concat(unsaved, ', ')
      messages.warn(('%s has unsaved changes, so that the disk is as it was; :write writes it'):format(list))
    end
  end)
end

return M
