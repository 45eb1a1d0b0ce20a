--- A few sentences in a float at the cursor. It fits what it says, closes as the cursor moves, and is entered by opening it
--- again, as that of |vim.lsp.buf.hover()|.
local M = {}

local api = vim.api
local guard = require('wherefore.guard')
local text = require('wherefore.text')

--- The widest that a sentence gets before it is wrapped.
local most_cells = 80

---@class wherefore.FloatKey
---@field lhs string
---@field desc string
---@field run fun() after the float was closed

---@type { win: integer, from: integer }? the float, and the buffer that it was opened from
local open

local function close_float(win)
  if open and open.win == win then
    open = nil
  end
  if api.nvim_win_is_valid(win) then
    api.nvim_win_close(win, true)
  end
end

--- Below the cursor, or above where there is more room.
---@param lines string[]
---@return vim.api.keyset.win_config
local function choose_place(lines)
  local width, row = 1, vim.fn.screenrow()
  for _, line in ipairs(lines) do
    width = math.max(width, api.nvim_strwidth(line))
  end
  local below, above = vim.o.lines - row - vim.o.cmdheight - 3, row - 3
  local is_below = #lines <= below or below >= above
  return {
    relative = 'cursor',
    anchor = is_below and 'NW' or 'SW',
    row = is_below and 1 or 0,
    col = 0,
    width = width,
    height = math.max(math.min(#lines, is_below and below or above), 1),
    border = 'rounded',
    style = 'minimal',
    noautocmd = true,
    zindex = 60,
  }
end

--- Closes a float as its reader goes on, or by a key where it was entered.
---@param win integer
---@param buf integer
---@param from integer
local function watch_reader(win, buf, from)
  local group = api.nvim_create_augroup('wherefore_float', {})
  -- The event of a move that was made just before comes late.
  local origin = api.nvim_get_current_win()
  local at = api.nvim_win_get_cursor(origin)
  api.nvim_create_autocmd({ 'CursorMoved', 'InsertEnter', 'BufHidden' }, {
    group = group,
    buffer = from,
    callback = function(event)
      local stays = event.event == 'CursorMoved'
        and api.nvim_win_is_valid(origin)
        and vim.deep_equal(api.nvim_win_get_cursor(origin), at)
      if not stays then
        close_float(win)
      end
    end,
  })
  api.nvim_create_autocmd('WinLeave', {
    group = group,
    buffer = buf,
    callback = vim.schedule_wrap(function()
      close_float(win)
    end),
  })
  for _, lhs in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', lhs, function()
      close_float(win)
    end, { buffer = buf, nowait = true, desc = 'wherefore: close' })
  end
end

--- Maps the keys of a float that is entered.
---@param keys wherefore.FloatKey[]
---@param win integer
---@param buf integer
local function map_keys(keys, win, buf)
  for _, key in ipairs(keys) do
    vim.keymap.set('n', key.lhs, function()
      close_float(win)
      guard.wrap(key.desc, key.run)()
    end, { buffer = buf, nowait = true, desc = 'wherefore: ' .. key.desc })
  end
end

--- Opens a float with sentences, each on lines of its own. Where it has keys, its last line names them.
---@param sentences string[]
---@param keys? wherefore.FloatKey[]
function M.open_float(sentences, keys)
  local from = api.nvim_get_current_buf()
  if open and open.from == from and api.nvim_win_is_valid(open.win) then
    return api.nvim_set_current_win(open.win)
  end
  local width, lines = math.max(math.min(most_cells, vim.o.columns - 4), 20), {}
  for _, sentence in ipairs(sentences) do
    vim.list_extend(lines, text.wrap(sentence, width))
  end
  local hints = vim.tbl_map(function(key)
    return key.lhs .. ' ' .. key.desc
  end, keys or {})
  if #hints > 0 then
    table.insert(hints, 'q close')
    table.insert(lines, '')
    vim.list_extend(lines, text.wrap('Again to go in here: ' .. table.concat(hints, ' · '), width))
  end
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  open = { win = api.nvim_open_win(buf, false, choose_place(lines)), from = from }
  watch_reader(open.win, buf, from)
  map_keys(keys or {}, open.win, buf)
end

return M
