--- Lets the person pick one of several places: in telescope, fzf-lua or snacks, with a preview at the line or of the diff,
--- where one of them is there; else by |vim.ui.select()|.
local M = {}

local config = require('wherefore.config')
local messages = require('wherefore.messages')
local text = require('wherefore.text')

---@alias wherefore.PlacePicker fun(title: string, root: string, places: wherefore.CodePlace[], open: fun(place: wherefore.CodePlace))

---@param place wherefore.CodePlace
local function format_place(place)
  return text.escape_hidden(('%s:%d: %s'):format(place.shown, place.line, place.text))
end

--- Writes a diff into a preview's buffer.
---@param buf integer
---@param diff string[]
local function write_diff(buf, diff)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, diff)
  vim.bo[buf].filetype = 'diff'
end

--- A previewer of telescope's for places that have diffs.
local function make_telescope_previewer()
  return require('telescope.previewers').new_buffer_previewer({
    title = 'diff',
    define_preview = function(self, entry)
      write_diff(self.state.bufnr, entry.value.diff)
    end,
  })
end

---@type wherefore.PlacePicker
local function pick_by_telescope(title, _, places, open)
  local actions, state = require('telescope.actions'), require('telescope.actions.state')
  local conf = require('telescope.config').values
  local finder = require('telescope.finders').new_table({
    results = places,
    entry_maker = function(place)
      return { value = place, display = format_place(place), ordinal = format_place(place), filename = place.path, lnum = place.line }
    end,
  })
  require('telescope.pickers')
    .new({}, {
      prompt_title = title,
      finder = finder,
      previewer = places[1].diff and make_telescope_previewer() or conf.grep_previewer({}),
      sorter = conf.generic_sorter({}),
      attach_mappings = function(prompt)
        actions.select_default:replace(function()
          local entry = state.get_selected_entry()
          actions.close(prompt)
          if entry then
            open(entry.value)
          end
        end)
        return true
      end,
    })
    :find()
end

--- A previewer of fzf-lua's for places that have diffs.
---@param by_row table<string, wherefore.CodePlace>
local function make_fzf_previewer(by_row)
  local Previewer = require('fzf-lua.previewer.builtin').base:extend()
  function Previewer:new(o, opts, win)
    Previewer.super.new(self, o, opts, win)
    setmetatable(self, Previewer)
    return self
  end
  function Previewer:populate_preview_buf(line)
    local buf, place = self:get_tmp_buffer(), by_row[line]
    write_diff(buf, place and place.diff or {})
    self:set_preview_buf(buf)
  end
  return Previewer
end

---@type wherefore.PlacePicker
local function pick_by_fzf(title, root, places, open)
  local fzf, by_row, rows = require('fzf-lua'), {}, {}
  for _, place in ipairs(places) do
    -- The form that its preview reads: path, line, column, text.
    local line = ('%s:%d:1:%s'):format(place.shown, place.line, place.text)
    by_row[line] = place
    table.insert(rows, line)
  end
  fzf.fzf_exec(rows, {
    prompt = title .. '> ',
    cwd = root,
    previewer = places[1].diff and make_fzf_previewer(by_row) or 'builtin',
    actions = {
      enter = function(selected)
        local place = by_row[selected and selected[1]]
        if place then
          open(place)
        end
      end,
      ['ctrl-s'] = fzf.actions.file_split,
      ['ctrl-v'] = fzf.actions.file_vsplit,
      ['ctrl-t'] = fzf.actions.file_tabedit,
    },
  })
end

--- Places that have diffs, in snacks.
---@param title string
---@param places wherefore.CodePlace[]
---@param open fun(place: wherefore.CodePlace)
local function pick_diffs_by_snacks(title, places, open)
  local items = {}
  for index, place in ipairs(places) do
    items[index] = { idx = index, text = format_place(place), place = place, preview = { text = table.concat(place.diff, '\n'), ft = 'diff' } }
  end
  local function confirm(picker, item)
    picker:close()
    if item then
      vim.schedule(function()
        open(item.place)
      end)
    end
  end
  require('snacks').picker.pick({ title = title, items = items, format = 'text', preview = 'preview', confirm = confirm })
end

---@type wherefore.PlacePicker
local function pick_by_snacks(title, _, places, open)
  if places[1].diff then
    return pick_diffs_by_snacks(title, places, open)
  end
  local items = {}
  for index, place in ipairs(places) do
    items[index] = { idx = index, text = format_place(place), file = place.path, pos = { place.line, 0 }, line = place.text }
  end
  -- Its own `confirm` goes to the place: its splits and tabs are made of it, and it leaves insert mode first.
  require('snacks').picker.pick({ title = title, items = items, format = 'file', preview = 'file' })
end

---@type wherefore.PlacePicker
local function pick_by_select(title, _, places, open)
  -- Neovim's own puts a number in front; a row that wraps is hard to read.
  local function format_item(place)
    return text.clip(format_place(place), math.max(vim.o.columns - 8, 40))
  end
  vim.ui.select(places, { prompt = title, kind = 'wherefore_search', format_item = format_item }, function(place)
    if place then
      open(place)
    end
  end)
end

--- Each with the module that tells whether it is there, in the order of trying.
---@type { name: string, module?: string, pick: wherefore.PlacePicker }[]
local pickers = {
  { name = 'telescope', module = 'telescope', pick = pick_by_telescope },
  { name = 'fzf-lua', module = 'fzf-lua', pick = pick_by_fzf },
  { name = 'snacks', module = 'snacks', pick = pick_by_snacks },
  { name = 'select', pick = pick_by_select },
}

--- True if a picker is there that can show diffs.
---@return boolean
function M.can_show_diffs()
  local set = config.current.picker
  return vim.iter(pickers):any(function(picker)
    return picker.module and (set == 'auto' or set == picker.name) and pcall(require, picker.module)
  end)
end

--- Shows places in the picker that is set, else in the first that is there; goes to the one picked.
---@type wherefore.PlacePicker
function M.pick_place(title, root, places, open)
  local set = config.current.picker
  for _, picker in ipairs(pickers) do
    if set == 'auto' or set == picker.name then
      if not picker.module or pcall(require, picker.module) then
        return picker.pick(title, root, places, open)
      elseif set ~= 'auto' then
        messages.warn(('%s is set as the picker and cannot be loaded; vim.ui.select takes its place'):format(set))
      end
    end
  end
  pick_by_select(title, root, places, open)
end

return M
