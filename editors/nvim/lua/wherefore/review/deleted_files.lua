--- Files that a decision or an undo removed: their buffers close, so that no `:w` brings them back unasked.
local M = {}

local api = vim.api
local buffer = require('wherefore.buffer')
local messages = require('wherefore.messages')

--- The state of every hunk of a file that is gone, by what its proposal does.
local gone_at = { delete = 'accepted', create = 'rejected', copy = 'rejected' }

--- Shows something else in every window on a buffer; the windows stay.
---@param buf integer
local function leave_buffer(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    api.nvim_win_call(win, function()
      local other = vim.fn.bufnr('#')
      if other > 0 and other ~= buf and vim.bo[other].buflisted then
        vim.cmd.buffer({ args = { other }, mods = { silent = true } })
      else
        vim.cmd.enew()
      end
    end)
  end
end

--- Closes the buffers on those of the files that are not on the disk. One with text that is not saved stays, and that is
--- said.
---@param paths string[]
function M.close_buffers(paths)
  for _, path in ipairs(paths) do
    local buf = not vim.uv.fs_lstat(path) and buffer.find_by_name(path) or -1
    if buf > 0 and api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' then
      if vim.bo[buf].modified then
        local what = '%s was deleted, and what you typed in it is not saved: :w brings it back, :bd! lets that go'
        messages.warn(what:format(vim.fn.fnamemodify(path, ':.')))
      else
        leave_buffer(buf)
        api.nvim_buf_delete(buf, {})
      end
    end
  end
end

--- The files that are gone where proposals stand like this: deletions that were accepted, new files that were taken back.
---@param list wherefore.Proposal[]
---@return string[]
function M.find_deleted(list)
  local paths = {}
  for _, proposal in ipairs(list) do
    for _, file in ipairs(proposal.files) do
      local state = gone_at[file.kind]
      local is_deleted = state and #file.hunks > 0 and vim.iter(file.hunks):all(function(hunk)
        return hunk.state == state
      end)
      if is_deleted then
        table.insert(paths, vim.fs.normalize(vim.uri_to_fname(file.uri)))
      end
    end
  end
  return paths
end

return M
