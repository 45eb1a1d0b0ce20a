--- Which picker shows the places of a search, and what it is handed.
---
--- The packages of telescope, fzf-lua and snacks are not here. Modules stand in for them that have the functions that each
--- one documents: they tell which picker is chosen, not how it looks.
local check = require('check')

local eq, has = check.eq, check.has
local with, numbered = check.with, check.numbered
local cases, case = check.cases()

local files = { ['a.txt'] = numbered(60), ['src/b.txt'] = numbered(50), ['src/b.txtx'] = 'another\n' }

--- Each stands in for a package: it keeps what it is handed in `_G.handed`, and takes the second place where it is asked to.
local packages = {
  telescope = [[
    local select
    package.loaded['telescope'] = {}
    package.loaded['telescope.actions'] = {
      close = function(prompt) _G.handed.closed = prompt end,
      select_default = { replace = function(_, run) select = run end },
    }
    package.loaded['telescope.actions.state'] = { get_selected_entry = function() return _G.handed.entries[2] end }
    package.loaded['telescope.config'] = {
      values = { grep_previewer = function() return 'grep' end, generic_sorter = function() return 'generic' end },
    }
    package.loaded['telescope.finders'] = {
      new_table = function(opts) return vim.tbl_map(opts.entry_maker, opts.results) end,
    }
    package.loaded['telescope.pickers'] = {
      new = function(_, opts)
        return {
          find = function()
            local shown = vim.tbl_map(function(entry) return { entry.display, entry.filename, entry.lnum } end, opts.finder)
            _G.handed = { title = opts.prompt_title, preview = opts.previewer, entries = opts.finder, shown = shown }
            assert(opts.attach_mappings(7) == true, 'the other keys of telescope stay')
            select()
            _G.handed.entries = nil
          end,
        }
      end,
    }
  ]],
  ['fzf-lua'] = [[
    package.loaded['fzf-lua'] = {
      actions = { file_split = 'split', file_vsplit = 'vsplit', file_tabedit = 'tab' },
      fzf_exec = function(rows, opts)
        _G.handed = { title = opts.prompt, preview = opts.previewer, cwd = opts.cwd, shown = rows, split = opts.actions['ctrl-s'] }
        opts.actions.enter({ rows[2] }, opts)
      end,
    }
  ]],
  snacks = [[
    package.loaded['snacks'] = {
      picker = {
        pick = function(opts)
          local shown = vim.tbl_map(function(item) return { item.line, item.file, item.pos } end, opts.items)
          _G.handed = { title = opts.title, preview = opts.preview, format = opts.format, shown = shown }
          assert(opts.confirm == nil, 'its splits and tabs are made of its own confirm')
        end,
      },
    }
  ]],
  select = [[
    vim.ui.select = function(items, opts, done)
      _G.handed = { title = opts.prompt, shown = vim.tbl_map(opts.format_item, items) }
      done(items[2])
    end
  ]],
}

--- Searches with these packages there.
local function search(editor, ...)
  editor:edit('a.txt')
  editor:lua(packages.select)
  for _, name in ipairs({ ... }) do
    editor:lua(packages[name])
  end
  editor:cmd('Wherefore search lexical line 50')
  editor:wait('return _G.handed ~= nil', 'what a picker is handed')
  return editor:lua('return _G.handed')
end

local function here(editor)
  return { editor:call('nvim_buf_get_name', 0):sub(#editor.root + 2), editor:call('nvim_win_get_cursor', 0)[1] }
end

case(
  'picker: telescope comes first, and shows each place at its line',
  with(files, function(editor, root)
    local handed = search(editor, 'snacks', 'fzf-lua', 'telescope')
    eq(handed, {
      title = 'line 50',
      preview = 'grep',
      closed = 7,
      shown = { { 'a.txt:50: line 50', root .. '/a.txt', 50 }, { 'src/b.txt:50: line 50', root .. '/src/b.txt', 50 } },
    })
    eq(here(editor), { 'src/b.txt', 50 })
  end)
)

case(
  'picker: fzf-lua comes next, with rows that its preview reads',
  with(files, function(editor, root)
    local handed = search(editor, 'snacks', 'fzf-lua')
    eq(handed, {
      title = 'line 50> ',
      preview = 'builtin',
      cwd = root,
      split = 'split',
      shown = { 'a.txt:50:1:line 50', 'src/b.txt:50:1:line 50' },
    })
    eq(here(editor), { 'src/b.txt', 50 })
  end)
)

case(
  'picker: snacks comes next, and goes to the place by itself',
  with(files, function(editor, root)
    eq(search(editor, 'snacks'), {
      title = 'line 50',
      preview = 'file',
      format = 'file',
      shown = { { 'line 50', root .. '/a.txt', { 50, 0 } }, { 'line 50', root .. '/src/b.txt', { 50, 0 } } },
    })
  end)
)

case(
  'picker: vim.ui.select where there is none of them, or where it is set; the file is the one named',
  with(files, function(editor)
    -- A buffer whose name only begins like that of the file that is picked.
    editor:edit('src/b.txtx')
    eq(search(editor), { title = 'line 50', shown = { 'a.txt:50: line 50', 'src/b.txt:50: line 50' } })
    eq(here(editor), { 'src/b.txt', 50 })
  end)
)

case(
  'picker: the one that is set, whatever else is there',
  with(files, function(editor)
    local handed = search(editor, 'telescope', 'fzf-lua', 'snacks')
    eq(handed.preview, 'builtin')
    editor:lua("require('wherefore').setup({ picker = 'select' })")
    editor:lua('_G.handed = nil')
    editor:cmd('Wherefore search lexical line 50')
    editor:wait('return _G.handed ~= nil', 'what is handed to vim.ui.select')
    eq(editor:lua('return _G.handed.preview == nil'), true)
    editor:lua("local ok, err = pcall(require('wherefore').setup, { picker = 'fzf' }) _G.refused = ok or err")
    local said = vim.inspect(editor:lua('return _G.refused')) .. table.concat(editor:notes(), '\n')
    has(said, "'fzf-lua'")
  end, { picker = 'fzf-lua' })
)

return cases
