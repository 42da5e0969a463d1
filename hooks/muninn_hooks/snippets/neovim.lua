vim.lsp.config('muninn', {
  cmd = function(dispatchers, config)
    return vim.lsp.rpc.start({ 'muninn', 'lsp', '--repo', config.root_dir }, dispatchers)
  end,
  root_markers = { '.muninn' },
  workspace_required = true,
})
vim.lsp.enable('muninn')

-- :Recall WORDS puts what Muninn finds into the quickfix list.
vim.api.nvim_create_user_command('Recall', function(given)
  local client = vim.lsp.get_clients({ name = 'muninn' })[1]
  if not client then return vim.notify('Muninn serves no file that is open', vim.log.levels.WARN) end
  client:request('muninn/recall', { query = given.args }, function(err, result)
    if err then return vim.notify(err.message, vim.log.levels.ERROR) end
    local items = {}
    for _, hit in ipairs(result.hits) do
      local file = hit.path ~= '' and client.root_dir .. '/' .. hit.path or nil
      local text = hit.title ~= '' and hit.title or vim.trim(hit.text):match('^[^\n]*')
      table.insert(items, { filename = file, lnum = math.max(hit.start_line, 1), text = text })
    end
    vim.fn.setqflist({}, ' ', { title = 'Recall: ' .. given.args, items = items })
    vim.cmd('copen')
  end)
end, { nargs = '+' })
