-- Written by `muninn install neovim`. Settings of Muninn for Neovim; plugin managers call `setup` with their options.
local M = {}

-- `command` is the program with its first arguments; `settings` are those of the language server.
function M.setup(options)
  options = options or {}
  if options.command then vim.g.muninn_command = options.command end
  if options.settings then vim.g.muninn_settings = options.settings end
end

return M
