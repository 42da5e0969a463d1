-- Written by `muninn install neovim`. The commands of Muninn; `:help muninn-commands` describes them.
local server = require('muninn.server')
local ask, here, root_of, warn = server.ask, server.here, server.root_of, server.warn

local M = {}

-- Wraps long lines at words and hides the marks of Markdown.
local function as_page()
  vim.opt_local.linebreak, vim.opt_local.conceallevel, vim.opt_local.concealcursor = true, 2, 'nc'
end

-- Returns the lines of a Markdown text with the words of each link in place of the link, and for each line its links:
-- first column, column behind, address. Code is left as it is.
local function without_addresses(text)
  local lines, links, fence = {}, {}, nil
  for row, line in ipairs(vim.split(text, '\n')) do
    local mark = line:match('^%s*(```+)') or line:match('^%s*(~~~+)')
    links[row] = {}
    if mark and (not fence or line:match('^%s*' .. fence .. '+%s*$')) then
      fence = not fence and mark or nil
    elseif not fence then
      local told, from = '', 1
      local hidden = line:gsub('\\%]', '\\\1') -- of the same length: no end of a link's words
      for open, words, address, behind in hidden:gmatch('()%[([^%]]*)%]%((%a+:[^%s)]*)%)()') do
        told = told .. line:sub(from, open - 1)
        table.insert(links[row], { #told, #told + #words, address })
        told, from = told .. line:sub(open + 1, open + #words), behind
      end
      line = told .. line:sub(from)
    end
    lines[row] = line
  end
  return lines, links
end

-- Opens an address: a document, lines of a file, or a page of the web. A floating window is left.
local function open(address)
  if vim.api.nvim_win_get_config(0).relative ~= '' then vim.cmd('close') end
  local path, line = address:match('^file://([^#]*)#?L?(%d*)')
  if path then
    vim.cmd('edit ' .. vim.fn.fnameescape(vim.uri_to_fname('file://' .. path)))
    if line ~= '' then pcall(vim.api.nvim_win_set_cursor, 0, { tonumber(line), 0 }) end
  elseif address:match('^muninn:') then
    vim.cmd('edit ' .. vim.fn.fnameescape(address))
  elseif vim.ui.open then
    vim.ui.open(address)
  else
    vim.notify(address)
  end
end

local shown = vim.api.nvim_create_namespace('muninn_links')

-- Marks the links of a document, and maps gf and Enter to follow the one at the cursor, or the only one of the line.
local function mark_links(buffer, links)
  vim.api.nvim_buf_clear_namespace(buffer, shown, 0, -1)
  for row, of_line in ipairs(links) do
    for _, link in ipairs(of_line) do
      vim.api.nvim_buf_set_extmark(buffer, shown, row - 1, link[1], { end_col = link[2], hl_group = 'Underlined' })
    end
  end
  local function follow(key)
    local row, column = (table.unpack or unpack)(vim.api.nvim_win_get_cursor(0))
    local of_line = links[row] or {}
    for _, link in ipairs(of_line) do
      if link[1] <= column and column < link[2] then return open(link[3]) end
    end
    if #of_line == 1 then return open(of_line[1][3]) end
    vim.cmd('normal! ' .. key)
  end
  local enter = vim.api.nvim_replace_termcodes('<CR>', true, false, true)
  for name, key in pairs({ gf = 'gf', ['<CR>'] = enter }) do
    vim.api.nvim_buf_set_keymap(buffer, 'n', name, '', { callback = function() follow(key) end, noremap = true, desc = 'Follow the link' })
  end
end

-- Hides the backslashes that Markdown has before signs, but not those in code.
local function hide_escapes(buffer)
  local fence
  for row, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    if line:match('^%s*```') then fence = not fence end
    local _, code = line:gsub('\\`', ''):gsub('`', '')
    for at in line:gmatch('()\\%p') do
      if not fence and code == 0 then vim.api.nvim_buf_set_extmark(buffer, shown, row - 1, at - 1, { end_col = at, conceal = '' }) end
    end
  end
end

local function set_text(buffer, lines)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
end

-- Sets the text of a read-only page with links.
local function fill(buffer, text)
  local lines, links = without_addresses(text)
  set_text(buffer, lines)
  mark_links(buffer, links)
  hide_escapes(buffer)
end

-- A number with its noun.
local function counted(number, one, many) return ('%d %s'):format(number, number == 1 and one or many) end

local function first_line(text) return vim.trim(text):match('^[^\n]*') end

-- Shows a read-only text in a window: the one that has a text of this name, else a new one.
local function document(name, text)
  local window = vim.fn.bufwinid('^' .. vim.fn.escape(name, '*?[]{}\\,') .. '$')
  if window ~= -1 then
    vim.api.nvim_set_current_win(window)
    return set_text(vim.api.nvim_get_current_buf(), vim.split(text, '\n'))
  end
  vim.cmd('new')
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = 'nofile', 'wipe', false
  vim.bo[buffer].filetype = 'markdown'
  set_text(buffer, vim.split(text, '\n'))
  pcall(vim.api.nvim_buf_set_name, buffer, name)
  as_page()
end

local function listed(title, items, window)
  if window then
    vim.fn.setloclist(0, {}, ' ', { title = title, items = items })
    vim.cmd('lopen')
  else
    vim.fn.setqflist({}, ' ', { title = title, items = items })
    vim.cmd('copen')
  end
end

-- A row of a list that opens a memory. The list shows `head` in place of the address.
local function memory_item(id, head, text)
  return { filename = 'muninn:/memory/' .. id .. '.md', module = head, lnum = 1, text = text }
end

local function type_name(type_) return (type_:gsub('_', ' ')) end

-- What a hit in a file is: the first names that it defines and what encloses them, else its title or first line.
local function name_of(hit)
  local names = vim.list_slice(vim.split(hit.symbol, ' '), 1, 2)
  if hit.kind ~= 'code' or hit.symbol == '' then return hit.title ~= '' and hit.title or first_line(hit.text) end
  return table.concat(names, ' ') .. (hit.title ~= '' and ' in ' .. hit.title or '')
end

-- The first line of a hit in a file that has a word of the question, else its first line.
local function line_of(hit)
  for _, each in ipairs(hit.snippet) do
    if #each.marks > 0 then return each.line end
  end
  return math.max(hit.start_line, 1)
end

local NO_HIT = "nothing was found for '%s'. Use other words, or fewer filters"

-- The hits of an answer, first the memories that answer the question.
local function hits_of(result, root)
  local items, shown = {}, {}
  for _, hit in ipairs(vim.list_extend(vim.list_extend({}, result.remembered), result.hits)) do
    local key = hit.id .. ':' .. hit.path .. ':' .. hit.start_line
    if not shown[key] then
      shown[key] = true
      if hit.kind == 'memory' then
        table.insert(items, memory_item(hit.id, type_name(hit.type), name_of(hit)))
      else
        local file, line = hit.path:sub(1, 1) == '/' and hit.path or root .. '/' .. hit.path, line_of(hit)
        table.insert(items, { filename = file, lnum = line, text = name_of(hit), place = hit.path .. ':' .. line })
      end
    end
  end
  return items
end

-- Calls `done` with the words of a command, or with those that a person types.
local function with_words(given, prompt, done)
  if given.args ~= '' then return done(given.args) end
  vim.ui.input({ prompt = prompt }, function(words)
    if words and words ~= '' then done(words) end
  end)
end

function M.recall(given)
  with_words(given, 'Recall: ', function(words)
    ask('recall', { query = words }, function(result, root)
      local items = hits_of(result, root)
      if #items == 0 then return warn(NO_HIT:format(words)) end
      listed('Muninn: ' .. words, items)
    end)
  end)
end

function M.pick(given)
  with_words(given, 'Recall: ', function(words)
    ask('recall', { query = words }, function(result, root)
      local items = hits_of(result, root)
      if #items == 0 then return warn(NO_HIT:format(words)) end
      local function line(item) return item.place and item.place .. '  ' .. item.text or item.module .. ': ' .. item.text end
      vim.ui.select(items, { prompt = 'Muninn: ' .. words, kind = 'muninn', format_item = line }, function(item)
        if not item then return end
        vim.cmd('edit ' .. vim.fn.fnameescape(item.filename))
        if item.place then pcall(vim.api.nvim_win_set_cursor, 0, { item.lnum, 0 }) end
      end)
    end)
  end)
end

-- Opens a draft in a new window. Saving it stores the text below its frontmatter.
function M.draft(params)
  ask('draft', params, function(result)
    vim.cmd('split ' .. vim.fn.fnameescape(result.path))
    vim.cmd('normal! G')
  end)
end

-- Remembers a text of a type. It cites the lines of a range, and is about the file without one.
function M.remember(given, type_)
  local file = here(root_of(0))
  if given.args == '' then
    local lines = file and given.range > 0
    return M.draft({ type = type_, path = file, start = lines and given.line1 or nil, ['end'] = lines and given.line2 or nil })
  end
  if file and given.range > 0 then file = ('%s:%d-%d'):format(file, given.line1, given.line2) end
  ask('remember', { text = given.args, type = type_, files = { file }, actor = 'user' }, function(result)
    local masked = result.masked > 0 and '; a secret in it was masked' or ''
    vim.notify('Muninn: remembered "' .. first_line(given.args) .. '"' .. masked)
  end)
end

-- The path of this buffer's file; a warning without one.
local function file_here()
  local file = here(root_of(0))
  if file then return file end
  if not root_of(0) then return warn('no folder .muninn around this file. Run `muninn init` in the repository') end
  warn('this buffer is no file of the repository')
end

-- The states of cited code that a list names.
local STATES = { drifted = 'code changed', gone = 'code gone', moved = 'code moved', unchecked = 'not checked' }

function M.this_file()
  local file = file_here()
  if not file then return end
  local buffer = vim.api.nvim_get_current_buf()
  ask('annotate', { file = file }, function(result)
    local items = {}
    for _, note in ipairs(result.notes) do
      local state = STATES[note.state] and ' (' .. STATES[note.state] .. ')' or ''
      table.insert(items, { bufnr = buffer, lnum = math.max(note.start, 1), text = type_name(note.type) .. ': ' .. note.title .. state })
    end
    if #items == 0 then return warn('nothing is remembered about ' .. file) end
    listed('Muninn: ' .. file, items, true)
  end)
end

-- Shows a page in a floating window. Shown again, the window gets the focus.
local function float(text)
  local lines, links = without_addresses(text)
  local buffer, window = vim.lsp.util.open_floating_preview(lines, 'markdown', { focus_id = 'muninn', border = 'rounded' })
  local of_line, row = {}, 0
  for at, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do -- an old Neovim drops fences and blank lines
    local found = row + 1
    while found <= #lines and lines[found] ~= line do found = found + 1 end
    if found <= #lines then row, of_line[at] = found, links[found] end
    of_line[at] = of_line[at] or {}
  end
  mark_links(buffer, of_line)
  hide_escapes(buffer)
  vim.wo[window].linebreak = true
  if vim.api.nvim_win_text_height then -- lines that wrap at words are more than the window was made for
    local room = vim.o.lines - vim.o.cmdheight - 4
    vim.api.nvim_win_set_height(window, math.max(1, math.min(vim.api.nvim_win_text_height(window, {}).all, room)))
  end
end

function M.show()
  local file = file_here()
  if not file then return end
  local line, name = vim.api.nvim_win_get_cursor(0)[1], vim.fn.expand('<cword>')
  ask('about', { file = file, line = line, name = name, links = true }, function(result)
    if result.text == '' then return warn('nothing is remembered about this line') end
    float(result.text)
  end)
end

function M.context(given)
  with_words(given, 'Task: ', function(task)
    ask('context', { query = task, open_files = { here(root_of(0)) } }, function(result)
      document('muninn:/pack/' .. task:gsub('[^%w]+', '-'), result.text)
    end)
  end)
end

function M.sessions()
  ask('sessions', {}, function(result)
    local lines = {}
    for _, one in ipairs(result.sessions) do
      local state = one.state == 'open' and ('open, %d not sealed'):format(one.waiting) or 'sealed'
      local who = one.author ~= '' and one.author or one.agent ~= '' and one.agent or one.actor
      table.insert(lines, ('%s  %s  %s  %s  %s'):format(one.title, state, counted(one.memories, 'memory', 'memories'), one.branch, who))
    end
    document('muninn:/sessions', table.concat(#lines > 0 and lines or { 'No session has remembered anything.' }, '\n'))
  end)
end

-- Writes the open sessions to files, which are committed to share their memories.
function M.seal()
  ask('seal', {}, function(result)
    if result.records == 0 then return warn('there was nothing to seal') end
    vim.notify(('Muninn: sealed %s; commit .muninn to share them'):format(counted(result.records, 'record', 'records')))
  end)
end

local NO_CONFLICT = 'no conflict waits for a decision'

function M.conflicts()
  ask('conflicts', {}, function(result)
    if #result.conflicts == 0 then return warn(NO_CONFLICT) end
    local items = {}
    for number, one in ipairs(result.conflicts) do
      for _, side in ipairs({ 'left', 'right' }) do
        table.insert(items, memory_item(one[side].id, ('conflict %d, %s'):format(number, side), first_line(one[side].text)))
      end
    end
    listed('Muninn: conflicts', items)
  end)
end

-- Decides the conflict that a person chooses.
function M.resolve()
  ask('conflicts', {}, function(result)
    if #result.conflicts == 0 then return warn(NO_CONFLICT) end
    local function sides(one) return first_line(one.left.text) .. '  or: ' .. first_line(one.right.text) end
    vim.ui.select(result.conflicts, { prompt = 'Muninn: the conflict to decide', format_item = sides }, function(one)
      if not one then return end
      local answers = {
        { keep = 'left', text = 'Keep left: ' .. first_line(one.left.text) },
        { keep = 'right', text = 'Keep right: ' .. first_line(one.right.text) },
        { keep = 'both', text = 'Keep both: they do not contradict each other' },
      }
      local function text(answer) return answer.text end
      vim.ui.select(answers, { prompt = 'Muninn: which one holds?', format_item = text }, function(answer)
        if not answer then return end
        ask('resolve', { id = one.id, keep = answer.keep }, function() vim.notify('Muninn: kept ' .. answer.keep) end)
      end)
    end)
  end)
end

function M.status()
  ask('status', {}, function(result)
    local told = ('%s, index %s, %s'):format(counted(result.log.memories, 'memory', 'memories'), result.index.state, result.mode)
    for _, problem in ipairs(result.problems) do told = told .. '\n' .. problem.message .. '. ' .. problem.hint end
    vim.notify('Muninn: ' .. told)
  end)
end

-- Fills a buffer with the present text of its page.
function M.fetch(buffer, uri)
  server.request('workspace/textDocumentContent', { uri = uri }, function(result)
    if vim.api.nvim_buf_is_valid(buffer) then fill(buffer, result.text) end
  end)
end

-- Opens a `muninn:` address in its buffer: from the quickfix list, from links (gf), from :edit.
function M.read(event)
  local buffer, uri = event.buf, server.page_of(event.match) or event.file
  vim.bo[buffer].buftype, vim.bo[buffer].swapfile, vim.bo[buffer].filetype = 'nofile', false, 'markdown'
  if vim.api.nvim_get_current_buf() == buffer then as_page() end
  M.fetch(buffer, uri)
end

-- Shows in the preview window what a lens counts.
function M.preview(given)
  if type(given.uri) ~= 'string' then given = { uri = 'muninn:/notes/' .. given.path .. '.md' } end
  vim.cmd('pedit ' .. vim.fn.fnameescape(given.uri))
end

return M
