--- `:Wherefore working-set`: the files that matter now, the hottest first, and why each does.
local M = {}

local client = require('wherefore.server.client')
local methods = require('wherefore.server.wire').methods
local messages = require('wherefore.messages')
local panel = require('wherefore.panel')
local text = require('wherefore.text')
local file_window = require('wherefore.file_window')

---@type { root: string, client: integer, answer: wherefore.WorkingSetAnswer }
local known = { root = '', client = 0, answer = { files = {}, budget = 0, tokens = 0 } }

--- Questions for a why, where an agent will wonder. A pin speaks for itself.
local wondered = {
  hot = 'Why does %s matter (may stay empty)? ',
  cold = 'Why does %s not matter (may stay empty)? ',
}

---@param file wherefore.WorkingFile
---@return string heat, string marks, string group
local function describe_heat(file)
  local marks = {}
  if file.pinned then
    table.insert(marks, 'pinned')
  end
  if type(file.advice) == 'string' then
    table.insert(marks, file.advice)
  end
  local group = file.hotness >= 0.66 and 'WhereforeWarn' or file.hotness >= 0.33 and 'WhereforeHeader' or 'WhereforeHint'
  return ('%3d%% '):format(math.floor(file.hotness * 100 + 0.5)), table.concat(marks, ', '), group
end

---@param cell string
---@param width integer
local function pad_cell(cell, width)
  return width == 0 and '' or cell .. (' '):rep(width - vim.fn.strdisplaywidth(cell) + 2)
end

---@param width integer
---@return wherefore.PanelRow[]
local function make_rows(width)
  local of_path, of_marks = 0, 0
  for _, file in ipairs(known.answer.files) do
    local _, marks = describe_heat(file)
    of_path, of_marks = math.max(of_path, vim.fn.strdisplaywidth(file.path)), math.max(of_marks, #marks)
  end
  of_path = math.min(of_path, math.floor(width / 2))
  return vim.tbl_map(function(file)
    local heat, marks, group = describe_heat(file)
    -- A pin with no why is its own reason, and stands in front.
    local others = vim.tbl_filter(function(reason)
      return reason ~= 'pinned'
    end, file.reasons)
    local reasons = text.clip(table.concat(others, '; '), math.max(width - of_path - of_marks - 9, 10))
    return {
      id = file.path,
      item = file,
      parts = {
        { heat, group },
        { pad_cell(marks, of_marks), 'WhereforeHint' },
        { pad_cell(text.clip(file.path, of_path), of_path), 'WhereforeHeader' },
        { reasons },
      },
    }
  end, known.answer.files)
end

--- Describes how much of the budget the files take, and what is wrong with the files of hints.
---@return string?
local function describe_budget()
  local answer = known.answer
  local problem = (answer.problems or {})[1]
  if problem then
    return text.clip(problem, 90)
  elseif #answer.files > 0 then
    return ('about %d of %d tokens'):format(answer.tokens, answer.budget)
  end
end

---@param method string
---@param params table
---@param done fun(answer: any)
local function send_request(method, params, done)
  local lsp = vim.lsp.get_client_by_id(known.client)
  if not lsp then
    return messages.warn('the server is gone; :Wherefore restart')
  end
  client.request(lsp, method, vim.tbl_extend('error', params, { root = known.root }), done)
end

---@param path string
---@param advice wherefore.HintAct
---@param why? string
local function send_hint(path, advice, why)
  send_request(methods.hint, { path = path, advice = advice, why = why ~= '' and why or nil }, function(answer)
    local sentence = ('%s: %s: %s'):format(answer.path, answer.outcome, answer.reason)
    if answer.outcome == 'deferred' or answer.outcome == 'overridden' then
      return messages.warn(sentence)
    end
    messages.show('wherefore: ' .. sentence)
  end)
end

---@param advice wherefore.HintAct
---@return fun(file: wherefore.WorkingFile)
local function make_marker(advice)
  return function(file)
    if not wondered[advice] then
      return send_hint(file.path, advice)
    end
    vim.ui.input({ prompt = wondered[advice]:format(text.clip(file.path, 80)) }, function(why)
      if why then
        send_hint(file.path, advice, vim.trim(why))
      end
    end)
  end
end

local function collect_cooled()
  send_request(methods.collect, {}, function(answer)
    local paths = vim.tbl_map(function(dropped)
      return dropped.path
    end, answer.dropped)
    local sentence = #paths == 0 and 'nothing leaves the working set: what is open, marked, pinned or under review stays'
      or ('%d left the working set: %s'):format(#paths, table.concat(paths, ', '))
    messages.show('wherefore: ' .. sentence)
  end)
end

--- All of the reasons, which a row has no room for.
---@param file wherefore.WorkingFile
local function explain_file(file)
  local lines = { text.clip(file.path, 100) }
  for _, reason in ipairs(file.reasons) do
    table.insert(lines, '- ' .. reason)
  end
  require('wherefore.cursor_float').open_float(lines)
end

---@type wherefore.ListPanel
local shown = {
  title = 'working set',
  empty = 'No file matters yet: the set fills as you open and change files, and as agents read and change them.',
  rows = make_rows,
  status = describe_budget,
  keys = {},
}

shown.keys = {
  {
    lhs = '<CR>',
    desc = 'open',
    run = function(file)
      panel.close(shown)
      file_window.go_to_file_window()
      file_window.show_file(vim.fs.joinpath(known.root, file.path))
    end,
  },
  {
    lhs = 'p',
    desc = 'pin',
    run = function(file)
      make_marker(file.pinned and 'unpin' or 'pin')(file)
    end,
  },
  { lhs = 'h', desc = 'hot', run = make_marker('hot') },
  { lhs = 'c', desc = 'cold', run = make_marker('cold') },
  { lhs = 'x', desc = 'clear', run = make_marker('clear') },
  { lhs = 'K', desc = 'why', run = explain_file },
  { lhs = 'C', desc = 'clean up', run = collect_cooled },
}

---@param lsp vim.lsp.Client
---@param done fun()
local function request_set(lsp, done)
  client.request(lsp, methods.workingSet, { root = lsp.config.root_dir }, function(answer)
    known = { root = lsp.config.root_dir, client = lsp.id, answer = answer }
    done()
  end)
end

function M.open_panel()
  local lsp = client.require_client()
  if lsp then
    request_set(lsp, function()
      panel.open(shown)
      panel.redraw_soon(shown)
    end)
  end
end

--- Asks anew where the list is open. The server gathers changes before it tells of them.
function M.refresh_panel()
  local lsp = panel.is_open(shown) and vim.lsp.get_client_by_id(known.client)
  if lsp then
    request_set(lsp, function()
      panel.redraw_soon(shown)
    end)
  end
end

return M
