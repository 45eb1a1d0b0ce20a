--- The colours of hunks. Backgrounds are mixed from that of the color scheme, so that removed and added lines are told apart
--- in each scheme and the colours of the text above them stay.
local M = {}

local api = vim.api

--- Groups that follow one of the color scheme's.
local links = {
  WhereforeHeader = 'Title',
  WhereforeWhy = 'Normal',
  WhereforeHint = 'Comment',
  WhereforeLineWhy = 'Comment',
  WhereforeWarn = 'WarningMsg',
  WhereforeBanner = 'PmenuSel',
  WhereforeQuestion = 'NormalFloat',
}

---@class wherefore.ColourTint
---@field line number how much of the tint a line's background has
---@field word number how much of it the background of a changed word has
---@field base integer the background where the scheme has none
---@field add integer
---@field delete integer

---@type table<'dark'|'light', wherefore.ColourTint>
local tints = {
  dark = { line = 0.30, word = 0.52, base = 0x14161b, add = 0x2ea043, delete = 0xe5484d },
  light = { line = 0.27, word = 0.55, base = 0xffffff, add = 0x2da44e, delete = 0xe5484d },
}

--- The same for terminals with 256 colours: line, word, sign.
local indexed = {
  dark = { add = { 22, 28, 77 }, delete = { 52, 88, 203 } },
  light = { add = { 194, 157, 28 }, delete = { 224, 217, 160 } },
}

--- The groups as they were set here, to know them from those that a person set.
---@type table<string, vim.api.keyset.get_hl_info>
local ours = {}

---@param colour integer
---@return integer[] red, green and blue
local function split_colour(colour)
  return { math.floor(colour / 65536), math.floor(colour / 256) % 256, colour % 256 }
end

---@param under integer
---@param over integer
---@param share number how much of `over` there is, 0 to 1
---@return integer
local function mix_colours(under, over, share)
  local a, b, mixed = split_colour(under), split_colour(over), 0
  for index = 1, 3 do
    mixed = mixed * 256 + math.floor(a[index] * (1 - share) + b[index] * share + 0.5)
  end
  return mixed
end

--- The background that tints are mixed with. One that is a strong colour itself would make red and green look alike, and
--- a grey one would hide them.
---@param tint wherefore.ColourTint
---@return integer
local function find_base(tint)
  local bg = api.nvim_get_hl(0, { name = 'Normal', link = false }).bg
  if not bg then
    return tint.base
  end
  local rgb = split_colour(bg)
  local brightest, darkest = math.max(unpack(rgb)), math.min(unpack(rgb))
  if brightest - darkest > 48 then
    return tint.base
  end
  local is_grey = brightest > 40 and darkest < 215
  return is_grey and mix_colours(bg, tint.base, 0.5) or bg
end

--- The groups with colours of their own.
---@return table<string, vim.api.keyset.highlight>
local function make_groups()
  local shade = vim.o.background == 'light' and 'light' or 'dark'
  local tint, groups = tints[shade], {}
  local base = find_base(tint)
  for name, kind in pairs({ Add = 'add', Delete = 'delete' }) do
    local colour, index = tint[kind], indexed[shade][kind]
    groups['Wherefore' .. name] = { bg = mix_colours(base, colour, tint.line), ctermbg = index[1] }
    groups['Wherefore' .. name .. 'Word'] = { bg = mix_colours(base, colour, tint.word), ctermbg = index[2] }
    groups['Wherefore' .. name .. 'Sign'] = { fg = colour, bold = true, ctermfg = index[3], cterm = { bold = true } }
  end
  return groups
end

--- Sets the groups for the color scheme as it is now; those that a person set stay.
function M.set_groups()
  for name, link in pairs(links) do
    api.nvim_set_hl(0, name, { link = link, default = true })
  end
  for name, group in pairs(make_groups()) do
    local now = api.nvim_get_hl(0, { name = name })
    if next(now) == nil or vim.deep_equal(now, ours[name]) then
      api.nvim_set_hl(0, name, group)
      ours[name] = api.nvim_get_hl(0, { name = name })
    end
  end
end

--- Keeps them right as the color scheme changes.
function M.watch()
  local group = api.nvim_create_augroup('wherefore_colours', {})
  api.nvim_create_autocmd('ColorScheme', { group = group, callback = M.set_groups })
  api.nvim_create_autocmd('OptionSet', { group = group, pattern = 'background', callback = M.set_groups })
  M.set_groups()
end

return M
