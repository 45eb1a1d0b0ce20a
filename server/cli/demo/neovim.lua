-- The demo in Neovim: the plugin, and below the file a few lines that say what to do. `demo` is set above.
vim.opt.runtimepath:prepend(demo.plugin)
vim.cmd.helptags(vim.fn.fnameescape(demo.plugin .. '/doc'))
require('wherefore').setup({ cmd = { demo.program, 'lsp' }, env = { XDG_CONFIG_HOME = demo.config } })

local function guide()
  local lines = {
    'An agent is asked to: ' .. demo.task,
    'Each change that it proposes comes up above, with its why; nothing is written before you decided.',
    ' ]v next hunk   gwy accept   gwr reject   gwR reject with a word for the agent   gwY accept the file',
    ' :Wherefore calls  what it does   :Wherefore log  and why   :help wherefore   :qa  ends the demo',
  }
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  local win = vim.api.nvim_open_win(buf, false, { split = 'below', height = #lines, style = 'minimal' })
  vim.wo[win].winfixheight = true
  vim.wo[win].wrap = false
  vim.wo[win].statusline = ' wherefore demo'
  -- Who closes the file is done: the guide alone must not keep the editor open.
  vim.api.nvim_create_autocmd('QuitPre', {
    callback = function()
      if #vim.api.nvim_tabpage_list_wins(0) <= 2 and vim.api.nvim_win_is_valid(win) then
        vim.api.nvim_win_close(win, true)
      end
    end,
  })
end

vim.api.nvim_create_autocmd('VimEnter', { once = true, callback = guide })
