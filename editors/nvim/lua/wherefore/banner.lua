--- A line at the lower right that stays while hunks wait in files that no window shows: how many, and how to get there.
local M = {}

local api = vim.api
local config = require('wherefore.config')
local guard = require('wherefore.guard')
local keys = require('wherefore.keys')
local review = require('wherefore.review')
local text = require('wherefore.text')

---@type { buf: integer, win: integer }?
local open
---@type true? whether it is about to be drawn
local asked

--- The files that the current tab page shows; nothing where it shows a whole session.
---@return table<string, true>?
local function shown()
  local found = {}
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    local buf = api.nvim_win_get_buf(win)
    if require('wherefore.session').is(buf) then
      return nil
    end
    local name = api.nvim_buf_get_name(buf)
    if name ~= '' and vim.bo[buf].buftype == '' then
      found[review.key(vim.fs.normalize(name))] = true
    end
    local previewed = require('wherefore.preview').key(buf)
    if previewed then
      found[previewed] = true
    end
  end
  return found
end

--- What waits in files other than these, in words; nothing where nothing does.
---@param known table<string, true> files
---@return string?
function M.sentence(known)
  local waiting, files, last = 0, 0, nil
  for _, entry in ipairs(review.entries()) do
    local count = #vim.tbl_filter(review.is_pending, entry.hunks)
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
  return ('%s %s in %s · %s goes there'):format(text.count(waiting, 'hunk'), waiting == 1 and 'waits' or 'wait', where, keys.next())
end

local function close()
  local was = open
  open = nil
  if was and api.nvim_win_is_valid(was.win) then
    pcall(api.nvim_win_close, was.win, true)
  end
end

--- Where the line stands: above the status line.
---@param width integer
---@return vim.api.keyset.win_config
local function place(width)
  local below = vim.o.cmdheight + (vim.o.laststatus > 0 and 1 or 0)
  return {
    relative = 'editor',
    anchor = 'SE',
    row = vim.o.lines - below,
    col = vim.o.columns,
    width = math.max(math.min(width, vim.o.columns), 1),
    height = 1,
    style = 'minimal',
    focusable = false,
    zindex = 30,
  }
end

local function draw()
  asked = nil
  local known = config.current.banner and shown()
  local sentence = known and M.sentence(known)
  if not sentence or vim.fn.getcmdwintype() ~= '' then
    return close()
  end
  local line = ' ' .. text.clip(sentence, vim.o.columns - 2) .. ' '
  local at = place(vim.fn.strdisplaywidth(line))
  local tab = open and api.nvim_win_is_valid(open.win) and api.nvim_win_get_tabpage(open.win)
  if tab ~= api.nvim_get_current_tabpage() then
    close()
    local buf = api.nvim_create_buf(false, true)
    vim.bo[buf].bufhidden = 'wipe'
    open = { buf = buf, win = api.nvim_open_win(buf, false, vim.tbl_extend('error', at, { noautocmd = true })) }
    vim.wo[open.win].winhighlight = 'Normal:WhereforeBanner,NormalFloat:WhereforeBanner'
  else
    api.nvim_win_set_config(open.win, at)
  end
  api.nvim_buf_set_lines(open.buf, 0, -1, false, { line })
end

local function changed()
  if not asked then
    asked = true
    vim.schedule(guard.wrap('drawing what waits', draw))
  end
end

--- Keeps the line right as hunks come and go, and as windows show other files.
function M.watch()
  api.nvim_create_autocmd({ 'BufWinEnter', 'WinClosed', 'WinNew', 'TabEnter', 'VimResized' }, {
    group = api.nvim_create_augroup('wherefore_banner', {}),
    callback = changed,
  })
  review.on_change(changed)
end

return M
