--- Proposed text made ready for virtual lines: tabs, control characters, wide characters, long lines.
local M = {}

--- One line on one row: line ends and control characters shown as signs, cut to `width` cells.
---@param text string
---@param width integer
---@return string
function M.clip(text, width)
  text = vim.trim(text:gsub('%c+', ' '))
  if vim.fn.strdisplaywidth(text) <= width then
    return text
  end
  local low, high = 0, vim.fn.strchars(text)
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if vim.fn.strdisplaywidth(vim.fn.strcharpart(text, 0, middle)) <= width - 1 then
      low = middle
    else
      high = middle - 1
    end
  end
  return vim.fn.strcharpart(text, 0, low) .. '…'
end

local function control(byte)
  return '^' .. string.char(bit.bxor(byte:byte(), 64))
end

--- Tabs become spaces up to the next stop, other control characters `^X`, as the buffer shows them.
---@param text string without its line end
---@param tabstop integer
---@return string
function M.visible(text, tabstop)
  if not text:find('[%z\1-\31\127]') then
    return text
  end
  local out, column = {}, 0
  for part, tab in (text .. '\t'):gmatch('([^\t]*)(\t)') do
    part = part:gsub('[%z\1-\31\127]', control)
    column = column + vim.fn.strdisplaywidth(part)
    table.insert(out, part)
    local fill = tab == '\t' and tabstop - column % tabstop or 0
    table.insert(out, (' '):rep(fill))
    column = column + fill
  end
  table.remove(out) -- the fill of the tab that was put at the end
  return table.concat(out)
end

--- Cuts a line into rows of at most `width` cells, and fills the last one up.
---@param text string already visible
---@param width integer
---@return string[]
function M.rows(text, width)
  local cells = #text
  if text:find('[\128-\255]') then
    cells = vim.fn.strdisplaywidth(text)
  end
  if cells <= width then
    return { text .. (' '):rep(width - cells) }
  end
  local rows, row, used = {}, {}, 0
  for _, char in ipairs(vim.fn.split(text, '\\zs')) do
    local wide = vim.api.nvim_strwidth(char)
    if used + wide > width and used > 0 then
      table.insert(rows, table.concat(row) .. (' '):rep(width - used))
      row, used = {}, 0
    end
    table.insert(row, char)
    used = used + wide
  end
  table.insert(rows, table.concat(row) .. (' '):rep(math.max(width - used, 0)))
  return rows
end

--- A proposed line without its end as this buffer has it, and whether it had one.
---@param line string
---@param dos boolean whether the buffer's lines end in CR LF
---@return string text
---@return boolean ended
function M.chomp(line, dos)
  local text, ends = line:gsub('\n$', '')
  if dos and ends > 0 then
    text = text:gsub('\r$', '')
  end
  return text, ends > 0
end

return M
