-- Muninn for Neovim 0.7 and newer; no plugin manager is needed. Keep it as ~/.config/nvim/plugin/muninn.lua:
--   muninn install neovim --print > ~/.config/nvim/plugin/muninn.lua
-- It starts the language server in repositories with a folder .muninn, shows its lenses, opens its documents, and has
-- :MuninnRecall WORDS          code and knowledge in the quickfix list, memories as documents there
-- :[range]MuninnRemember TEXT  remember something about the lines, or about the file; :MuninnDecide, :MuninnFailed alike.
--                              Without TEXT they open a draft, which is remembered when it is saved
-- :MuninnThisFile              what is remembered about this file, at its lines, in the location list
-- :MuninnContext TASK          a pack of what matters for a task, as a document
-- :MuninnShow                  what is remembered about the line under the cursor, in a window of its own
-- :MuninnSessions, :MuninnConflicts, :MuninnStatus
-- g:muninn_command is the program with its first arguments, { 'muninn' } unless it is set. g:muninn_settings are the
-- server's settings: { lens = 'inlay' } shows hints at the ends of lines in place of lenses (0.10 and newer).
if vim.g.loaded_muninn then return end
vim.g.loaded_muninn = 1

local clients = {} -- ids by root: 0.7 would start another one for each buffer

local function warn(message) vim.notify('Muninn: ' .. message, vim.log.levels.WARN) end

-- The folder with .muninn around a buffer's file, or around the working folder.
local function root_of(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  local from = name ~= '' and not name:match('^%a+:/') and vim.fn.fnamemodify(name, ':p:h') or vim.fn.getcwd()
  local found = vim.fn.finddir('.muninn', vim.fn.escape(from, ' ,;\\') .. ';')
  return found ~= '' and vim.fn.fnamemodify(found, ':p:h:h') or nil
end

-- The server's settings; a Neovim that can't show hints has lenses all the same.
local function settings()
  local wanted = vim.tbl_extend('force', {}, vim.g.muninn_settings or {})
  if wanted.lens == 'inlay' and not vim.lsp.inlay_hint then wanted.lens = 'lens' end
  return wanted
end

local lensed = {} -- the buffers whose lenses are asked for here

-- Drops the lenses of a server that has ended: Neovim would show them beside those of the next one. And it asks for a
-- buffer's lenses once at a time, so that a question which the server took along would be the last one.
local function drop_lenses(id)
  local shown = vim.api.nvim_create_namespace('vim_lsp_codelens:' .. id)
  for buffer in pairs(lensed) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      vim.lsp.codelens.on_codelens(nil, {}, { bufnr = buffer, client_id = id })
      vim.api.nvim_buf_clear_namespace(buffer, shown, 0, -1) -- before 0.8
    end
  end
end

local function lenses(buffer)
  if settings().lens == 'off' then return end
  if settings().lens == 'inlay' then return vim.lsp.inlay_hint.enable(true, { bufnr = buffer }) end
  if vim.lsp.codelens.enable then return vim.lsp.codelens.enable(true, { bufnr = buffer }) end
  lensed[buffer] = true
  local group = vim.api.nvim_create_augroup('muninn_lenses_' .. buffer, {})
  local refresh = function()
    if vim.api.nvim_get_current_buf() == buffer then vim.lsp.codelens.refresh() end
  end
  vim.api.nvim_create_autocmd({ 'BufEnter', 'BufWritePost', 'InsertLeave' }, {
    group = group,
    buffer = buffer,
    callback = refresh,
  })
  refresh()
end

-- Attaches the server to a buffer; one server serves all buffers of a repository.
local function attach(buffer)
  local root = root_of(buffer)
  if not root or vim.bo[buffer].buftype ~= '' then return end
  local command = vim.list_extend({}, vim.g.muninn_command or { 'muninn' })
  local config = {
    name = 'muninn',
    cmd = vim.list_extend(command, { 'lsp', '--repo', root }),
    root_dir = root,
    init_options = vim.tbl_extend('force', settings(), { virtualDocuments = true }),
    on_attach = function(_, attached) lenses(attached) end,
    on_exit = function(_, _, id)
      clients[root] = nil
      vim.schedule(function() drop_lenses(id) end)
    end,
  }
  if vim.lsp.start then
    clients[root] = vim.lsp.start(config, { bufnr = buffer })
  else -- before 0.8
    clients[root] = clients[root] or vim.lsp.start_client(config)
    if clients[root] then vim.lsp.buf_attach_client(buffer, clients[root]) end
  end
end

local function client_of(root)
  local client = clients[root] and vim.lsp.get_client_by_id(clients[root])
  return client and client.initialized and client or nil
end

-- Asks the repository's server for a verb, and hands its result to `done`; an error is shown with what to do about it.
-- A server that has ended is begun anew.
local function ask(verb, params, done)
  local root = root_of(0)
  if root and not clients[root] then attach(vim.api.nvim_get_current_buf()) end
  if root and clients[root] then vim.wait(10000, function() return client_of(root) ~= nil end, 10) end
  local client = root and client_of(root)
  if not client then return warn('no file of a repository with a folder .muninn is open') end
  local function answered(err, result)
    if err then
      local hint = type(err.data) == 'table' and err.data.hint or ''
      return warn(err.message .. (hint ~= '' and '. ' .. hint or ''))
    end
    done(result, root)
  end
  -- An object, also when it is empty.
  local given = next(params) and params or vim.empty_dict()
  if vim.fn.has('nvim-0.11') == 1 then return client:request('muninn/' .. verb, given, answered) end
  return client.request('muninn/' .. verb, given, answered)
end

local function here(root)
  local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ':p')
  if name:sub(1, #root + 1) == root .. '/' then return name:sub(#root + 2) end
end

local function first_line(text) return vim.trim(text):match('^[^\n]*') end

-- A read-only document in a window beside this one, or in the window at hand.
local function document(name, text, command)
  vim.cmd(command or 'new')
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, '\n'))
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = 'nofile', 'wipe', false
  vim.bo[buffer].filetype, vim.bo[buffer].modifiable = 'markdown', false
  pcall(vim.api.nvim_buf_set_name, buffer, name)
