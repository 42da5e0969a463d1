-- Written by `muninn install neovim`. The language server of a repository: one process serves all of its buffers.
local M = {}

local clients = {} -- ids by root: 0.7 would start another one for each buffer

function M.warn(message) vim.notify('Muninn: ' .. message, vim.log.levels.WARN) end

-- The program with its first arguments.
function M.command() return vim.list_extend({}, vim.g.muninn_command or { 'muninn' }) end

-- Whether git keeps a folder as a work tree. The `.git` of a submodule and of a linked work tree is a file.
local function is_work_tree(folder)
  local git = (folder == '/' and '' or folder) .. '/.git'
  return vim.fn.filereadable(git) == 1 or vim.fn.filereadable(git .. '/HEAD') == 1
end

-- The work tree around a buffer's file, or around the working folder, as the program finds it: git's, else the nearest
-- folder with .muninn. nil if it has no .muninn, as a submodule without memory inside a repository with memory.
function M.root_of(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  local folder = name ~= '' and not name:match('^%a+:/') and vim.fn.fnamemodify(name, ':p:h') or vim.fn.getcwd()
  local nearest
  while true do
    local remembers = vim.fn.isdirectory(folder .. '/.muninn') == 1
    if is_work_tree(folder) then return remembers and folder or nil end
    nearest = nearest or (remembers and folder or nil)
    local above = vim.fn.fnamemodify(folder, ':h')
    if above == folder then return nearest end
    folder = above
  end
end

-- The path of the buffer's file in the repository, or nil: lists and terminals have none.
function M.here(root)
  if vim.bo.buftype == 'quickfix' or vim.bo.buftype == 'terminal' or vim.api.nvim_buf_get_name(0) == '' then return end
  local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ':p')
  if root and name:sub(1, #root + 1) == root .. '/' then return name:sub(#root + 2) end
end

-- The server's settings. A Neovim without inlay hints shows lenses instead.
local function settings()
  local wanted = vim.tbl_extend('force', {}, vim.g.muninn_settings or {})
  if wanted.lens == 'inlay' and not vim.lsp.inlay_hint then wanted.lens = 'lens' end
  return wanted
end

local lensed = {} -- buffers whose lenses are requested by this module

-- The capabilities of this Neovim and of this plugin, which reads pages, and requests lenses where Neovim does not.
local function capabilities()
  local wanted = vim.lsp.protocol.make_client_capabilities()
  wanted.workspace.textDocumentContent = { dynamicRegistration = false }
  if not vim.lsp.codelens.enable then wanted.workspace.codeLens = { refreshSupport = true } end
  return wanted
end

local function request_lenses()
  for buffer in pairs(lensed) do
    if vim.api.nvim_buf_is_loaded(buffer) then vim.api.nvim_buf_call(buffer, function() vim.lsp.codelens.refresh() end) end
  end
  return vim.NIL
end

-- Reads an open page again that the server reports as changed.
local function read_again(_, changed)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local uri = M.page_of(vim.api.nvim_buf_get_name(buffer))
    if uri == changed.uri and vim.api.nvim_buf_is_loaded(buffer) then require('muninn.commands').fetch(buffer, uri) end
  end
  return vim.NIL
end

-- Returns the `muninn:` address in the name of a buffer, or nil. Neovim may put a folder before the address.
function M.page_of(name) return name:match('muninn:/.*') end

-- Removes the lenses of a server that has ended, which Neovim would show beside those of the next one. `on_codelens`
-- also ends an open request of the buffer: Neovim sends no other one before.
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

local AGAIN = 10 -- seconds in which a server is started again once

local begun = {} -- when the server of a root was started again last

-- Starts a server again that ended by itself, for the buffers that it served.
local function start_again(root, buffers)
  if os.time() - (begun[root] or 0) < AGAIN then
    return M.warn('the language server ended again; :checkhealth muninn says why, :MuninnStatus starts it')
  end
  begun[root] = os.time()
  for _, buffer in ipairs(buffers) do
    if vim.api.nvim_buf_is_loaded(buffer) then M.attach(buffer) end
  end
end

-- Attaches the server to a buffer of a repository with .muninn.
function M.attach(buffer)
  local root = M.root_of(buffer)
  if not root or vim.bo[buffer].buftype ~= '' then return end
  local command = M.command()
  if vim.fn.executable(command[1]) == 0 then
    return vim.notify_once(('Muninn: there is no program %s; see :checkhealth muninn'):format(command[1]), vim.log.levels.WARN)
  end
  local stopped, buffers = false, {}
  local config = {
    name = 'muninn',
    cmd = vim.list_extend(command, { 'lsp', '--repo', root }),
    root_dir = root,
    init_options = vim.tbl_extend('force', settings(), { virtualDocuments = true }),
    capabilities = capabilities(),
    handlers = {
      ['workspace/textDocumentContent/refresh'] = read_again,
      ['workspace/codeLens/refresh'] = not vim.lsp.codelens.enable and request_lenses or nil,
    },
    on_init = function(client) -- also Neovim stops a server when it ends
      local stop = client.stop
      client.stop = function(...)
        stopped = true
        return stop(...)
      end
    end,
    on_attach = function(_, attached)
      table.insert(buffers, attached)
      lenses(attached)
    end,
    on_exit = function(_, _, id)
      clients[root] = nil
      vim.schedule(function()
        drop_lenses(id)
        if not stopped then start_again(root, buffers) end
      end)
    end,
  }
  if vim.lsp.start then
    clients[root] = vim.lsp.start(config, { bufnr = buffer })
  else -- before 0.8
    clients[root] = clients[root] or vim.lsp.start_client(config)
    if clients[root] then vim.lsp.buf_attach_client(buffer, clients[root]) end
  end
end

-- The client of a repository, once it is ready; nil before.
function M.client_of(root)
  local client = root and clients[root] and vim.lsp.get_client_by_id(clients[root])
  return client and client.initialized and client or nil
end

-- Waits for the client of a repository that is starting. Returns it, or nil.
function M.ready(root)
  if root and clients[root] then vim.wait(10000, function() return not clients[root] or M.client_of(root) ~= nil end, 10) end
  return M.client_of(root)
end

-- Requests a method from the repository's server and hands its result and the root to `done`. An error is shown with its
-- hint. A server that has ended is started again.
function M.request(method, params, done)
  local root = M.root_of(0)
  if root and not clients[root] then M.attach(vim.api.nvim_get_current_buf()) end
  local client = M.ready(root)
  if not root then
    return M.warn('no folder .muninn around this file or the working folder. Run `muninn init` in the repository')
  elseif not client then
    return M.warn('the language server is not ready; :checkhealth muninn says why')
  end
  local function answered(err, result)
    if err then
      local hint = type(err.data) == 'table' and err.data.hint or ''
      return M.warn(err.message .. (hint ~= '' and '. ' .. hint or ''))
    end
    done(result, root)
  end
  local given = next(params) and params or vim.empty_dict()
  if vim.fn.has('nvim-0.11') == 1 then return client:request(method, given, answered) end
  return client.request(method, given, answered)
end

-- Requests a verb, as `request` does.
function M.ask(verb, params, done) return M.request('muninn/' .. verb, params, done) end

return M
