--- A floating list that is kept up to date: rows that stand for something, and keys that act on them.
local M = {}

local api = vim.api
local guard = require('wherefore.guard')
local text = require('wherefore.text')

--- The time that changes are gathered before a list is drawn anew.
local gather_ms = 100

---@class wherefore.PanelRow
---@field id string what it stands for, so that the cursor stays on it
---@field item any
---@field parts { [1]: string, [2]: string? }[] texts with their highlight groups

---@class wherefore.PanelKey
---@field lhs string
---@field desc string
---@field run fun(item: any)

---@class wherefore.ListPanel
---@field title string
---@field empty string what it says where it has no rows
---@field keys wherefore.PanelKey[]
---@field rows fun(width: integer): wherefore.PanelRow[]
---@field status? fun(): string? what stands in its title behind its name
---@field newest_first? boolean whether rows come on top: a cursor there stays there, to see them

---@class wherefore.OpenPanel
---@field panel wherefore.ListPanel
---@field win integer
---@field buf integer
---@field rows wherefore.PanelRow[]
---@field asked? true whether it is about to be drawn

local ns = api.nvim_create_namespace('wherefore_panel')
---@type table<string, wherefore.OpenPanel> by title
local open = {}

--- Where a list stands: as high as its rows, so that little is covered.
---@param panel wherefore.ListPanel
---@param rows integer
local function choose_place(panel, rows)
  local width = math.min(vim.o.columns - 4, 140)
  local height = math.max(math.min(rows, math.floor(vim.o.lines * 0.6)), 1)
  local hints = vim.tbl_map(function(key)
    return key.lhs .. ' ' .. key.desc
  end, panel.keys)
  table.insert(hints, 'q close')
  local status = panel.status and panel.status()
  return {
    relative = 'editor',
    width = width,
    height = height,
    row = math.max(math.floor((vim.o.lines - height) / 2) - 1, 0),
    col = math.floor((vim.o.columns - width) / 2),
    border = 'rounded',
    title = (' wherefore: %s%s '):format(panel.title, status and ' · ' .. text.clip(status, width) or ''),
    footer = (' %s '):format(text.clip(table.concat(hints, ' · '), width - 4)),
    footer_pos = 'right',
    style = 'minimal',
  }
end

--- Where the cursor belongs: on what it stood on, so that a key acts on what the person sees.
---@param shown wherefore.OpenPanel
---@param line integer
---@return integer
local function find_line(shown, rows, line)
  local on_top = line == 1 and shown.panel.newest_first
  local at = not on_top and shown.rows[line]
  if at then
    for index, row in ipairs(rows) do
      if row.id == at.id then
        return index
      end
    end
  end
  return math.min(line, math.max(#rows, 1))
end

---@param shown wherefore.OpenPanel
local function draw_panel(shown)
  shown.asked = nil
  if not api.nvim_win_is_valid(shown.win) or not api.nvim_buf_is_valid(shown.buf) then
    return
  end
  local rows = shown.panel.rows(api.nvim_win_get_width(shown.win))
  api.nvim_win_set_config(shown.win, choose_place(shown.panel, #rows))
  local lines, marks = {}, {}
  for index, row in ipairs(rows) do
    local line = ''
    for _, part in ipairs(row.parts) do
      local shown_part = text.escape_hidden(part[1]):gsub('\n', ' ')
      if part[2] then
        table.insert(marks, { index - 1, #line, #line + #shown_part, part[2] })
      end
      line = line .. shown_part
    end
    lines[index] = line
  end
  local line = find_line(shown, rows, api.nvim_win_get_cursor(shown.win)[1])
  vim.bo[shown.buf].modifiable = true
  api.nvim_buf_set_lines(shown.buf, 0, -1, false, #lines > 0 and lines or { shown.panel.empty })
  vim.bo[shown.buf].modifiable = false
  api.nvim_buf_clear_namespace(shown.buf, ns, 0, -1)
  for _, mark in ipairs(marks) do
    api.nvim_buf_set_extmark(shown.buf, ns, mark[1], mark[2], { end_col = mark[3], hl_group = mark[4] })
  end
  shown.rows = rows
  api.nvim_win_set_cursor(shown.win, { line, 0 })
end

---@param panel wherefore.ListPanel
function M.close(panel)
  local shown = open[panel.title]
  open[panel.title] = nil
  if shown and api.nvim_win_is_valid(shown.win) then
    api.nvim_win_close(shown.win, true)
  end
end

---@param shown wherefore.OpenPanel
local function map_keys(shown)
  local panel, buf = shown.panel, shown.buf
  for _, key in ipairs(panel.keys) do
    vim.keymap.set('n', key.lhs, function()
      local row = shown.rows[api.nvim_win_get_cursor(shown.win)[1]]
      if row then
        guard.wrap(key.desc, key.run)(row.item)
      end
    end, { buffer = buf, nowait = true, desc = 'wherefore: ' .. key.desc })
  end
  for _, lhs in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', lhs, function()
      M.close(panel)
    end, { buffer = buf, nowait = true, desc = 'wherefore: close' })
  end
end

--- Opens a list, or goes to it where it is open.
---@param panel wherefore.ListPanel
function M.open(panel)
  if M.is_open(panel) then
    return api.nvim_set_current_win(open[panel.title].win)
  end
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  local shown = { panel = panel, buf = buf, rows = {}, win = api.nvim_open_win(buf, true, choose_place(panel, 1)) }
  open[panel.title] = shown
  vim.wo[shown.win].wrap, vim.wo[shown.win].cursorline = false, true
  api.nvim_create_autocmd('VimResized', {
    buffer = buf,
    callback = function()
      api.nvim_win_set_config(shown.win, choose_place(panel, #shown.rows))
      draw_panel(shown)
    end,
  })
  map_keys(shown)
  draw_panel(shown)
end

---@param panel wherefore.ListPanel
---@return boolean
function M.is_open(panel)
  local shown = open[panel.title]
  return shown ~= nil and api.nvim_win_is_valid(shown.win)
end

--- Draws a list anew soon, where it is open; what else changes until then is drawn with it.
---@param panel wherefore.ListPanel
function M.redraw_soon(panel)
  local shown = open[panel.title]
  if shown and not shown.asked then
    shown.asked = true
    vim.defer_fn(function()
      guard.wrap('drawing ' .. panel.title, draw_panel)(shown)
    end, gather_ms)
  end
end

return M
