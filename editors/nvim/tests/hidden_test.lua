-- What others wrote is seen for what it is, wherever the plugin shows it.
local check = require('check')
local child = require('child')

local eq, has, with = check.eq, check.has, check.with
local cases, case = check.cases()

--- A terminal's escape, right-to-left overrides and isolates, zero width, a tag, a private sign, an Arabic mark, C1.
local hostile = {
  '\27',
  '\194\155',
  '\226\128\174',
  '\226\129\166',
  '\226\128\139',
  '\239\187\191',
  '\243\160\129\129',
  '\238\128\128',
  '\216\156',
  '\227\133\164',
}
local shown = { '1b', '9b', '202e', '2066', '200b', 'feff', 'e0041', 'e000', '61c', '3164' }

--- Words with every one of them.
local function words(name)
  return name .. ' ' .. table.concat(hostile, 'x') .. ' end'
end

local function clean(text, where)
  for index, sign in ipairs(hostile) do
    if text:find(sign, 1, true) then
      error(('%s: a hidden \\u{%s} in %s'):format(where, shown[index], text), 2)
    end
  end
end

case('hidden: each is written as an escape, and everything else stays', function()
  local plugin = vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h'))
  vim.opt.runtimepath:prepend(plugin)
  local text = require('wherefore.text')
  for index, sign in ipairs(hostile) do
    local want = ('a\\u{%s}b'):format(shown[index])
    eq(text.escape_hidden('a' .. sign .. 'b'), want)
    eq(text.clip('a' .. sign .. 'b', 40), want)
    eq(text.expand_tabs('a' .. sign .. 'b', 8), want)
    eq(text.expand_tabs('\ta' .. sign .. '\t', 4):sub(1, 5), '    a')
  end
  local plain = 'naïve 漢字 😀 привет العربية\n\ttab'
  eq(text.escape_hidden(plain), plain)
  eq(text.escape_hidden('a\r\nb'), 'a\nb')
  eq(text.escape_hidden('a\rb\0c'), 'a\\u{d}b\\u{0}c')
  eq(text.clip('one\r\n\ttwo', 40), 'one two')
  eq(text.escape_hidden('\255\254 \226\128'), '\255\254 \226\128')
end)

case(
  'hidden: virtual lines, messages, lists, floats, the quickfix list and previews show it',
  with({ ['a.txt'] = 'one\ntwo\n', ['c.txt'] = 'three\n' }, function(editor, root)
    editor:edit('a.txt')
    local why = words('Say it anew')
    editor:agent('e', 'fs.write', { path = 'a.txt', content = 'one\n' .. words('two') .. '\n', why = why })
    editor:pending(1)
    editor:agent('n', 'fs.write', { path = words('new') .. '.txt', content = words('made') .. '\n', why = why })
    editor:pending(2)
    vim.wait(200)
    local virtual = editor:lua([[
      local out = {}
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })) do
        vim.list_extend(out, mark[4].virt_text or {})
        for _, line in ipairs(mark[4].virt_lines or {}) do vim.list_extend(out, line) end
      end
      return table.concat(vim.tbl_map(function(chunk) return chunk[1] end, out), '\n')
    ]])
    for _, code in ipairs(shown) do
      has(virtual, ('\\u{%s}'):format(code), 'virtual text')
    end
    clean(virtual, 'virtual text')
    clean(editor:screen(), 'the screen')
    clean(table.concat(editor:notes(), '\n'), 'messages')
    editor:cmd('Wherefore calls')
    has(editor:screen(), 'Say it anew')
    clean(table.concat(editor:lines(), '\n'), 'the calls')
    editor:keys('q')
    editor:cmd('Wherefore proposals')
    has(editor:screen(), 'Say it anew')
    clean(table.concat(editor:lines(), '\n'), 'the quickfix list')
    editor:cmd('cclose')
    editor:cmd('Wherefore next')
    editor:cmd('Wherefore next')
    editor:wait("return vim.api.nvim_buf_get_name(0):find('^wherefore://') ~= nil", 'the preview')
    has(table.concat(editor:lines(), '\n'), '\\u{202e}')
    clean(table.concat(editor:lines(), '\n'), 'the preview')
    editor:cmd('edit c.txt')
    editor:cmd('Wherefore working-set')
    editor:wait("return vim.bo.buftype == 'nofile' and vim.api.nvim_buf_line_count(0) > 1", 'the working set')
    clean(table.concat(editor:lines(), '\n'), 'the working set')
    editor:keys('q')
    editor:cmd('Wherefore reject-all')
    editor:pending(0)
    editor:cmd('Wherefore log')
    vim.wait(300)
    clean(table.concat(editor:lines(), '\n'), 'the log')
    eq(child.bytes(root .. '/a.txt'), 'one\ntwo\n')
  end)
)

case(
  'hidden: what the server says and asks shows it',
  with({ ['a.txt'] = 'one\n' }, function(editor)
    editor:edit('a.txt')
    editor:lua(
      [[
      local said = ...
      _G.seen = {}
      vim.ui.select = function(items, options)
        table.insert(_G.seen, options.prompt)
        for _, item in ipairs(items) do table.insert(_G.seen, (options.format_item or tostring)(item)) end
      end
      local client = vim.lsp.get_clients({ name = 'wherefore' })[1]
      local ctx = { client_id = client.id, bufnr = 0 }
      local by = require('wherefore.server.handlers').by_method
      by['wherefore/ask'](nil, { tool = said, why = '', text = said, answers = { said }, session = 's', call_id = 'c-1', root = '' }, ctx)
    ]],
      words('Allow')
    )
    vim.wait(50)
    editor:cmd('Wherefore answer')
    local seen = table.concat(editor:lua('return _G.seen'), '\n')
    has(seen, '\\u{202e}')
    clean(seen, 'the question')
    clean(table.concat(editor:notes(), '\n'), 'messages')
  end)
)

return cases
