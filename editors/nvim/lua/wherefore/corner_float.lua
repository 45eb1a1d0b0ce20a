--- Floats that stay at a corner of the screen, in the tab page that is current, and take the cursor from nobody.
local M = {}

local api = vim.api

---@class wherefore.CornerFloat
---@field show fun(lines: string[], place: vim.api.keyset.win_config) draws lines, or others where it is open
---@field hide fun()

--- A float that is not open yet.
---@param highlight string its `winhighlight`
---@return wherefore.CornerFloat
function M.make_float(highlight)
  ---@type { buf: integer, win: integer }?
  local open

  local function hide()
    local was = open
    open = nil
    if was and api.nvim_win_is_valid(was.win) then
      pcall(api.nvim_win_close, was.win, true)
    end
  end

  local function show(lines, place)
    local at = vim.tbl_extend('error', { relative = 'editor', style = 'minimal', focusable = false }, place)
    local tab = open and api.nvim_win_is_valid(open.win) and api.nvim_win_get_tabpage(open.win)
    if tab ~= api.nvim_get_current_tabpage() then
      hide()
      local buf = api.nvim_create_buf(false, true)
      vim.bo[buf].bufhidden = 'wipe'
      open = { buf = buf, win = api.nvim_open_win(buf, false, vim.tbl_extend('error', at, { noautocmd = true })) }
      vim.wo[open.win].winhighlight = highlight
    else
      api.nvim_win_set_config(open.win, at)
    end
    api.nvim_buf_set_lines(open.buf, 0, -1, false, lines)
  end

  return { show = show, hide = hide }
end

return M
