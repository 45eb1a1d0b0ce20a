--- `:Wherefore search`: places found by what they mean or by their text, to pick one and go there.
local M = {}

local client = require('wherefore.server.client')
local methods = require('wherefore.server.wire').methods
local messages = require('wherefore.messages')
local text = require('wherefore.text')
local file_window = require('wherefore.file_window')

--- The number of places that are asked for.
local limit = 50

---@class wherefore.CodePlace
---@field path string the whole path
---@field shown string the path below the root, on one row
---@field line integer from 1
---@field text string on one row
---@field diff? string[] shown instead of the file

--- Goes to a place; `CTRL-O` comes back.
---@param place wherefore.CodePlace
local function open_place(place)
  file_window.go_to_file_window()
  vim.cmd("normal! m'")
  if file_window.show_file(place.path) then
    -- Text that is not saved may have fewer lines by now.
    local line = math.min(place.line, vim.api.nvim_buf_line_count(0))
    vim.api.nvim_win_set_cursor(0, { line, 0 })
    vim.cmd('normal! zvzz')
  end
end

--- The text without its first lines.
---@param piece string
---@param lines integer how many are left out
---@return string
local function drop_lines(piece, lines)
  return table.concat(vim.list_slice(vim.split(piece, '\n', { plain = true }), lines + 1), '\n')
end

---@param lsp vim.lsp.Client
---@param query string
---@param lexical boolean
local function request_places(lsp, query, lexical)
  local root = lsp.config.root_dir
  local params = {
    root = root,
    query = query,
    kind = lexical and 'lexical' or 'vector',
    case = 'smart',
    literal = false,
    context = 0,
    limit = limit,
  }
  client.request(lsp, methods.search, params, function(answer)
    local places = vim.tbl_map(function(found)
      return {
        path = vim.fs.joinpath(root, found.path),
        shown = text.clip(found.path, 400),
        line = math.max(found.line, 1),
        text = text.clip(drop_lines(found.text, found.line - found.start), 200),
      }
    end, answer.results)
    if #places == 0 then
      return messages.show(('wherefore: nothing found for %s'):format(query))
    end
    local first = type(answer.cursor) == 'string' and ', the first ' .. #places or ''
    require('wherefore.picker').pick_place(('%s%s'):format(text.clip(query, 60), first), root, places, open_place)
  end)
end

--- Searches by meaning, or by a regular expression where `lexical` stands in front; asks for what where nothing is said.
---@param rest? string
function M.run_search(rest)
  local lsp = client.require_client()
  if not lsp then
    return
  end
  local words = rest and rest:match('^lexical%f[%s%z]%s*(.*)$')
  local lexical, query = words ~= nil, words or rest or ''
  if query ~= '' then
    return request_places(lsp, query, lexical)
  end
  vim.ui.input({ prompt = lexical and 'Search for the pattern: ' or 'Search by meaning: ' }, function(typed)
    if typed and vim.trim(typed) ~= '' then
      request_places(lsp, vim.trim(typed), lexical)
    end
  end)
end

return M
