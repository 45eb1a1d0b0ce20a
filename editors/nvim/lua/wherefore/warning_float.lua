--- A warning that is too long for the message line, whole, in a float at the lower right. It goes by itself, and takes the
--- cursor from nobody.
local M = {}

local api = vim.api
local text = require('wherefore.text')

--- The time that it stays, and the time that it stays whatever is typed.
local most_ms, least_ms = 15000, 1500

---@type integer?
local open

local function close_float(win)
  if open == win then
    open = nil
  end
  if api.nvim_win_is_valid(win) then
    pcall(api.nvim_win_close, win, true)
  end
end

---@param lines string[]
---@return vim.api.keyset.win_config
local function choose_place(lines)
  local width = 1
  for _, line in ipairs(lines) do
    width = math.max(width, api.nvim_strwidth(line))
  end
  return {
    relative = 'editor',
    anchor = 'SE',
    row = vim.o.lines - vim.o.cmdheight - (vim.o.laststatus > 0 and 1 or 0),
    col = vim.o.columns,
    width = width,
    height = math.min(#lines, math.max(math.floor(vim.o.lines / 2), 1)),
    border = 'rounded',
    style = 'minimal',
    focusable = false,
    noautocmd = true,
    zindex = 70,
  }
end

--- Shows a warning.
---@param message string
function M.show_warning(message)
  if open then
    close_float(open)
  end
  local lines = text.wrap(message, math.max(math.min(80, vim.o.columns - 4), 20))
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  local ok, win = pcall(api.nvim_open_win, buf, false, choose_place(lines))
  if not ok then
    return -- the command-line window allows no other
  end
  open = win
  vim.wo[win].winhighlight = 'Normal:WhereforeWarn,NormalFloat:WhereforeWarn'
  vim.defer_fn(function()
    close_float(win)
  end, most_ms)
  vim.defer_fn(function()
    api.nvim_create_autocmd({ 'CursorMoved', 'InsertEnter', 'CmdlineEnter' }, {
      once = true,
      callback = function()
        close_float(win)
      end,
    })
  end, least_ms)
end

return M
