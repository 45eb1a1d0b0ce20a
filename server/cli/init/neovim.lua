require("wherefore").setup({})
