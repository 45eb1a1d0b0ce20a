--- The colours of code in lines that are not in a buffer, by treesitter where there is a parser.
local M = {}

local api = vim.api

--- Larger buffers are not parsed as they would be: each hunk is parsed by itself.
local most_bytes = 300 * 1024

---@class wherefore.SyntaxSpan
---@field [1] integer first byte, from 0
---@field [2] integer last byte, excluded
---@field [3] string highlight group

--- Captures that have no colour of their own.
local plain = { spell = true, nospell = true, conceal = true, none = true }

---@param buf integer
---@return string? language whose parser is there
local function find_language(buf)
  local lang = vim.treesitter.language.get_lang(vim.bo[buf].filetype)
  if not lang or lang == '' then
    return nil
  end
  local ok, added = pcall(vim.treesitter.language.add, lang)
  -- Neovim 0.10 throws where there is none, 0.11 gives nil.
  return ok and (added or vim.fn.has('nvim-0.11') == 0) and lang or nil
end

---@param tree vim.treesitter.LanguageTree
---@param root TSTree
---@param source string
---@param first integer
---@param last integer
---@param rows table<integer, wherefore.SyntaxSpan[]>
local function add_spans(tree, root, source, first, last, rows)
  local lang = tree:lang()
  local query = vim.treesitter.query.get(lang, 'highlights')
  if not query then
    return
  end
  for id, node, metadata in query:iter_captures(root:root(), source, first, last + 1) do
    local name = query.captures[id]
    if name:sub(1, 1) ~= '_' and not plain[name] then
      local at = vim.treesitter.get_range(node, source, metadata[id])
      for row = math.max(at[1], first), math.min(at[4], last) do
        rows[row] = rows[row] or {}
        table.insert(rows[row], { row == at[1] and at[2] or 0, row == at[4] and at[5] or math.huge, ('@%s.%s'):format(name, lang) })
      end
    end
  end
end

--- The spans of some rows of a text.
---@param lang string
---@param lines string[]
---@param wanted integer[][] first and last row of each piece, from 0
---@return table<integer, wherefore.SyntaxSpan[]> by row
local function find_spans(lang, lines, wanted)
  local source, rows = table.concat(lines, '\n') .. '\n', {}
  local ok, parser = pcall(vim.treesitter.get_string_parser, source, lang)
  if not ok then
    return rows
  end
  parser:parse(true)
  for _, piece in ipairs(wanted) do
    parser:for_each_tree(function(root, tree)
      add_spans(tree, root, source, piece[1], piece[2], rows)
    end)
  end
  return rows
end

---@param lines string[]
---@param rows table<integer, wherefore.SyntaxSpan[]>
---@param first integer
---@return wherefore.SyntaxSpan[][]
local function list_by_line(lines, rows, first)
  local list = {}
  for index = 1, #lines do
    list[index] = rows[first + index - 1] or {}
  end
  return list
end

--- The spans of lines that would stand in a buffer's place of others.
---@param buf integer
---@param pieces { start: integer, there: integer, lines: string[] }[] in order: where, how many lines it replaces, by which
---@return wherefore.SyntaxSpan[][][] of each piece, by line
function M.colour_pieces(buf, pieces)
  local lang = find_language(buf)
  if not lang then
    return {}
  end
  if api.nvim_buf_get_offset(buf, api.nvim_buf_line_count(buf)) > most_bytes then
    return vim.tbl_map(function(piece)
      return list_by_line(piece.lines, find_spans(lang, piece.lines, { { 0, #piece.lines - 1 } }), 0)
    end, pieces)
  end
  local text, at, wanted = {}, 0, {}
  for _, piece in ipairs(pieces) do
    local start = math.max(piece.start, at)
    vim.list_extend(text, api.nvim_buf_get_lines(buf, at, start, false))
    table.insert(wanted, { #text, #text + #piece.lines - 1 })
    vim.list_extend(text, piece.lines)
    at = start + piece.there
  end
  vim.list_extend(text, api.nvim_buf_get_lines(buf, at, -1, false))
  local rows = find_spans(lang, text, wanted)
  local out = {}
  for index, piece in ipairs(pieces) do
    out[index] = list_by_line(piece.lines, rows, wanted[index][1])
  end
  return out
end

--- The spans of lines that stand by themselves, as in a file of this name.
---@param path string
---@param lines string[]
---@return wherefore.SyntaxSpan[][] by line
function M.colour_lines(path, lines)
  local filetype = vim.filetype.match({ filename = path, contents = lines })
  local lang = filetype and vim.treesitter.language.get_lang(filetype)
  if not lang or #lines == 0 or not pcall(vim.treesitter.get_string_parser, '', lang) then
    return {}
  end
  return list_by_line(lines, find_spans(lang, lines, { { 0, #lines - 1 } }), 0)
end

return M