end

local function listed(title, items, window)
  if #items == 0 then return warn(title .. ': nothing') end
  if window then
    vim.fn.setloclist(0, {}, ' ', { title = title, items = items })
    vim.cmd('lopen')
  else
    vim.fn.setqflist({}, ' ', { title = title, items = items })
    vim.cmd('copen')
  end
end

local function memory_item(id, text) return { filename = 'muninn:/memory/' .. id .. '.md', lnum = 1, text = text } end

local function recall(given)
  ask('recall', { query = given.args }, function(result, root)
    local items = {}
    for _, hit in ipairs(result.hits) do
      local text = hit.title ~= '' and hit.title or first_line(hit.text)
      if hit.kind == 'memory' then
        table.insert(items, memory_item(hit.id, hit.type .. ': ' .. text))
      else
        local file = hit.path:sub(1, 1) == '/' and hit.path or root .. '/' .. hit.path
        table.insert(items, { filename = file, lnum = math.max(hit.start_line, 1), text = text })
      end
    end
    listed('Muninn: ' .. given.args, items)
  end)
end

-- Opens a draft in a window of its own: what is written below it is remembered when it is saved.
local function draft(params)
  ask('draft', params, function(result)
    vim.cmd('split ' .. vim.fn.fnameescape(result.path))
    vim.cmd('normal! G')
  end)
end

-- Lines are cited when a range was given, else the file.
local function remember(type_)
  return function(given)
    local root = root_of(0)
    local file = root and here(root)
    if given.args == '' then
      local lines = file and given.range > 0
      return draft({ type = type_, path = file, start = lines and given.line1 or nil, ['end'] = lines and given.line2 or nil })
    end
    if file and given.range > 0 then file = ('%s:%d-%d'):format(file, given.line1, given.line2) end
    ask('remember', { text = given.args, type = type_, files = { file }, actor = 'user' }, function(result)
      local masked = result.masked > 0 and '; a secret in it was masked' or ''
      vim.notify('Muninn: remembered ' .. result.ids[1] .. masked)
    end)
  end
end

