--- Buffers of files that another program changed: they are read again, so that its hunks can be taken back in them.
local M = {}

local api = vim.api
local buffer = require('wherefore.buffer')

--- The ways in of changes that stood before the server heard of them.
local native = { hook = true, acp = true, outside = true }

---@param path string
local function reload_buffer(path)
  local buf = buffer.find_by_name(path)
  if buf > 0 and api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' and not vim.bo[buf].modified then
    pcall(vim.cmd.checktime, buf)
  end
end

--- Reads the files of such changes again, where the person lets Neovim do that unasked and no text waits to be saved.
---@param list wherefore.Proposal[]
function M.reload_changed(list)
  if not vim.go.autoread then
    return
  end
  for _, proposal in ipairs(list) do
    if native[proposal.origin.door] then
      for _, file in ipairs(proposal.files) do
        reload_buffer(vim.fs.normalize(vim.uri_to_fname(file.uri)))
      end
    end
  end
end

return M
