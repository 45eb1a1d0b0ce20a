--- What others wrote, made ready to be shown: `clip` for a row, `plain` for a message, `visible` for a line of a file. It
--- goes through here wherever it is shown.
local M = {}

local hidden = require('wherefore.hidden')

---@param code integer
---@return boolean
local function is_hidden(code)
  local low, high = 1, #hidden
  while low <= high do
    local middle = math.floor((low + high) / 2)
    local range = hidden[middle]
    if code < range[1] then
      high = middle - 1
    elseif code > range[2] then
      low = middle + 1
    else
      return true
    end
  end
  return false
end

--- A character as everybody sees it: itself, or `\u{202e}`.
---@param sign string
---@return string
local function shown(sign)
  -- A NUL is no text to the editor's own functions.
  local code = #sign == 1 and sign:byte() or vim.fn.char2nr(sign, true)
  return is_hidden(code) and ('\\u{%x}'):format(code) or sign
end

--- Characters that nobody sees, written so that everybody does. Line ends and tabs stay.
---@param text string
---@return string
function M.plain(text)
  if not text:find('[^\9\10\32-\126]') then
    return text
  end
  text = text:gsub('\r\n', '\n'):gsub('[%z\1-\8\11-\31\127]', shown)
  return (text:gsub('[\194-\244][\128-\191]+', shown))
end

--- One line on one row: line ends and tabs become spaces, what is hidden shows, cut to `width` cells.
---@param text string
---@param width integer
---@return string
function M.clip(text, width)
  text = vim.trim(M.plain((text:gsub('[\r\n\t]+', ' '))))
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

--- Tabs become spaces up to the next stop; what is hidden shows.
---@param text string without its line end
---@param tabstop integer
---@return string
function M.visible(text, tabstop)
  if not text:find('[^\32-\126]') then
    return text
  end
  local out, column = {}, 0
  for part, tab in (text .. '\t'):gmatch('([^\t]*)(\t)') do
    part = M.plain(part)
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
