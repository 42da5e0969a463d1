-- Written by `muninn install neovim`. Commands of Muninn, and the server for files of a repository with .muninn.
-- `:help muninn` describes them. The modules are loaded when they are first used.
if vim.g.loaded_muninn then return end
vim.g.loaded_muninn = 1

local function use(name, ...)
  local bound = { ... }
  return function(given) require('muninn.commands')[name](given, (table.unpack or unpack)(bound)) end
end

vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
  callback = function(event)
    local server = require('muninn.server')
    if server.root_of(event.buf) then server.attach(event.buf) end
  end,
})
vim.api.nvim_create_autocmd('BufReadCmd', {
  pattern = 'muninn:/*',
  callback = function(event) require('muninn.commands').read(event) end,
})
if vim.v.vim_did_enter == 1 then -- a plugin manager loads this late
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.api.nvim_buf_get_name(buffer) ~= '' then require('muninn.server').attach(buffer) end
  end
end

-- What a lens or a code action carries.
vim.lsp.commands['muninn.write'] = function(command) require('muninn.commands').draft(command.arguments[1]) end
vim.lsp.commands['muninn.show'] = function(command) require('muninn.commands').preview(command.arguments[1]) end

local command = vim.api.nvim_create_user_command
command('MuninnRecall', use('recall'), { nargs = '*', desc = 'List code and memories for a question' })
command('MuninnPick', use('pick'), { nargs = '*', desc = 'Choose among code and memories for a question' })
command('MuninnRemember', use('remember', 'insight'), { nargs = '*', range = true, desc = 'Remember a fact' })
command('MuninnDecide', use('remember', 'decision'), { nargs = '*', range = true, desc = 'Record a decision' })
command('MuninnFailed', use('remember', 'attempt'), { nargs = '*', range = true, desc = 'Record a failed attempt' })
command('MuninnThisFile', use('this_file'), { desc = 'List the memories of this file' })
command('MuninnShow', use('show'), { desc = 'Show the memories of this line' })
command('MuninnContext', use('context'), { nargs = '*', desc = 'Gather what a task needs' })
command('MuninnSessions', use('sessions'), { desc = 'List the sessions' })
command('MuninnSeal', use('seal'), { desc = 'Write the open sessions to files for git' })
command('MuninnConflicts', use('conflicts'), { desc = 'List the conflicts that wait for a decision' })
command('MuninnResolve', use('resolve'), { desc = 'Decide a conflict' })
command('MuninnStatus', use('status'), { desc = "Show the server's state" })
