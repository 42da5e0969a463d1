-- Written by `muninn install neovim`. The commands of Muninn; `:help muninn-commands` describes them.
local server = require('muninn.server')
local ask, here, root_of, warn = server.ask, server.here, server.root_of, server.warn

local M = {}

-- Wraps long lines at words and hides what is marked as hidden; the line of the cursor shows it.
local function as_page() vim.opt_local.linebreak, vim.opt_local.conceallevel = true, 2 end

local hidden = vim.api.nvim_create_namespace('muninn_addresses')

-- Sets the text of a read-only document. Marks the addresses of its links as hidden: a Neovim without a parser for
-- Markdown would show them.
local function fill(buffer, text)
  local lines = vim.split(text, '\n')
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
  vim.api.nvim_buf_clear_namespace(buffer, hidden, 0, -1)
  for row, line in ipairs(lines) do
    for open, close, behind in line:gmatch('()%[[^%]]*()%]%(%a+:[^%s)]*%)()') do
      vim.api.nvim_buf_set_extmark(buffer, hidden, row - 1, open - 1, { end_col = open, conceal = '' })
      vim.api.nvim_buf_set_extmark(buffer, hidden, row - 1, close - 1, { end_col = behind - 1, conceal = '' })
    end
  end
end

-- A number with its noun.
local function counted(number, one, many) return ('%d %s'):format(number, number == 1 and one or many) end

local function first_line(text) return vim.trim(text):match('^[^\n]*') end

-- Shows a read-only document in a new window.
local function document(name, text)
  vim.cmd('new')
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = 'nofile', 'wipe', false
  vim.bo[buffer].filetype = 'markdown'
  fill(buffer, text)
  pcall(vim.api.nvim_buf_set_name, buffer, name)
  as_page()
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
local function with_words(given, done)
  if given.args ~= '' then return done(given.args) end
  vim.ui.input({ prompt = 'Recall: ' }, function(words)
    if words and words ~= '' then done(words) end
  end)
end

function M.recall(given)
  with_words(given, function(words)
    ask('recall', { query = words }, function(result, root) listed('Muninn: ' .. words, hits_of(result, root)) end)
  end)
end

function M.pick(given)
  with_words(given, function(words)
    ask('recall', { query = words }, function(result, root)
      local items = hits_of(result, root)
      if #items == 0 then return warn(words .. ': nothing') end
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
  if not file then warn('this buffer is no file of a repository with a folder .muninn') end
  return file
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
    listed('Muninn: ' .. file, items, true)
  end)
end

function M.show()
  local file = file_here()
  if not file then return end
  local line, name = vim.api.nvim_win_get_cursor(0)[1], vim.fn.expand('<cword>')
  ask('about', { file = file, line = line, name = name, links = true }, function(result)
    if result.text == '' then return warn('nothing is remembered about this line') end
    vim.lsp.util.open_floating_preview(vim.split(result.text, '\n'), 'markdown', { focus_id = 'muninn', border = 'rounded' })
  end)
end

function M.context(given)
  ask('context', { query = given.args, open_files = { here(root_of(0)) } }, function(result)
    document('muninn:/pack/' .. given.args:gsub('[^%w]+', '-'), result.text)
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

-- Fills the buffer of a `muninn:` address: from the quickfix list, from links (gf), from :edit.
function M.read(event)
  local buffer, uri = event.buf, event.match:match('muninn:/.*') or event.file
  vim.bo[buffer].buftype, vim.bo[buffer].swapfile, vim.bo[buffer].filetype = 'nofile', false, 'markdown'
  if vim.api.nvim_get_current_buf() == buffer then as_page() end
  ask('document', { uri = uri }, function(result)
    if vim.api.nvim_buf_is_valid(buffer) then fill(buffer, result.text) end
  end)
end

-- Shows in the preview window what a lens counts.
function M.preview(given)
  if type(given.uri) ~= 'string' then given = { uri = 'muninn:/notes/' .. given.path .. '.md' } end
  vim.cmd('pedit ' .. vim.fn.fnameescape(given.uri))
end

return M
