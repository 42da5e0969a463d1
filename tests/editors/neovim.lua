-- Uses Muninn from a real Neovim (0.7 or newer) as a person's configuration would, and exits non-zero if an answer is
-- wrong. MUNINN is the program, ROOT the repository; the file that is open is src/users.py in it.
local root = os.getenv('ROOT')
local passed, failed = 0, 0
local PATIENCE = 120000 -- milliseconds for a state that must come

local function say(line)
  io.stdout:write(line .. '\n')
end

local function check(name, ok, got)
  if ok then passed = passed + 1 else failed = failed + 1 end
  say((ok and 'ok   ' or 'FAIL ') .. name .. '  ' .. vim.inspect(got):gsub('%s+', ' '))
end

local attached = {} -- clients by buffer: 0.7 would start another one each time

-- Attach the server to the current buffer and wait until it is ready.
local function attach()
  local buffer = vim.api.nvim_get_current_buf()
  if attached[buffer] then return buffer, attached[buffer] end
  local config = { name = 'muninn', cmd = { os.getenv('MUNINN'), 'lsp', '--repo', root }, root_dir = root }
  local id
  if vim.lsp.start then -- 0.8 and newer
    id = vim.lsp.start(config)
  else
    id = vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(buffer, id)
  end
  local ready = vim.wait(PATIENCE, function()
    local client = vim.lsp.get_client_by_id(id)
    return client ~= nil and client.initialized and vim.lsp.buf_is_attached(buffer, id)
  end, 20)
  if not ready then error('the server did not start') end
  attached[buffer] = id
  return buffer, id
end

local function asker(buffer, id)
  return function(method, params)
    local answers, why = vim.lsp.buf_request_sync(buffer, method, params, PATIENCE)
    local answer = answers and answers[id] or { err = why or 'no answer' }
    local problem = answer.err or answer.error
    if problem then error(method .. ': ' .. vim.inspect(problem)) end
    return answer.result
  end
end