local function this_file()
  local root = root_of(0)
  local file = root and here(root)
  if not file then return warn('this buffer is no file of a repository with a folder .muninn') end
  local buffer = vim.api.nvim_get_current_buf()
  ask('annotate', { file = file }, function(result)
    local items = {}
    for _, note in ipairs(result.notes) do
      local state = note.state ~= '' and note.state ~= 'fresh' and ' (' .. note.state .. ')' or ''
      table.insert(items, { bufnr = buffer, lnum = math.max(note.start, 1), text = note.type .. ': ' .. note.title .. state })
    end
    listed('Muninn: ' .. file, items, true)
  end)
end

local function show_line()
  local root = root_of(0)
  local file = root and here(root)
  if not file then return warn('this buffer is no file of a repository with a folder .muninn') end
  local line, name = vim.api.nvim_win_get_cursor(0)[1], vim.fn.expand('<cword>')
  ask('about', { file = file, line = line, name = name, links = true }, function(result)
    if result.text == '' then return warn('nothing is remembered about this line') end
    vim.lsp.util.open_floating_preview(vim.split(result.text, '\n'), 'markdown', { focus_id = 'muninn', border = 'rounded' })
  end)
end

local function context(given)
  ask('context', { query = given.args, open_files = { here(root_of(0)) } }, function(result)
    document('muninn:/pack/' .. given.args:gsub('[^%w]+', '-'), result.text)
  end)
end

local function sessions()
  ask('sessions', {}, function(result)
    local lines = {}
    for _, one in ipairs(result.sessions) do
      local state = one.state == 'open' and ('open, %d not sealed'):format(one.waiting) or 'sealed'
      table.insert(lines, ('%s  %s  %d memories  %s'):format(one.title, state, one.memories, one.branch))
    end
    document('muninn:/sessions', table.concat(#lines > 0 and lines or { 'No session has remembered anything.' }, '\n'))
  end)
end

local function conflicts()
  ask('conflicts', {}, function(result)
    local items = {}
    for _, one in ipairs(result.conflicts) do
      table.insert(items, memory_item(one.left.id, one.id .. ' left: ' .. first_line(one.left.text)))
      table.insert(items, memory_item(one.right.id, one.id .. ' right: ' .. first_line(one.right.text)))
    end
    listed('Muninn: conflicts', items)
  end)
end

local function status()
  ask('status', {}, function(result)
    local told = ('%d memories, index %s, %s'):format(result.log.memories, result.index.state, result.mode)
    for _, problem in ipairs(result.problems) do told = told .. '\n' .. problem.message .. '. ' .. problem.hint end
    vim.notify('Muninn: ' .. told)
  end)
end

-- Documents of the server, by their addresses: from the quickfix list, from links (gf), from :edit.
vim.api.nvim_create_autocmd('BufReadCmd', {
  pattern = 'muninn:/*',
  callback = function(event)
    local buffer, uri = event.buf, event.match:match('muninn:/.*') or event.file
    vim.bo[buffer].buftype, vim.bo[buffer].swapfile, vim.bo[buffer].filetype = 'nofile', false, 'markdown'
    ask('document', { uri = uri }, function(result)
      if not vim.api.nvim_buf_is_valid(buffer) then return end
      vim.bo[buffer].modifiable = true
      vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(result.text, '\n'))
      vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
    end)
  end,
})

-- What a lens or a code action carries.
vim.lsp.commands['muninn.write'] = function(command) draft(command.arguments[1]) end
vim.lsp.commands['muninn.show'] = function(command)
  local given = command.arguments[1]
  if type(given.uri) ~= 'string' then given = { uri = 'muninn:/notes/' .. given.path .. '.md' } end
  vim.cmd('pedit ' .. vim.fn.fnameescape(given.uri))
end

vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
  callback = function(event) attach(event.buf) end,
})
if vim.v.vim_did_enter == 1 then attach(vim.api.nvim_get_current_buf()) end

local command = vim.api.nvim_create_user_command
command('MuninnRecall', recall, { nargs = '+' })
command('MuninnRemember', remember('insight'), { nargs = '*', range = true })
command('MuninnDecide', remember('decision'), { nargs = '*', range = true })
command('MuninnFailed', remember('attempt'), { nargs = '*', range = true })
command('MuninnThisFile', this_file, {})
command('MuninnShow', show_line, {})
command('MuninnContext', context, { nargs = '+' })
command('MuninnSessions', sessions, {})
command('MuninnConflicts', conflicts, {})
command('MuninnStatus', status, {})
