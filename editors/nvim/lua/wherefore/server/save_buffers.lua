--- Buffers that the server changed are saved, as they are.
local M = {}

local api = vim.api
local buffer = require('wherefore.buffer')

--- True if the file on disk is another one than the buffer was read from. It asks no question.
---@param buf integer
---@return boolean
local function is_changed_on_disk(buf)
  local reason
  local id = api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    callback = function()
      reason = vim.v.fcs_reason
      vim.v.fcs_choice = ''
    end,
  })
  local autoread = vim.bo[buf].autoread
  vim.bo[buf].autoread = false
  pcall(vim.cmd.checktime, buf)
  vim.bo[buf].autoread = autoread
  pcall(api.nvim_del_autocmd, id)
  return reason == 'changed' or reason == 'conflict'
end

--- Saves one buffer as `:write` does, without a question and without adding a last line end.
---@param buf integer
---@return string? why it was not saved
local function save_buffer(buf)
  if not vim.bo[buf].modified then
    return nil
  end
  if is_changed_on_disk(buf) then
    return 'the file on disk was changed by another program; compare, then write it yourself'
  end
  local fix = vim.bo[buf].fixendofline
  vim.bo[buf].fixendofline = false
  local ok, err = pcall(api.nvim_buf_call, buf, function()
    vim.cmd('silent lockmarks write')
  end)
  if api.nvim_buf_is_valid(buf) then
    vim.bo[buf].fixendofline = fix
  end
  return not ok and tostring(err):gsub('^.*Vim%(write%):', '') or nil
end

--- `wherefore/save`
---@param params { uris: string[] }
---@return { saved: string[] }
function M.save_files(params)
  local saved = {}
  for _, uri in ipairs(params.uris or {}) do
    local buf = buffer.find_by_name(vim.uri_to_fname(uri))
    local problem = (buf < 0 or not api.nvim_buf_is_loaded(buf)) and 'it is not open' or save_buffer(buf)
    if problem then
      require('wherefore.messages').warn(('%s was not saved: %s'):format(vim.fs.basename(uri), problem))
    else
      table.insert(saved, uri)
    end
  end
  return { saved = saved }
end

return M
