-- Uses the installed plugin by its commands, in a real Neovim on a real repository.
-- The file that is open is src/users.py. Exits non-zero if anything is not as it should be.
local passed, failed = 0, 0
io.stdout:setvbuf('no')

local function check(name, ok, got)
  if ok then passed = passed + 1 else failed = failed + 1 end
  io.stdout:write((ok and 'ok   ' or 'FAIL ') .. name .. '  ' .. vim.inspect(got):gsub('%s+', ' ') .. '\n')
end

local messages = {}
vim.notify = function(message) table.insert(messages, message) end
local function said() return messages[#messages] or '' end
local function until_true(test) return vim.wait(120000, test, 20) end
local function has_message(pattern)
  return until_true(function() return said():find(pattern) ~= nil end)
end
local function lines_of(buffer) return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n') end

-- The client of this Neovim, whatever its age.
local function client()
  local all = vim.lsp.get_clients or vim.lsp.get_active_clients
  return vim.tbl_filter(function(each) return each.name == 'muninn' end, all())[1]
end

local users = vim.api.nvim_get_current_buf()

local function starts()
  local ready = until_true(function() return client() ~= nil and client().initialized end)
  check('the server starts by itself for a file of the repository', ready, ready)
  vim.cmd('edit src/other.py')
  vim.cmd('buffer ' .. users)
  local all = vim.lsp.get_clients or vim.lsp.get_active_clients
  check('one server serves all files', #all() == 1, #all())
end

local function remembers()
  vim.cmd('6,8MuninnDecide Names are never cached.')
  check(':MuninnDecide', has_message('remembered'), said())
  vim.cmd('MuninnRemember Users live in one table.')
  check(':MuninnRemember', until_true(function() return #messages >= 2 and said():find('remembered') ~= nil end), said())
  check('lenses follow the memory', until_true(function() return #vim.lsp.codelens.get(users) == 2 end), vim.lsp.codelens.get(users))
  vim.cmd('MuninnThisFile')
  until_true(function() return #vim.fn.getloclist(0) >= 2 end)
  local places = {}
  for _, item in ipairs(vim.fn.getloclist(0)) do places[item.text] = item.lnum end
  check(':MuninnThisFile', places['decision: Names are never cached'] == 6, places)
  vim.cmd('lclose')
end

local function recalls()
  vim.cmd('MuninnRecall get user name')
  until_true(function() return #vim.fn.getqflist() > 0 end)
  local code, memory
  for _, item in ipairs(vim.fn.getqflist()) do
    local name = vim.fn.bufname(item.bufnr)
    if name:find('src/users.py', 1, true) then code = item end
    if name:find('^muninn:/memory/') then memory = memory or item end
  end
  check(':MuninnRecall lists code', code ~= nil and code.text:find('get_user_name') ~= nil, code)
  check(':MuninnRecall lists memories', memory ~= nil, memory)
  if memory then
    vim.cmd('buffer ' .. memory.bufnr)
    local shown = until_true(function() return lines_of(0):find('Names are never cached') or lines_of(0):find('one table') end)
    check('a memory opens as a document', shown and not vim.bo.modifiable, lines_of(0):sub(1, 60))
    check('a page shows the words of its links only', not lines_of(0):find('](', 1, true), lines_of(0))
    local id = vim.api.nvim_buf_get_name(memory.bufnr):match('[^/]+$'):gsub('%.md$', '')
    require('muninn.server').ask('update', { id = id, tags = { 'reread' } }, function() end)
    local again = until_true(function() return lines_of(memory.bufnr):find('reread', 1, true) end)
    check('an open page follows its memory', again and not vim.bo.modifiable and not vim.bo.modified, lines_of(0))
    vim.fn.search('src/users.py')
    vim.cmd('normal gf')
    local at = { vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1] }
    check('gf on a link opens the cited lines', lines_of(memory.bufnr):find('users.py:6', 1, true) and vim.deep_equal(at, { users, 6 }), at)
  end
  vim.cmd('copen')
  check('a list shows the type of a memory in place of its address', lines_of(0):find('decision|1| Names are never cached', 1, true) ~= nil and not lines_of(0):find('muninn:/', 1, true), lines_of(0))
  vim.cmd('MuninnThisFile')
  check('a list is no file', has_message('no file of the repository'), said())
  vim.cmd('cclose')
  vim.cmd('buffer ' .. users)
end

local function picks()
  local choose, ask = vim.ui.select, vim.ui.input
  local offered
  vim.ui.select = function(items, given, done)
    offered = vim.tbl_map(given.format_item, items)
    done(items[1], 1)
  end
  vim.ui.input = function(_, done) done('are names cached') end
  vim.cmd('MuninnPick')
  local shown = until_true(function() return lines_of(0):find('Names are never cached', 1, true) end)
  vim.ui.select, vim.ui.input = choose, ask
  check(':MuninnPick offers the memory that answers first', offered and offered[1] == 'decision: Names are never cached', offered)
  check(':MuninnPick opens what is chosen', shown and vim.api.nvim_buf_get_name(0):find('muninn:/memory/', 1, true) ~= nil, lines_of(0):sub(1, 60))
  vim.cmd('buffer ' .. users)
end

local function helps()
  vim.cmd('help :MuninnPick')
  check(':help', vim.fn.expand('%:t') == 'muninn.txt' and vim.fn.getline('.'):find('*:MuninnPick*', 1, true) ~= nil, vim.fn.getline('.'))
  vim.cmd('close')
  vim.cmd('checkhealth muninn')
  local report = lines_of(0)
  check(':checkhealth', report:find('the language server runs', 1, true) ~= nil and not report:find('WARN'), report)
  vim.cmd('bwipeout!')
  vim.cmd('buffer ' .. users)
end

local function shows()
  vim.api.nvim_win_set_cursor(0, { 6, 0 })
  vim.cmd('MuninnShow')
  local function floating()
    return vim.tbl_filter(function(w) return vim.api.nvim_win_get_config(w).relative ~= '' end, vim.api.nvim_list_wins())[1]
  end
  until_true(function() return floating() ~= nil end)
  local text = floating() and lines_of(vim.api.nvim_win_get_buf(floating())) or ''
  check(':MuninnShow', text:find('Names are never cached') ~= nil, text:sub(1, 80))
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = users }) -- which closes it

  local found
  until_true(function()
    vim.lsp.codelens.refresh()
    vim.wait(200, function() return #vim.lsp.codelens.get(users) > 0 end, 20)
    found = vim.lsp.codelens.get(users)
    return #found == 2
  end)
  check('lenses', #found == 2, #found)
  vim.api.nvim_win_set_cursor(0, { 6, 0 })
  vim.lsp.codelens.run()
  local function preview()
    return vim.tbl_filter(function(w) return vim.wo[w].previewwindow end, vim.api.nvim_list_wins())[1]
  end
  local function shown() return preview() and lines_of(vim.api.nvim_win_get_buf(preview())) or '' end
  until_true(function() return shown():find('Names are never cached') end)
  check('a lens opens what it counts', shown():find('Names are never cached') ~= nil, shown():sub(1, 80))
  vim.cmd('pclose')
end

local function tells()
  vim.cmd('MuninnContext how are names cached')
  until_true(function() return lines_of(0):find('Names are never cached') ~= nil end)
  check(':MuninnContext', lines_of(0):find('Names are never cached') ~= nil, #lines_of(0))
  local ask, windows = vim.ui.input, #vim.api.nvim_list_wins()
  vim.api.nvim_buf_set_option(0, 'modifiable', true)
  vim.api.nvim_buf_set_lines(0, 0, -1, false, {})
  vim.ui.input = function(_, done) done('how are names cached') end
  vim.cmd('MuninnContext')
  until_true(function() return lines_of(0):find('Names are never cached') ~= nil end)
  vim.ui.input = ask
  check(':MuninnContext asks for a task, and uses the window of the same task', #vim.api.nvim_list_wins() == windows, #vim.api.nvim_list_wins())
  vim.cmd('close')
  vim.cmd('MuninnSessions')
  until_true(function() return lines_of(0):find('not sealed') ~= nil end)
  check(':MuninnSessions', lines_of(0):find('open, 3 not sealed') ~= nil, lines_of(0))
  vim.cmd('close')
  vim.cmd('MuninnStatus')
  check(':MuninnStatus', has_message('2 memories'), said())
  vim.cmd('MuninnSeal')
  check(':MuninnSeal', has_message('sealed 3 records; commit'), said())
  vim.cmd('MuninnConflicts')
  check(':MuninnConflicts', has_message('no conflict waits'), said())
  vim.cmd('MuninnRecall importance:many')
  check('an error says what to do', has_message('importance'), said())
  vim.cmd('cd /')
  vim.cmd('enew')
  vim.cmd('MuninnRecall anything')
  check('elsewhere it says what it needs', has_message('muninn init'), said())
  vim.cmd('cd -')
end

local function writes()
  vim.cmd('buffer ' .. users)
  vim.api.nvim_win_set_cursor(0, { 11, 4 })
  local choose = vim.ui.select
  vim.ui.select = function(items, given, done)
    for at, item in ipairs(items) do
      if given.format_item(item):find('Record a decision', 1, true) then return done(item, at) end
    end
  end
  vim.lsp.buf.code_action()
  local function drafted() return vim.api.nvim_buf_get_name(0):find('/.muninn/local/drafts/', 1, true) ~= nil end
  check('an action opens a draft', until_true(drafted), vim.api.nvim_buf_get_name(0))
  vim.ui.select = choose
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'Removal is final.' })
  vim.cmd('write | close')
  local kept
  until_true(function()
    vim.cmd('MuninnThisFile')
    vim.wait(200, function() return #vim.fn.getloclist(0) > 2 end, 20)
    for _, item in ipairs(vim.fn.getloclist(0)) do kept = kept or item.text == 'decision: Removal is final' and item end
    vim.cmd('lclose')
    return kept
  end)
  check('a saved draft is remembered', kept and kept.lnum == 11, kept)
  vim.cmd('MuninnFailed')
  check('without words a draft is opened', until_true(drafted) and lines_of(0):find('"attempt"') ~= nil, lines_of(0):sub(1, 60))
  vim.cmd('close')
end

local function ends()
  vim.cmd('buffer ' .. users)
  vim.lsp.stop_client(client().id)
  until_true(function() return client() == nil end)
  vim.g.muninn_settings = { lens = 'inlay' }
  vim.cmd('MuninnStatus')
  check('a server that has ended is begun anew', has_message('3 memories') and client() ~= nil, said())
  local shown
  until_true(function()
    if vim.lsp.inlay_hint then
      shown = vim.tbl_map(function(each) return each.inlay_hint.label[1].value end, vim.lsp.inlay_hint.get({ bufnr = users }))
    else -- this one can't show any, and has lenses all the same
      vim.lsp.codelens.refresh()
      shown = vim.tbl_map(function(each) return each.command.title end, vim.lsp.codelens.get(users))
    end
    return #shown == 3
  end)
  check('inlay hints', #shown == 3 and shown[2] == '1 decision', shown)
  vim.g.muninn_settings = nil
end

local function recovers()
  vim.cmd('buffer ' .. users)
  local server, before, pid = require('muninn.server'), client().id, nil
  server.ask('status', {}, function(result) pid = result.pid end)
  until_true(function() return pid ~= nil end)
  vim.loop.kill(pid, 'sigkill')
  local again = until_true(function() return client() ~= nil and client().id ~= before and client().initialized end)
  check('a server that ends by itself is started again', again and vim.lsp.buf_is_attached(users, client().id), client() and client().id)
end

local function resolves()
  vim.cmd('buffer ' .. users)
  local server, stored, offered = require('muninn.server'), 0, {}
  for number, text in ipairs({ 'Users are stored in Redis.', 'Users are not stored in Redis.' }) do
    server.ask('remember', { text = text, type = 'decision' }, function() stored = stored + 1 end)
    until_true(function() return stored == number end)
  end
  local reconciled
  server.ask('reconcile', {}, function() reconciled = true end)
  until_true(function() return reconciled end)
  local choose = vim.ui.select
  vim.ui.select = function(items, given, done)
    table.insert(offered, given.format_item(items[1]))
    done(items[1], 1)
  end
  vim.cmd('MuninnResolve')
  local kept = has_message('kept left')
  vim.ui.select = choose
  local expected = { 'Users are stored in Redis.  or: Users are not stored in Redis.', 'Keep left: Users are stored in Redis.' }
  check(':MuninnResolve', kept and vim.deep_equal(offered, expected), { offered, said() })
end

-- A repository inside this one, as a submodule, has a memory of its own or none.
local function separates()
  local root_of = require('muninn.server').root_of
  local outer = vim.fn.getcwd()
  local inner = outer .. '/vendor'
  vim.fn.mkdir(inner .. '/src', 'p')
  vim.fn.system({ 'git', '-C', inner, 'init', '-q' })
  vim.cmd('edit ' .. inner .. '/src/lib.py')
  local without = root_of(0)
  check('a nested repository without memory is not the outer one', without == nil, without)
  vim.fn.mkdir(inner .. '/.muninn')
  check('with a memory of its own it is the nested one', root_of(0) == inner, root_of(0))
  vim.cmd('bdelete!')
  vim.fn.delete(inner, 'rf')
end

for _, part in ipairs({ starts, remembers, recalls, picks, helps, shows, tells, writes, ends, recovers, resolves, separates }) do
  local ok, why = xpcall(part, debug.traceback)
  if not ok then check('no error', false, why) end
end
local version = vim.version()
io.stdout:write(('Neovim %d.%d.%d: %d passed, %d failed\n'):format(version.major, version.minor, version.patch, passed, failed))
vim.cmd(failed == 0 and 'qall!' or 'cquit')
