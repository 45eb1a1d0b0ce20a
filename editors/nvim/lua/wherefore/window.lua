--- Windows for files: one that may show a file, and a file in it.
local M = {}

local api = vim.api
local buffer = require('wherefore.buffer')
local notify = require('wherefore.notify')

local function fits(win)
  local buf = api.nvim_win_get_buf(win)
  local shows_file = vim.bo[buf].buftype == '' or require('wherefore.preview').is(buf)
  return shows_file and not vim.wo[win].winfixbuf and api.nvim_win_get_config(win).relative == ''
end

--- Goes to a window that may show a file.
function M.for_file()
  if fits(0) then
    return
  end
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if fits(win) then
      return api.nvim_set_current_win(win)
    end
  end
  vim.cmd('topleft split')
end

--- Shows a file in the current window.
---@param path string
---@return boolean whether it is shown
function M.show(path)
  local loaded = buffer.of(path)
  if loaded > 0 and api.nvim_buf_is_loaded(loaded) then
    api.nvim_win_set_buf(0, loaded)
    return true
  end
  -- Below the current folder by its short name, as a person would name it.
  local ok, err = pcall(vim.cmd.edit, vim.fn.fnameescape(vim.fn.fnamemodify(path, ':.')))
  if not ok then
    notify.warn((tostring(err):gsub('^.*Vim%(edit%):', '')))
  end
  return ok
end

return M
