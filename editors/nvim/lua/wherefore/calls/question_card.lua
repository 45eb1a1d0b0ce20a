--- The question that waits longest, in a float at the upper right that stays until it is answered: messages go by, and a call
--- that is denied because nobody saw its question was denied by nobody.
local M = {}

local api = vim.api
local questions = require('wherefore.calls.questions')
local guard = require('wherefore.guard')
local text = require('wherefore.text')

local corner = require('wherefore.corner_float').make_float('NormalFloat:WhereforeQuestion,FloatBorder:WhereforeWarn,FloatTitle:WhereforeWarn')

--- The widest that the text of a question gets.
local most_cells = 60

---@type true? whether it is about to be drawn
local asked

--- Who asks, in the border.
---@param params wherefore.AskParams
---@return string
local function make_title(params)
  local agent = type(params.agent) == 'string' and params.agent or nil
  return text.clip(agent and (agent .. ' asks you') or 'you are asked', most_cells)
end

--- The question, what may be answered, and how. Of a long one the beginning.
---@param question wherefore.OpenQuestion
---@param more integer questions that wait behind it
---@param width integer
---@param height integer
---@return string[]
local function make_rows(question, more, width, height)
  local params, lines = question.params, {}
  for _, line in ipairs(vim.split(params.text, '\n', { plain = true })) do
    if vim.trim(line) ~= '' then
      vim.list_extend(lines, text.wrap(line, width))
    end
  end
  local below = text.wrap(':Wherefore answer ' .. table.concat(vim.tbl_map(text.escape_hidden, params.answers), ' · '), width)
  if more > 0 then
    table.insert(below, text.format_count(more, 'more question') .. (more == 1 and ' waits' or ' wait'))
  end
  local room = math.max(height - #below, 1)
  if #lines > room then
    lines = vim.list_slice(lines, 1, room)
    lines[room] = text.clip(lines[room], width - 2) .. ' …'
  end
  return vim.list_extend(lines, below)
end

local function draw_card()
  asked = nil
  local list = questions.list_open()
  local question = list[1]
  if not question or vim.fn.getcmdwintype() ~= '' then
    return corner.hide()
  end
  local width = math.max(math.min(most_cells, vim.o.columns - 4), 10)
  local lines, widest = make_rows(question, #list - 1, width, math.max(math.floor(vim.o.lines / 2), 3)), 1
  for _, line in ipairs(lines) do
    widest = math.max(widest, api.nvim_strwidth(line))
  end
  local head = ' ' .. make_title(question.params) .. ' '
  corner.show(lines, {
    anchor = 'NE',
    row = vim.o.showtabline > 0 and 1 or 0,
    col = vim.o.columns,
    width = math.max(widest, api.nvim_strwidth(head)),
    height = #lines,
    border = 'rounded',
    title = head,
    zindex = 65,
  })
end

local function draw_soon()
  if not asked then
    asked = true
    vim.schedule(guard.wrap('drawing a question', draw_card))
  end
end

--- Rings the bell of the terminals that show the editor.
local function ring_bell()
  local in_terminal = vim.iter(api.nvim_list_uis()):any(function(ui)
    return ui.stdout_tty
  end)
  if not in_terminal then
    return
  elseif api.nvim_ui_send then
    return api.nvim_ui_send('\7')
  end
  api.nvim_chan_send(vim.v.stderr, '\7')
end

--- Keeps it right as questions come and are over.
function M.watch()
  api.nvim_create_autocmd({ 'TabEnter', 'VimResized', 'CmdwinLeave' }, {
    group = api.nvim_create_augroup('wherefore_question', {}),
    callback = draw_soon,
  })
  local known = 0
  questions.on_change(function()
    local now = #questions.list_open()
    if now > known then
      guard.wrap('ringing the bell', ring_bell)()
    end
    known = now
    draw_soon()
  end)
end

return M
