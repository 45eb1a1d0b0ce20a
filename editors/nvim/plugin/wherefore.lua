-- The command `:Wherefore` and the buffers `wherefore://…`; everything else is loaded when it is first used.
if vim.g.loaded_wherefore then
  return
end
vim.g.loaded_wherefore = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.api.nvim_echo({ { 'wherefore needs Neovim 0.10 or newer', 'WarningMsg' } }, true, {})
  return
end

vim.api.nvim_create_user_command('Wherefore', function(opts)
  require('wherefore.command').run(opts)
end, {
  nargs = '*',
  bang = true,
  range = true,
  desc = 'Review what agents propose, read the log, undo a call',
  complete = function(lead, line)
    return require('wherefore.command').complete(lead, line)
  end,
})

vim.api.nvim_create_autocmd('BufReadCmd', {
  group = vim.api.nvim_create_augroup('wherefore_buffers', {}),
  pattern = 'wherefore://*',
  desc = 'Fill a log, a hunk to change, or a preview',
  callback = function(event)
    if event.match:find('^wherefore://log') then
      require('wherefore.log.session_log').fill_buffer(event.buf)
    elseif event.match:find('^wherefore://edit') then
      require('wherefore.review.hunk_editor').fill_buffer(event.buf)
    elseif not (event.match:find('^wherefore://command') or event.match:find('^wherefore://session') or event.match:find('^wherefore://ask')) then
      require('wherefore.review.proposal_preview').fill_buffer(event.buf)
    end
  end,
})
