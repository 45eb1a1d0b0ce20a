--- Which words differ between the lines that a hunk removes and those that it adds.
local M = {}

--- Longer lines, and hunks of more lines, are shown without marked words.
local most_bytes, most_lines = 1000, 200
--- The share of two lines that must be the same for their words to be compared.
local least_alike = 0.4

local compare = vim.text and vim.text.diff or vim.diff

---@class wherefore.WordRange bytes of a line, from 0, without the last
---@field [1] integer
---@field [2] integer

--- The words of a line, its blanks, and each other character.
---@param line string
---@return string[]
local function split_tokens(line)
  local found, at = {}, 1
  while at <= #line do
    local token = line:match('^[%w_\128-\255]+', at) or line:match('^%s+', at) or line:sub(at, at)
    found[#found + 1] = token
    at = at + #token
  end
  return found
end

--- The bytes of tokens, and how many bytes they are.
---@param list string[]
---@param first integer
---@param count integer
---@param starts integer[]
---@param out wherefore.WordRange[]
local function add_range(list, first, count, starts, out)
  if count == 0 then
    return
  end
  local from, to = starts[first], starts[first + count - 1] + #list[first + count - 1]
  local last = out[#out]
  -- One blank between two changes is no sign of likeness.
  if last and from - last[2] <= 1 then
    last[2] = to
  else
    out[#out + 1] = { from, to }
  end
end

---@param list string[]
---@return integer[] the byte at which each begins
local function find_starts(list)
  local starts, at = {}, 0
  for index, token in ipairs(list) do
    starts[index] = at
    at = at + #token
  end
  return starts
end

---@param ranges wherefore.WordRange[]
---@return integer
local function sum_bytes(ranges)
  local bytes = 0
  for _, range in ipairs(ranges) do
    bytes = bytes + range[2] - range[1]
  end
  return bytes
end

--- Compares two lines; gives nothing where they have little in common.
---@param old string
---@param new string
---@return wherefore.WordRange[]? of the old line
---@return wherefore.WordRange[]? of the new one
function M.compare_lines(old, new)
  if #old > most_bytes or #new > most_bytes or old == '' or new == '' or old == new then
    return nil
  end
  local a, b = split_tokens(old), split_tokens(new)
  local pieces = compare(table.concat(a, '\n') .. '\n', table.concat(b, '\n') .. '\n', { result_type = 'indices', algorithm = 'minimal' })
  local in_a, in_b, starts_a, starts_b = {}, {}, find_starts(a), find_starts(b)
  for _, piece in ipairs(pieces --[[@as integer[][] ]]) do
    add_range(a, piece[1], piece[2], starts_a, in_a)
    add_range(b, piece[3], piece[4], starts_b, in_b)
  end
  local same = math.max(#old - sum_bytes(in_a), #new - sum_bytes(in_b))
  if same < least_alike * math.max(#vim.trim(old), #vim.trim(new)) then
    return nil
  end
  return in_a, in_b
end

--- The lines of a hunk in pieces that belong together: first old line and how many, first new line and how many. Where there
--- are none of one side, its first line is the one above.
---@param old string[]
---@param new string[]
---@return integer[][]
function M.find_pieces(old, new)
  if #old == #new or #old > most_lines or #new > most_lines then
    return { { 1, #old, 1, #new } }
  end
  local function whole(lines)
    local chomped = vim.tbl_map(function(line)
      return (line:gsub('\r?\n$', ''))
    end, lines)
    return #lines == 0 and '' or table.concat(chomped, '\n') .. '\n'
  end
  return compare(whole(old), whole(new), { result_type = 'indices', linematch = most_lines }) --[[@as integer[][] ]]
end

--- Finds what differs within the lines of a hunk, by the number of the line. Lines that belong together are compared.
---@param old string[] without line ends
---@param new string[] without line ends
---@return table<integer, wherefore.WordRange[]> of the old lines
---@return table<integer, wherefore.WordRange[]> of the new ones
function M.find_changed_words(old, new)
  local in_old, in_new = {}, {}
  if #old == 0 or #new == 0 or #old > most_lines or #new > most_lines then
    return in_old, in_new
  end
  for _, piece in ipairs(M.find_pieces(old, new)) do
    for index = 0, piece[2] == piece[4] and piece[2] - 1 or -1 do
      local a, b = piece[1] + index, piece[3] + index
      in_old[a], in_new[b] = M.compare_lines(old[a], new[b])
    end
  end
  return in_old, in_new
end

return M
