--- A line at the lower right that stays while hunks wait in files that no window shows, or questions: how many, and how to
--- get there.
local M = {}

local api = vim.api
local questions = require('wherefore.calls.questions')
local config = require('wherefore.config')
local guard = require('wherefore.guard')
local keys = require('wherefore.review.keys')
local proposal_store = require('wherefore.review.proposal_store')
local text = require('wherefore.text')

local corner = require('wherefore.corner_float').make_float('Normal:WhereforeBanner,NormalFloat:WhereforeBanner')

---@type true? whether it is about to be drawn
local asked

--- The files that the current tab page shows; nothing where it shows a whole session.
---@return table<string, true>?
local function list_shown_files()
  local found = {}
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    local buf = api.nvim_win_get_buf(win)
    if require('wherefore.review.session_review').is_session(buf) then
      return nil
    end
    local name = api.nvim_buf_get_name(buf)
    if name ~= '' and vim.bo[buf].buftype == '' then
      found[proposal_store.find_real_path(vim.fs.normalize(name))] = true
    end
    local previewed = require('wherefore.review.proposal_preview').find_key(buf)
    if previewed then
      found[previewed] = true
    end
  end
  return found
end

--- Describes what waits in files other than these; nothing where nothing does.
---@param known table<string, true> files
---@return string?
function M.describe_waiting(known)
  local waiting, files, last = 0, 0, nil
  for _, entry in ipairs(proposal_store.list_entries()) do
    local count = #vim.tbl_filter(proposal_store.is_pending, entry.hunks)
    if not known[entry.key] and count > 0 then
      waiting = waiting + count
      files = entry.key == last and files or files + 1
      last = entry.key
    end
  end
  if waiting == 0 then
    return nil
  end
  local where = files == 1 and ('%s file'):format(next(known) and 'another' or 'a') or ('%d %sfiles'):format(files, next(known) and 'other ' or '')
  return ('%s %s in %s · %s goes there'):format(text.format_count(waiting, 'hunk'), waiting == 1 and 'waits' or 'wait', where, keys.describe_next_key())
end

--- Where the line stands: above the status line.
---@param width integer
---@return vim.api.keyset.win_config
local function choose_place(width)
  local below = vim.o.cmdheight + (vim.o.laststatus > 0 and 1 or 0)
  return {
    anchor = 'SE',
    row = vim.o.lines - below,
    col = vim.o.columns,
    width = math.max(math.min(width, vim.o.columns), 1),
    height = 1,
    zindex = 30,
  }
end

--- The questions that wait, in words; nothing where none does.
---@return string?
local function describe_questions()
  local count = #questions.list_open()
  return count > 0 and ('%s %s · :Wherefore answer'):format(text.format_count(count, 'question'), count == 1 and 'waits' or 'wait') or nil
end

local function draw_banner()
  asked = nil
  local known = config.current.banner and list_shown_files()
  local parts = { config.current.banner and describe_questions() or nil }
  table.insert(parts, known and M.describe_waiting(known) or nil)
  if #parts == 0 or vim.fn.getcmdwintype() ~= '' then
    return corner.hide()
  end
  local line = ' ' .. text.clip(table.concat(parts, ' · '), vim.o.columns - 2) .. ' '
  corner.show({ line }, choose_place(vim.fn.strdisplaywidth(line)))
end

local function draw_soon()
  if not asked then
    asked = true
    vim.schedule(guard.wrap('drawing what waits', draw_banner))
  end
end

--- Keeps the line right as hunks come and go, and as windows show other files.
function M.watch()
  api.nvim_create_autocmd({ 'BufWinEnter', 'WinClosed', 'WinNew', 'TabEnter', 'VimResized' }, {
    group = api.nvim_create_augroup('wherefore_banner', {}),
    callback = draw_soon,
  })
  proposal_store.on_change(draw_soon)
  questions.on_change(draw_soon)
end

return M
