--- Words of others, made ready to be shown: `clip` for a row, `escape_hidden` for a message, `expand_tabs` for a line of a
--- file. They go through here wherever they are shown.
local M = {}

local hidden_characters = require('wherefore.hidden_characters')

---@param code integer
---@return boolean
local function is_hidden(code)
  local low, high = 1, #hidden_characters
  while low <= high do
    local middle = math.floor((low + high) / 2)
    local range = hidden_characters[middle]
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
local function escape_character(sign)
  -- A NUL is no text to the editor's own functions.
  local code = #sign == 1 and sign:byte() or vim.fn.char2nr(sign, true)
  return is_hidden(code) and ('\\u{%x}'):format(code) or sign
end

--- Characters that nobody sees, written so that everybody does. Line ends and tabs stay.
---@param text string
---@return string
function M.escape_hidden(text)
  if not text:find('[^\9\10\32-\126]') then
    return text
  end
  text = text:gsub('\r\n', '\n'):gsub('[%z\1-\8\11-\31\127]', escape_character)
  return (text:gsub('[\194-\244][\128-\191]+', escape_character))
end

--- One line on one row: line ends and tabs become spaces, what is hidden shows, cut to `width` cells.
---@param text string
---@param width integer
---@return string
function M.clip(text, width)
  text = vim.trim(M.escape_hidden((text:gsub('[\r\n\t]+', ' '))))
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
---@param column? integer the cell that it begins at
---@return string
---@return integer column the cell behind it
function M.expand_tabs(text, tabstop, column)
  column = column or 0
  if not text:find('[^\32-\126]') then
    return text, column + #text
  end
  local out = {}
  for part, tab in text:gmatch('([^\t]*)(\t?)') do
    part = M.escape_hidden(part)
    column = column + vim.fn.strdisplaywidth(part)
    table.insert(out, part)
    local fill = tab == '\t' and tabstop - column % tabstop or 0
    table.insert(out, (' '):rep(fill))
    column = column + fill
  end
  return table.concat(out), column
end

--- A sentence in rows of at most `width` cells, cut between words; a longer word is cut. Line ends and tabs are blanks,
--- what is hidden shows.
---@param sentence string
---@param width integer
---@return string[]
function M.wrap(sentence, width)
  local rows, row = {}, ''
  for word in M.escape_hidden((sentence:gsub('[\r\n\t]+', ' '))):gmatch('[^ ]+') do
    local longer = row == '' and word or row .. ' ' .. word
    if vim.api.nvim_strwidth(longer) <= width then
      row = longer
    else
      if row ~= '' then
        rows[#rows + 1] = row
      end
      local cut = M.cut_cells(word, width)
      row = table.remove(cut)
      vim.list_extend(rows, cut)
    end
  end
  if row ~= '' or #rows == 0 then
    rows[#rows + 1] = row
  end
  return rows
end

--- Cuts a text into pieces of at most `width` cells.
---@param text string
---@param width integer
---@return string[]
function M.cut_cells(text, width)
  local rows, row, used = {}, {}, 0
  for _, sign in ipairs(vim.fn.split(text, '\\zs')) do
    local wide = vim.api.nvim_strwidth(sign)
    if used + wide > width and used > 0 then
      rows[#rows + 1] = table.concat(row)
      row, used = {}, 0
    end
    row[#row + 1], used = sign, used + wide
  end
  rows[#rows + 1] = table.concat(row)
  return rows
end

--- A number with its noun: `1 hunk`, `2 hunks`.
---@param number integer
---@param noun string
---@return string
function M.format_count(number, noun)
  return ('%d %s%s'):format(number, noun, number == 1 and '' or 's')
end

--- A time of RFC 3339 as the clock on the wall shows it.
---@param time string
---@param how? string as `os.date` takes it; hours, minutes and seconds where nothing is said
---@return string
function M.format_clock(time, how)
  local parts = { time:match('^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)') }
  if #parts == 0 then
    return time
  end
  local fields = { year = parts[1], month = parts[2], day = parts[3], hour = parts[4], min = parts[5], sec = parts[6] }
  local stamp = os.time(fields)
  local here, there = os.date('*t', stamp), os.date('!*t', stamp)
  here.isdst = false
  return tostring(os.date(how or '%H:%M:%S', stamp + os.time(here) - os.time(there)))
end

--- The same with its day.
---@param time string
---@return string
function M.format_moment(time)
  return M.format_clock(time, '%Y-%m-%d %H:%M')
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
