std = 'luajit'
globals = { 'vim' }
max_line_length = false
exclude_files = { '**/wire.lua', '**/hidden_characters.lua' } -- generated
files['**/demo/neovim.lua'] = { read_globals = { 'demo' } } -- the program sets it before it runs this file
files['**/init/neovim.lua'] = { read_globals = { 'folder', 'options' } } -- the program puts values in their place
