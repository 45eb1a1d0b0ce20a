--- Buffers of files that another program changed: they are read again, so that its hunks can be taken back in them.
local M = {}

local api = vim.api
local buffer = require('wherefore.buffer')

--- The ways in of changes that stood before the server heard of them.
local native = { hook = true, ide = true, acp = true, outside = true }

---@param path string
local function read_again(path)
  local buf = buffer.of(path)
  if buf > 0 and api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' and not vim.bo[buf].modified then
    pcall(vim.cmd.checktime, buf)
  end
end

--- Reads the files of such changes again, where the person lets Neovim do that unasked and no text waits to be saved.
---@param list wherefore.Proposal[]
function M.look(list)
  if not vim.go.autoread then
    return
  end
  for _, proposal in ipairs(list) do
    if native[proposal.origin.door] then
      for _, file in ipairs(proposal.files) do
        read_again(vim.fs.normalize(vim.uri_to_fname(file.uri)))
      end
    end
  end
end

return M
