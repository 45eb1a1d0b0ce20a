--- The diagnostics of this editor's language servers, which an agent asks for by a tool.
local M = {}

local api = vim.api

--- The units of UTF-16 before a byte.
---@param text string
---@param byte integer
---@return integer
local function count_utf16(text, byte)
  if vim.fn.has('nvim-0.11') == 1 then
    return vim.str_utfindex(text, 'utf-16', byte, false)
  end
  return select(2, vim.str_utfindex(text, byte))
end

--- A place as the protocol counts it.
---@param buf integer
---@param line integer counted from 0
---@param byte integer
local function to_position(buf, line, byte)
  local text = api.nvim_buf_is_loaded(buf) and api.nvim_buf_get_lines(buf, line, line + 1, false)[1] or nil
  return { line = line, character = text and count_utf16(text, math.min(byte, #text)) or byte }
end

--- A diagnostic as the Language Server Protocol writes it.
---@param item vim.Diagnostic
local function to_protocol(item)
  return {
    message = item.message,
    severity = item.severity,
    source = item.source,
    code = item.code,
    range = {
      start = to_position(item.bufnr, item.lnum, item.col),
      ['end'] = to_position(item.bufnr, item.end_lnum or item.lnum, item.end_col or item.col),
    },
  }
end

--- Answers `wherefore/diagnostics`.
---@param params wherefore.DiagnosticsParams
---@return wherefore.DiagnosticsAnswer
function M.list_diagnostics(params)
  local by = {}
  for _, item in ipairs(vim.diagnostic.get(params.uri and vim.uri_to_bufnr(params.uri) or nil)) do
    by[item.bufnr] = by[item.bufnr] or {}
    table.insert(by[item.bufnr], to_protocol(item))
  end
  local documents = {}
  for buf, items in pairs(by) do
    table.insert(documents, { uri = vim.uri_from_bufnr(buf), diagnostics = items })
  end
  return { documents = documents }
end

return M
