--- Windows for files: one that may show a file, and a file in it.
local M = {}

local api = vim.api
local buffer = require('wherefore.buffer')
local messages = require('wherefore.messages')

local function can_show_file(win)
  local buf = api.nvim_win_get_buf(win)
  local shows_file = vim.bo[buf].buftype == '' or require('wherefore.review.proposal_preview').is_preview(buf)
  return shows_file and not vim.wo[win].winfixbuf and api.nvim_win_get_config(win).relative == ''
end

--- Goes to a window that may show a file.
function M.go_to_file_window()
  if can_show_file(0) then
    return
  end
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if can_show_file(win) then
      return api.nvim_set_current_win(win)
    end
  end
  vim.cmd('topleft split')
end

--- Shows a file in the current window.
---@param path string
---@return boolean whether it is shown
function M.show_file(path)
  local loaded = buffer.find_by_name(path)
  if loaded > 0 and api.nvim_buf_is_loaded(loaded) then
    api.nvim_win_set_buf(0, loaded)
    return true
  end
  -- Below the current folder by its short name, as a person would name it.
  local ok, err = pcall(vim.cmd.edit, vim.fn.fnameescape(vim.fn.fnamemodify(path, ':.')))
  if not ok then
    messages.warn((tostring(err):gsub('^.*Vim%(edit%):', '')))
  end
  return ok
end

return M
