--- Tells the server which file the person looks at: what is looked at matters.
local M = {}

local api = vim.api
local client = require('wherefore.server.client')
local guard = require('wherefore.guard')
local methods = require('wherefore.server.wire').methods

--- The time that a file is looked at before that is told: one that is only passed by is not.
local settle_ms = 300

---@type integer how often another file came into view
local turn = 0

---@param buf integer
local function report_focus(buf)
  if not api.nvim_buf_is_valid(buf) or vim.fn.bufwinid(buf) < 0 then
    return
  end
  for _, lsp in ipairs(vim.lsp.get_clients({ name = 'wherefore', bufnr = buf })) do
    client.send_notification(lsp, methods.didFocus, { uri = vim.uri_from_bufnr(buf) })
  end
end

--- Tells it of the file that the person stays with, also where its server comes later than the file. A list that opens
--- over it takes nobody from it.
function M.watch()
  api.nvim_create_autocmd({ 'BufEnter', 'LspAttach' }, {
    group = api.nvim_create_augroup('wherefore_focus', {}),
    callback = function(event)
      if event.buf ~= api.nvim_get_current_buf() or vim.bo[event.buf].buftype ~= '' then
        return
      end
      turn = turn + 1
      local mine = turn
      vim.defer_fn(function()
        if mine == turn then
          guard.wrap('telling what is looked at', report_focus)(event.buf)
        end
      end, settle_ms)
    end,
  })
end

return M