local function on_code()
  local buffer, id = attach()
  local ask = asker(buffer, id)
  local document = { uri = vim.uri_from_bufnr(buffer) }
  local text = 'Names come from the directory service, never from the form.'
  local stored = ask('workspace/executeCommand', {
    command = 'muninn.remember',
    arguments = { { text = text, files = { 'src/users.py' }, details = { class = 'A', from = 'here' } } },
  })
  check('remember', #stored.ids == 1, stored.ids)

  local found = ask('workspace/executeCommand', {
    command = 'muninn.recall',
    arguments = { { query = 'where do names come from', kind = 'memory' } },
  })
  check('recall', found.hits[1].text == text, #found.hits)

  local came = {}
  vim.lsp.handlers['muninn/event'] = function(_, params) came[#came + 1] = params end
  local subscribed = ask('muninn/subscribe', { topic = 'journal', event_type = 'deploy' })
  ask('muninn/event.append', { event_type = 'step', payload = { number = 1 } })
  ask('muninn/event.append', { event_type = 'deploy', payload = { number = 2 } })
  vim.wait(PATIENCE, function() return #came > 0 end, 20)
  local event = came[1] and came[1].data.event or { payload = {} }
  check('events', came[1] and came[1].subscription == subscribed.subscription and event.payload.number == 2, came)
  ask('muninn/unsubscribe', { subscription = subscribed.subscription })

  local listed = ask('muninn/memories', { id = stored.ids[1] })
  check('details', vim.deep_equal(listed.memories[1].details, { class = 'A', from = 'here' }), listed.memories[1].details)

  local hover = ask('textDocument/hover', { textDocument = document, position = { line = 0, character = 0 } })
  check('hover', hover.contents.value:find(text:sub(1, -2), 1, true) ~= nil, hover.contents.value)
end

-- What stands beside the code: lenses, doubts of text that is not saved, and actions that settle them.
local function beside_code()
  local buffer, id = attach()
  local ask = asker(buffer, id)
  local document = { uri = vim.uri_from_bufnr(buffer) }
  ask('workspace/executeCommand', {
    command = 'muninn.remember',
    arguments = { { text = 'Names are never cached.', type = 'decision', files = { 'src/users.py:6-8' } } },
  })
  local lenses = ask('textDocument/codeLens', { textDocument = document })
  check('lenses', lenses[2].command.title == '1 decision' and lenses[2].range.start.line == 5, #lenses)

  vim.api.nvim_buf_set_lines(buffer, 7, 7, false, { '    # 😀 Names are cached.' })
  local function doubts() return vim.diagnostic.get(buffer) end
  vim.wait(PATIENCE, function() return #doubts() > 0 end, 20)
  local doubt = doubts()[1] or {}
  check('doubts', doubt.lnum == 7 and doubt.severity == vim.diagnostic.severity.WARN, doubt.message)
  local line = vim.api.nvim_buf_get_lines(buffer, 7, 8, false)[1]
  check('columns of doubts', doubt.col == 4 and doubt.end_col == #line, { doubt.col, doubt.end_col })

  local at = { start = { line = 7, character = 0 }, ['end'] = { line = 7, character = 0 } }
  local params = { textDocument = document, range = at, context = { diagnostics = {}, only = { 'quickfix' } } }
  local actions = ask('textDocument/codeAction', params)
  local confirm = actions[1]
  check('actions', confirm and confirm.title:find('^Confirm') ~= nil, confirm and confirm.title)
  ask('workspace/executeCommand', { command = confirm.command.command, arguments = confirm.command.arguments })
  local after = ask('textDocument/codeLens', { textDocument = document })
  check('confirmed', not after[1].command.title:find('stale'), after[1].command.title)
  vim.cmd('edit!')
end

local function on_knowledge()
  vim.cmd('edit ' .. root .. '/.muninn/knowledge/names.md')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '---', '{title: "ä😀", confidence: maybe}', '---' })
  local buffer = attach()
  local function diagnostics() return vim.diagnostic.get(buffer) end
  vim.wait(PATIENCE, function() return #diagnostics() > 0 end, 20)
  local first = diagnostics()[1] or {}
  check('diagnostics', (first.message or ''):find('confidence', 1, true) ~= nil, first.message)
  -- Neovim counts bytes, whatever encoding it agreed on with the server.
  local line = vim.api.nvim_buf_get_lines(buffer, 1, 2, false)[1]
  check('column', first.col == line:find('maybe', 1, true) - 1, first.col)
  local at = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = 1, character = 0 } }
  vim.api.nvim_buf_set_lines(buffer, 1, 2, false, { 'confidence: ' })
  at.position.character = 12
  local found = asker(buffer, attached[buffer])('textDocument/completion', at)
  local names = vim.tbl_map(function(item) return item.label end, found.items or found)
  check('completion', vim.tbl_contains(names, 'high'), names)
  vim.api.nvim_buf_set_lines(buffer, 1, 2, false, { 'confidence: high' })
  vim.wait(PATIENCE, function() return #diagnostics() == 0 end, 20)
  check('diagnostics after an edit', #diagnostics() == 0, #diagnostics())
end

local function on_context()
  vim.cmd('edit ' .. root .. '/.muninn/context/task.md')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '# The task', '', 'Begin with @src/users.py#get_user_name.' })
  local buffer, id = attach()
  local ask = asker(buffer, id)
  local document = { uri = vim.uri_from_bufnr(buffer) }
  local at = { textDocument = document, position = { line = 2, character = 14 } }
  local place = ask('textDocument/definition', at)
  check('definition', place.uri == vim.uri_from_fname(root .. '/src/users.py') and place.range.start.line == 5, place)
  local referrers = ask('textDocument/references', vim.tbl_extend('force', { context = { includeDeclaration = false } }, at))
  check('references', referrers[1].uri == document.uri, referrers)
  local outline = ask('textDocument/documentSymbol', { textDocument = document })
  check('outline', outline[1].name == 'The task', outline)
  local colours = ask('textDocument/semanticTokens/full', { textDocument = document })
  check('colours', colours.data[1] == 2 and colours.data[2] == 11, colours.data)
  local found = ask('workspace/symbol', { query = 'directory service' })
  check('workspace symbols', found[1].name:find('directory service', 1, true) ~= nil, found)
  local lenses = ask('textDocument/codeLens', { textDocument = document })
  check('a lens above a context file', lenses[1].command.title:find('tokens') ~= nil, lenses)
  vim.cmd('edit!')
end

for _, part in ipairs({ on_code, beside_code, on_knowledge, on_context }) do
  local ok, why = xpcall(part, debug.traceback)
  if not ok then
    failed = failed + 1
    say('FAIL ' .. why)
  end
end
local version = vim.version()
say(('Neovim %d.%d.%d: %d passed, %d failed'):format(version.major, version.minor, version.patch, passed, failed))
vim.cmd(failed == 0 and 'qall!' or 'cquit')
