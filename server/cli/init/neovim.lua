-- Written by `wherefore init`; `wherefore init --remove` takes it away.
vim.opt.runtimepath:prepend({folder})
require("wherefore").setup({options})
vim.cmd.runtime("plugin/wherefore.lua")
