--- `:Wherefore working-set`: the files that matter now, the hottest first, and why each does.
local M = {}

local client = require('wherefore.client')
local methods = require('wherefore.wire').methods
local notify = require('wherefore.notify')
local panel = require('wherefore.panel')
local text = require('wherefore.text')
local window = require('wherefore.window')

---@type { root: string, client: integer, answer: wherefore.WorkingSetAnswer }
local known = { root = '', client = 0, answer = { files = {}, budget = 0, tokens = 0 } }

--- What an agent will wonder about. A pin speaks for itself.
local wondered = {
  hot = 'Why does %s matter (may stay empty)? ',
  cold = 'Why does %s not matter (may stay empty)? ',
}

---@param file wherefore.WorkingFile
---@return string heat, string marks, string group
local function heat_of(file)
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
local function fill(cell, width)
  return width == 0 and '' or cell .. (' '):rep(width - vim.fn.strdisplaywidth(cell) + 2)
end

---@param width integer
---@return wherefore.Row[]
local function rows(width)
  local of_path, of_marks = 0, 0
  for _, file in ipairs(known.answer.files) do
    local _, marks = heat_of(file)
    of_path, of_marks = math.max(of_path, vim.fn.strdisplaywidth(file.path)), math.max(of_marks, #marks)
  end
  of_path = math.min(of_path, math.floor(width / 2))
  return vim.tbl_map(function(file)
    local heat, marks, group = heat_of(file)
    -- A pin with no why is its own reason, and stands in front.
    local told = vim.tbl_filter(function(reason)
      return reason ~= 'pinned'
    end, file.reasons)
    local reasons = text.clip(table.concat(told, '; '), math.max(width - of_path - of_marks - 9, 10))
    return {
      id = file.path,
      item = file,
      parts = {
        { heat, group },
        { fill(marks, of_marks), 'WhereforeHint' },
        { fill(text.clip(file.path, of_path), of_path), 'WhereforeHeader' },
        { reasons },
      },
    }
  end, known.answer.files)
end

--- How much of the budget the files take, and what is wrong with the files of hints.
---@return string?
local function status()
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
local function tell(method, params, done)
  local lsp = vim.lsp.get_client_by_id(known.client)
  if not lsp then
    return notify.warn('the server is gone; :Wherefore restart')
  end
  client.request(lsp, method, vim.tbl_extend('error', params, { root = known.root }), done)
end

---@param path string
---@param advice wherefore.HintAct
---@param why? string
local function send(path, advice, why)
  tell(methods.hint, { path = path, advice = advice, why = why ~= '' and why or nil }, function(answer)
    local said = ('%s: %s: %s'):format(answer.path, answer.outcome, answer.reason)
    if answer.outcome == 'deferred' or answer.outcome == 'overridden' then
      return notify.warn(said)
    end
    notify.say('wherefore: ' .. said)
  end)
end

---@param advice wherefore.HintAct
---@return fun(file: wherefore.WorkingFile)
local function mark(advice)
  return function(file)
    if not wondered[advice] then
      return send(file.path, advice)
    end
    vim.ui.input({ prompt = wondered[advice]:format(text.clip(file.path, 80)) }, function(why)
      if why then
        send(file.path, advice, vim.trim(why))
      end
    end)
  end
end

local function collect()
  tell(methods.collect, {}, function(answer)
    local paths = vim.tbl_map(function(dropped)
      return dropped.path
    end, answer.dropped)
    local said = #paths == 0 and 'nothing leaves the working set: what is open, marked, pinned or under review stays'
      or ('%d left the working set: %s'):format(#paths, table.concat(paths, ', '))
    notify.say('wherefore: ' .. said)
  end)
end

--- All of the reasons, which a row has no room for.
---@param file wherefore.WorkingFile
local function explain(file)
  local lines = { text.clip(file.path, 100) }
  for _, reason in ipairs(file.reasons) do
    table.insert(lines, '- ' .. reason)
  end
  require('wherefore.float').open(lines)
end

---@type wherefore.Panel
local shown = {
  title = 'working set',
  empty = 'No file matters yet: the set fills as you open and change files, and as agents read and change them.',
  rows = rows,
  status = status,
  keys = {},
}

shown.keys = {
  {
    lhs = '<CR>',
    desc = 'open',
    run = function(file)
      panel.close(shown)
      window.for_file()
      window.show(vim.fs.joinpath(known.root, file.path))
    end,
  },
  {
    lhs = 'p',
    desc = 'pin',
    run = function(file)
      mark(file.pinned and 'unpin' or 'pin')(file)
    end,
  },
  { lhs = 'h', desc = 'hot', run = mark('hot') },
  { lhs = 'c', desc = 'cold', run = mark('cold') },
  { lhs = 'x', desc = 'clear', run = mark('clear') },
  { lhs = 'K', desc = 'why', run = explain },
  { lhs = 'C', desc = 'clean up', run = collect },
}

---@param lsp vim.lsp.Client
---@param done fun()
local function ask(lsp, done)
  client.request(lsp, methods.workingSet, { root = lsp.config.root_dir }, function(answer)
    known = { root = lsp.config.root_dir, client = lsp.id, answer = answer }
    done()
  end)
end

function M.open()
  local lsp = client.needed()
  if lsp then
    ask(lsp, function()
      panel.open(shown)
      panel.changed(shown)
    end)
  end
end

--- Asks anew where the list is open. The server gathers changes before it tells of them.
function M.changed()
  local lsp = panel.is_open(shown) and vim.lsp.get_client_by_id(known.client)
  if lsp then
    ask(lsp, function()
      panel.changed(shown)
    end)
  end
end

return M
