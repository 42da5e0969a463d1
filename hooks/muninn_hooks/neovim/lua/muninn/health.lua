-- Written by `muninn install neovim`. `:checkhealth muninn`.
local server = require('muninn.server')

local M = {}

local health = vim.health or require('health') -- before 0.8
local start = health.start or health.report_start
local ok = health.ok or health.report_ok
local info = health.info or health.report_info
local warn = health.warn or health.report_warn
local failed = health.error or health.report_error

-- Reports the program; returns whether it runs.
local function program()
  local command = server.command()
  if vim.fn.executable(command[1]) == 0 then
    failed('there is no program ' .. command[1], { 'Run `uv tool install muninn-memory`, or set g:muninn_command' })
    return false
  end
  local said = vim.fn.system(vim.list_extend(command, { 'version' }))
  if vim.v.shell_error ~= 0 then
    failed(vim.fn.exepath(command[1]) .. ' does not start: ' .. vim.trim(said), { 'Run it in a shell' })
    return false
  end
  ok(vim.trim(said) .. ' at ' .. vim.fn.exepath(command[1]))
  return true
end

-- The repository of the first window whose file is in one: the report has a buffer of its own.
local function repository()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local buffer = vim.api.nvim_win_get_buf(window)
    local root = vim.bo[buffer].buftype == '' and server.root_of(buffer)
    if root then return root end
  end
  return server.root_of(0)
end

function M.check()
  start('Muninn')
  if not program() then return end
  local root = repository()
  if not root then
    return warn('no folder .muninn around this file or the working folder', { 'Run `muninn init` in the repository' })
  end
  ok('repository ' .. root)
  if server.ready(root) then
    ok('the language server runs')
  else
    local said = vim.fn.system(vim.list_extend(server.command(), { 'status', '--quiet', '--repo', root }))
    if vim.v.shell_error ~= 0 then
      failed('the language server does not start: ' .. vim.trim(said), { '`muninn doctor` finds problems' })
    else
      warn('no language server runs for this repository', { 'Open a file of it, or run :MuninnStatus' })
    end
  end
  local lens = (vim.g.muninn_settings or {}).lens or 'lens'
  if lens == 'inlay' and not vim.lsp.inlay_hint then
    warn('this Neovim has no inlay hints; lenses are shown', { 'Use Neovim 0.10 or newer, or the setting lens = "lens"' })
  else
    info('lens: ' .. lens)
  end
end

return M
