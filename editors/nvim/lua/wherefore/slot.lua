--- What an agent asks of its editor through the server's slot: the selection and the diagnostics, and the variables by which
--- the agent in a terminal finds this editor.
local M = {}

local api = vim.api
local client = require('wherefore.client')
local guard = require('wherefore.guard')
local methods = require('wherefore.wire').methods

--- How long a selection stands before it is told: one that still grows is not.
local settle_ms = 150

---@type table<string, string|false> the variables that were set, each with what it was before
local before = {}
---@type integer how often something else was selected
local turn = 0
---@type { buf: integer, tick: integer, selected: wherefore.SelectedText }? what was selected when that was told last
local earlier

--- The file that the person looks at, or looked at last where they are in a terminal or a panel.
---@return integer?
local function shown()
  local buf = api.nvim_get_current_buf()
  if vim.bo[buf].buftype == '' and api.nvim_buf_get_name(buf) ~= '' then
    return buf
  end
  local last
  for _, info in ipairs(vim.fn.getbufinfo({ buflisted = 1, bufloaded = 1 })) do
    if vim.bo[info.bufnr].buftype == '' and info.name ~= '' and (not last or info.lastused > last.lastused) then
      last = info
    end
  end
  return last and last.bufnr
end

--- The units of UTF-16 before a byte.
---@param text string
---@param byte integer
---@return integer
local function units(text, byte)
  if vim.fn.has('nvim-0.11') == 1 then
    return vim.str_utfindex(text, 'utf-16', byte, false)
  end
  return select(2, vim.str_utfindex(text, byte))
end

--- A place as the protocol counts it.
---@param buf integer
---@param line integer counted from 0
---@param byte integer
---@return wherefore.TextPlace
local function place(buf, line, byte)
  local text = api.nvim_buf_get_lines(buf, line, line + 1, false)[1] or ''
  return { line = line, character = units(text, math.min(byte, #text)) }
end

---@param buf integer
---@return wherefore.SelectedText
local function selection(buf)
  local uri = vim.uri_from_bufnr(buf)
  local mode = vim.fn.mode()
  if buf == api.nvim_get_current_buf() and mode:match('^[vV\22]') then
    local from, to = vim.fn.getpos('v'), vim.fn.getpos('.')
    if from[2] > to[2] or (from[2] == to[2] and from[3] > to[3]) then
      from, to = to, from
    end
    local text = table.concat(vim.fn.getregion(from, to, { type = mode }), '\n')
    local whole = mode == 'V'
    local start = place(buf, from[2] - 1, whole and 0 or from[3] - 1)
    local last = #(api.nvim_buf_get_lines(buf, to[2] - 1, to[2], false)[1] or '')
    return { uri = uri, text = text, start = start, ['end'] = place(buf, to[2] - 1, whole and last or to[3]) }
  end
  local window = vim.fn.bufwinid(buf)
  local cursor = window >= 0 and api.nvim_win_get_cursor(window) or api.nvim_buf_get_mark(buf, '"')
  local at = place(buf, math.max(cursor[1] - 1, 0), cursor[2])
  return { uri = uri, text = '', start = at, ['end'] = at }
end

--- What the person has selected; where they went to a terminal or a panel, what was told of before.
---@param buf integer
---@return wherefore.SelectedText
local function latest(buf)
  local tick = api.nvim_buf_get_changedtick(buf)
  local away = buf ~= api.nvim_get_current_buf()
  if not (away and earlier and earlier.buf == buf and earlier.tick == tick) then
    earlier = { buf = buf, tick = tick, selected = selection(buf) }
  end
  return earlier.selected
end

--- Tells that another text is selected. In a terminal or a panel the person selects nothing of a file.
local function tell()
  local buf = shown()
  if next(before) == nil or buf ~= api.nvim_get_current_buf() then
    return
  end
  local uri = latest(buf).uri
  for _, lsp in ipairs(vim.lsp.get_clients({ name = 'wherefore', bufnr = buf })) do
    client.notify(lsp, methods.didSelect, { uri = uri })
  end
end

--- Tells what the person selects, while an agent may stand in the slot.
function M.watch()
  api.nvim_create_autocmd({ 'CursorMoved', 'ModeChanged', 'BufEnter' }, {
    group = api.nvim_create_augroup('wherefore_slot', {}),
    callback = function()
      if next(before) == nil then
        return
      end
      turn = turn + 1
      local mine = turn
      vim.defer_fn(function()
        if mine == turn then
          guard.wrap('telling what is selected', tell)()
        end
      end, settle_ms)
    end,
  })
end

---@param item vim.Diagnostic
local function diagnostic(item)
  return {
    message = item.message,
    severity = item.severity,
    source = item.source,
    code = item.code,
    range = {
      start = place(item.bufnr, item.lnum, item.col),
      ['end'] = place(item.bufnr, item.end_lnum or item.lnum, item.end_col or item.col),
    },
  }
end

---@param uri string?
---@return wherefore.DocumentDiagnostics[]
local function diagnostics(uri)
  local only = uri and vim.uri_to_bufnr(uri) or nil
  local by = {}
  for _, item in ipairs(vim.diagnostic.get(only)) do
    by[item.bufnr] = by[item.bufnr] or {}
    table.insert(by[item.bufnr], diagnostic(item))
  end
  local found = {}
  for buf, items in pairs(by) do
    table.insert(found, { uri = vim.uri_from_bufnr(buf), diagnostics = items })
  end
  return found
end

--- `wherefore/look`
---@param params wherefore.LookParams
---@return wherefore.LookAnswer
function M.look(params)
  local buf = shown()
  return {
    selection = buf and latest(buf) or nil,
    diagnostics = params.diagnostics and diagnostics(params.uri) or {},
  }
end

--- `wherefore/slot`: the variables of terminals from now on.
---@param params wherefore.SlotNotice
function M.changed(params)
  for name, value in pairs(before) do
    vim.env[name] = value or nil
  end
  before = {}
  for name, value in pairs(params.env or {}) do
    before[name] = vim.env[name] or false
    vim.env[name] = value
  end
end

return M
