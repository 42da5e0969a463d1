;;; muninn.el --- The memory of a repository -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, vc
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Muninn keeps decisions, constraints and findings of a repository in the repository.
;; Install this file, and turn the mode on:
;;   muninn install emacs --print > muninn.el    and    M-x package-install-file RET muninn.el RET
;;   (setq muninn-keymap-prefix "C-c m")         ; or M-x customize-group RET muninn RET
;;   (global-muninn-mode 1)
;;
;;   M-x muninn-recall       code, knowledge and memories; RET or `next-error' goes to a place
;;   M-x muninn-remember     a fact about the region, or about the file
;;   M-x muninn-decide       a decision about the region, or about the file; muninn-failed: a failed attempt
;;   M-x muninn-show         the memories of this line and of the name at point
;;   M-x muninn-this-file    the memories of this file, at their lines
;;   M-x muninn-context      a pack of what a task needs
;;   M-x muninn-sessions     the sessions that wrote to the memory
;;   M-x muninn-resolve      decides a conflict of two memories
;;   M-x muninn-confirm      a memory whose code has changed still holds; it cites the present code then
;;   M-x muninn-forget       archives a memory; muninn-restore takes that back
;;   M-x muninn-seal         writes the open sessions to files, to commit them
;;   M-x muninn-document     a memory by its id, or an address muninn:; RET on a link opens its target
;;
;; In a buffer with `muninn-mode', \[xref-find-definitions] and \[xref-find-references] ask Muninn's index where there
;; is no other backend and no table of tags.  Eglot starts Muninn for text and Markdown; add it for other languages in the same way.

;;; Code:

(require 'cl-lib)
(require 'compile)
(require 'json)
(require 'subr-x)
(require 'url-util)
(require 'xref)

(defvar eglot-server-programs)

(defgroup muninn nil
  "The memory of a repository."
  :group 'tools
  :prefix "muninn-")

(defcustom muninn-program "muninn"
  "The program `muninn', or its whole path."
  :type 'string)

(defcustom muninn-recall-limit 10
  "The most hits of `muninn-recall'."
  :type 'natnum)

(defvar muninn-command-map
  (let ((map (make-sparse-keymap)))
    (define-key map "r" #'muninn-recall)
    (define-key map "a" #'muninn-remember)
    (define-key map "d" #'muninn-decide)
    (define-key map "x" #'muninn-failed)
    (define-key map "s" #'muninn-show)
    (define-key map "f" #'muninn-this-file)
    (define-key map "c" #'muninn-context)
    (define-key map "l" #'muninn-sessions)
    (define-key map "k" #'muninn-resolve)
    (define-key map "o" #'muninn-confirm)
    (define-key map "z" #'muninn-forget)
    (define-key map "u" #'muninn-restore)
    (define-key map "w" #'muninn-seal)
    map)
  "The keys of Muninn's commands, below `muninn-keymap-prefix'.")
(fset 'muninn-command-map muninn-command-map)

(defvar muninn-mode-map (make-sparse-keymap)
  "The keymap of `muninn-mode'.")

(defvar muninn--bound nil
  "The key that is bound to `muninn-command-map'.")

(defun muninn--bind (key)
  "Bind KEY to `muninn-command-map' in place of the former key; nil binds none."
  (unless (equal key muninn--bound)
    (when muninn--bound (define-key muninn-mode-map (kbd muninn--bound) nil))
    (when key (define-key muninn-mode-map (kbd key) 'muninn-command-map))
    (setq muninn--bound key)))

(defun muninn--set-prefix (symbol key)
  "Set SYMBOL to KEY, and bind KEY to the commands in place of the former one."
  (set-default symbol key)
  (muninn--bind key))

(defcustom muninn-keymap-prefix nil
  "The key of `muninn-command-map', such as \"C-c m\"; nil binds none."
  :type '(choice (const :tag "None" nil) string)
  :set #'muninn--set-prefix)

;;;###autoload
(define-minor-mode muninn-mode
  "Keys and cross-references of Muninn in this buffer."
  :lighter " Muninn"
  :keymap muninn-mode-map
  (muninn--bind muninn-keymap-prefix)           ; `setq' may have changed it
  (if muninn-mode
      (add-hook 'xref-backend-functions #'muninn-xref-backend -90 t)
    (remove-hook 'xref-backend-functions #'muninn-xref-backend t)))

(defun muninn--turn-on ()
  "Turn `muninn-mode' on in a file of a repository with a folder .muninn."
  (when (and buffer-file-name (not (file-remote-p buffer-file-name)) (muninn--work-tree buffer-file-name))
    (muninn-mode 1)))

;;;###autoload
(define-globalized-minor-mode global-muninn-mode muninn-mode muninn--turn-on)

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               (cons '(markdown-mode gfm-mode text-mode) (list muninn-program "lsp"))))

(defun muninn--git-p (folder)
  "Whether git keeps FOLDER as a work tree.
The .git of a submodule and of a linked work tree is a file."
  (let ((git (expand-file-name ".git" folder)))
    (or (file-regular-p git) (file-exists-p (expand-file-name "HEAD" git)))))

(defun muninn--work-tree (place)
  "Return the work tree around PLACE, nil if it has no folder .muninn.
As the program finds it: git's, else the nearest folder with .muninn.
A submodule without memory has none, even in a repository with memory."
  (let ((root (or (locate-dominating-file place #'muninn--git-p) (locate-dominating-file place ".muninn"))))
    (and root (file-directory-p (expand-file-name ".muninn" root)) root)))

(defun muninn--root ()
  "Return the work tree around this buffer, or signal an error."
  (let ((root (muninn--work-tree default-directory)))
    (unless root (user-error "Muninn: there is no folder .muninn here; `muninn init' makes it"))
    (file-truename root)))

(defun muninn--file ()
  "Return this buffer's file as the repository names it, or nil."
  (let ((file (and buffer-file-name (file-truename buffer-file-name))) (root (muninn--root)))
    (and file (string-prefix-p root file) (substring file (length root)))))

(defun muninn--run (words root)
  "Run the program with WORDS in ROOT, and insert its output.
Return the last line of its errors."
  (unless (executable-find muninn-program)
    (user-error "Muninn: there is no program `%s'; `uv tool install muninn-memory' installs it, or set `muninn-program'"
                muninn-program))
  (let ((errors (make-temp-file "muninn"))
        (coding-system-for-read 'utf-8) (coding-system-for-write 'utf-8))
    (unwind-protect
        (progn
          (setq default-directory root)
          (apply #'call-process muninn-program nil (list t errors) nil words)
          (with-temp-buffer
            (insert-file-contents errors)
            (car (last (split-string (buffer-string) "\n" t "[ \t\r]+")))))
      (delete-file errors))))

(defun muninn--ask (&rest words)
  "Run the verb WORDS in this repository and return its result; its error is ours."
  (let ((root (muninn--root)))
    (with-temp-buffer
      (let* ((told (muninn--run (append words (list "--repo" root "--json")) root))
             (result (condition-case nil
                         (progn
                           (goto-char (point-min))
                           (json-parse-buffer :object-type 'plist :array-type 'list :null-object nil :false-object nil))
                       (json-error (user-error "Muninn: `%s %s' failed: %s" muninn-program (car words)
                                               (or told "it printed no answer")))))
             (problem (plist-get result :error)))
        (when problem
          (user-error "Muninn: %s. %s" (plist-get problem :message)
                      (or (plist-get (plist-get problem :data) :hint) "")))
        result))))

(defun muninn--list (title lines)
  "Show LINES, each a place and its words, so that `next-error' visits them.
RET on the words of a memory opens the memory."
  (let ((root (muninn--root)))
    (pop-to-buffer (get-buffer-create (format "*Muninn: %s*" title)))
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert (mapconcat #'identity lines "\n") "\n")
      (grep-mode)
      (muninn--take-keys)
      (set-buffer-modified-p nil)
      (setq default-directory root next-error-last-buffer (current-buffer))
      (goto-char (point-min)))))

(defun muninn--take-keys ()
  "Turn `muninn-mode' on in a buffer of results, if files have it."
  (when (bound-and-true-p global-muninn-mode) (muninn-mode 1)))

(defun muninn--memory (id type words)
  "Return TYPE and WORDS of the memory ID as a button that opens it.
A decision record has no ID and gets no button."
  (let ((told (concat (muninn--type-name type) ": " words)))
    (if (string= id "") told
      (make-text-button told nil 'action (lambda (_) (muninn-document id)) 'help-echo "RET opens the memory"))))

(defun muninn--first-line (text)
  "Return the first line of TEXT that says something."
  (car (split-string (string-trim text) "\n")))

(defun muninn--place (path line words)
  "Return a line that leads to LINE of PATH, with WORDS behind it."
  (concat (format "%s:%d: " path (max line 1)) words))

(defun muninn--hit-name (hit)
  "Return what HIT defines and what encloses it, else its title or first line."
  (let* ((title (plist-get hit :title))
         (names (split-string (plist-get hit :symbol) " " t)))
    (cond ((and names (string= (plist-get hit :kind) "code"))
           (concat (string-join (seq-take names 2) " ") (if (string= title "") "" (concat " in " title))))
          ((string= title "") (muninn--first-line (plist-get hit :text)))
          (t title))))

(defun muninn--type-name (type)
  "Return the words of TYPE."
  (string-replace "_" " " type))

(defun muninn--hit-line (hit)
  "Return the line of HIT: its place, if it has one, and its words."
  (let* ((words (muninn--hit-name hit))
         (memory (string= (plist-get hit :kind) "memory"))
         (told (if memory (muninn--memory (plist-get hit :id) (plist-get hit :type) words) words))
         (found (unless memory (seq-find (lambda (line) (plist-get line :marks)) (plist-get hit :snippet)))))
    (if (string= (plist-get hit :path) "")
        told
      (muninn--place (plist-get hit :path) (or (plist-get found :line) (plist-get hit :start_line)) told))))

;;;###autoload
(defun muninn-recall (query)
  "List what the repository knows for QUERY, the memories that answer it first."
  (interactive "sRecall: ")
  (let* ((answer (muninn--ask "recall" query "--limit" (number-to-string muninn-recall-limit)))
         (hits (append (plist-get answer :remembered) (plist-get answer :hits))))
    (if hits (muninn--list query (delete-dups (mapcar #'muninn--hit-line hits)))
      (message "Muninn: nothing was found for '%s'.  Use other words, or fewer filters" query))))

(defun muninn--lines (beginning end)
  "Return the lines from BEGINNING to END, as the file on disk has them.
Narrowing does not change their numbers.  A buffer that is not saved
is saved first, if the person agrees."
  (when (buffer-modified-p)
    (if (y-or-n-p "Save the file first?  Its lines are cited as they are on disk ") (save-buffer)
      (user-error "Muninn: not remembered; save the file first")))
  (format "%d-%d" (line-number-at-pos beginning t) (line-number-at-pos (max beginning (1- end)) t)))

;;;###autoload
(defun muninn-remember (text &optional type)
  "Remember TEXT, of TYPE, about the region or the file."
  (interactive "sRemember: ")
  (let* ((file (muninn--file))
         (place (cond ((string-blank-p text) (user-error "Muninn: the text is empty; write what to remember"))
                      ((and file (use-region-p))
                       (concat file ":" (muninn--lines (region-beginning) (region-end))))
                      (t file)))
         (stored (apply #'muninn--ask "remember" text "--type" (or type "insight")
                        (and place (list "--file" place)))))
    (message "Muninn: remembered \"%s\"" (muninn--first-line text))
    stored))

;;;###autoload
(defun muninn-decide (text)
  "Record the decision TEXT about the region or the file."
  (interactive "sDecision: ")
  (muninn-remember text "decision"))

;;;###autoload
(defun muninn-failed (text)
  "Record the attempt TEXT, which failed, about the region or the file."
  (interactive "sWhat was tried, and why it failed: ")
  (muninn-remember text "attempt"))

(defconst muninn--states
  '(("drifted" . "code changed") ("gone" . "code gone") ("moved" . "code moved") ("unchecked" . "not checked"))
  "The states of cited code that a list names.")

;;;###autoload
(defun muninn-this-file ()
  "List what is remembered about this file, at its lines."
  (interactive)
  (let* ((file (or (muninn--file) (user-error "Muninn: this buffer is no file of the repository")))
         (notes (plist-get (muninn--ask "annotate" file) :notes)))
    (if notes (muninn--list file (mapcar (lambda (note) (muninn--note-line file note)) notes))
      (message "Muninn: nothing is remembered about %s" file))))

(defun muninn--note-title (note)
  "Return the title of NOTE, and the state of its code unless nothing changed."
  (let ((state (cdr (assoc (plist-get note :state) muninn--states))))
    (concat (plist-get note :title) (and state (format " (%s)" state)))))

(defun muninn--note-line (file note)
  "Return the line of NOTE, a memory about FILE."
  (muninn--place file (plist-get note :start)
                 (muninn--memory (plist-get note :id) (plist-get note :type) (muninn--note-title note))))

(defvar muninn-view-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map (make-composed-keymap button-buffer-map special-mode-map))
    map)
  "The keymap of `muninn-view-mode'.")

(define-derived-mode muninn-view-mode special-mode "Muninn"
  "A rendered document of Muninn.  TAB goes to the next link, RET opens it."
  (visual-line-mode 1))

(defun muninn--mark-code ()
  "Give the lines between fences a property: they are shown as they are."
  (goto-char (point-min))
  (while (re-search-forward "^ *\\(```+\\|~~~+\\).*$" nil t)
    (let* ((start (match-beginning 0))
           (close (concat "^ *" (match-string 1) "+ *$"))
           (end (if (re-search-forward close nil t) (point) (point-max))))
      (goto-char end)
      (add-text-properties start end '(muninn-code t))
      (add-face-text-property start end 'fixed-pitch))))

(defun muninn--next (pattern)
  "Go behind the next match of PATTERN outside of code, and return its end, or nil."
  (let (found)
    (while (and (setq found (re-search-forward pattern nil t))
                (get-text-property (match-beginning 0) 'muninn-code)))
    found))

(defun muninn--restyle (pattern face)
  "Replace each match of PATTERN outside of code by its first group, in FACE."
  (goto-char (point-min))
  (while (muninn--next pattern)
    (let ((words (match-string 1)) (start (match-beginning 0)))
      (replace-match words t t)
      (add-face-text-property start (point) face))))

(defun muninn--follow (address)
  "Open ADDRESS: a document, a place in a file, or a page of the web."
  (cond ((string-prefix-p "muninn:" address) (muninn-document address))
        ((string-match "\\`file://\\([^#]*\\)\\(?:#L?\\([0-9]+\\)\\)?" address)
         (let ((line (match-string 2 address)))
           (find-file-other-window (url-unhex-string (match-string 1 address)))
           (when line
             (goto-char (point-min))
             (forward-line (1- (string-to-number line))))))
        (t (browse-url address))))

(defun muninn--render ()
  "Render the Markdown of this buffer: headings, emphasis, code, links."
  (muninn--mark-code)
  (goto-char (point-min))
  (while (muninn--next "\\[\\([^]\n]+\\)\\](\\([a-z]+:[^)\n]+\\))")
    (let ((words (match-string 1)) (address (match-string-no-properties 2)))
      (replace-match "")
      (insert-text-button words 'action (lambda (_) (muninn--follow address)) 'help-echo address)))
  (muninn--restyle "^# +\\(.*\\)$" '(:inherit bold :height 1.2))
  (muninn--restyle "^##+ +\\(.*\\)$" 'bold)
  (muninn--restyle "\\*\\*\\([^*\n]+\\)\\*\\*" 'bold)
  (muninn--restyle "\\*\\([^* \n][^*\n]*\\)\\*" 'italic)
  (muninn--restyle "`\\([^`\n]+\\)`" 'fixed-pitch)
  (muninn--restyle "</?\\(?:details\\|summary\\)>\\(\\)" 'default)
  (muninn--restyle "\\\\\\([][_*`<>#.()+-]\\)" 'default)
  (muninn--restyle "[ \t]+\\(\\)$" 'default))

(defun muninn--document (title text)
  "Show TEXT, which is Markdown, in a buffer named after TITLE."
  (let ((root (muninn--root)))
    (pop-to-buffer (get-buffer-create (format "*Muninn: %s*" title)))
    (muninn-view-mode)
    (muninn--take-keys)
    (setq default-directory root))              ; a page of this title may have been another repository's
  (let ((inhibit-read-only t))
    (erase-buffer)
    (insert text)
    (muninn--render))
  (set-buffer-modified-p nil)
  (goto-char (point-min)))

(defvar-local muninn--id nil
  "The id of the memory that this page shows.")

;;;###autoload
(defun muninn-document (address)
  "Show the document at ADDRESS, an address muninn: or the id of a memory."
  (interactive "sMemory or address: ")
  (let* ((uri (if (string-prefix-p "muninn:" address) address (format "muninn:/memory/%s.md" address)))
         (page (muninn--ask "document" uri)))
    (muninn--document (plist-get page :title) (plist-get page :text))
    (when (string-match "\\`muninn:/memory/\\([0-9a-z]+\\)" (plist-get page :uri))
      (setq muninn--id (match-string 1 (plist-get page :uri))))))

(defun muninn--memory-here ()
  "Return the id of the memory of this page, else of one about this file."
  (or muninn--id
      (let* ((file (or (muninn--file) (user-error "Muninn: this buffer is neither a page of a memory nor a file")))
             (notes (seq-remove (lambda (note) (string= (plist-get note :id) ""))
                                (plist-get (muninn--ask "annotate" file) :notes))))
        (unless notes (user-error "Muninn: nothing is remembered about %s" file))
        (muninn--choose "Memory: " (mapcar (lambda (note) (cons (muninn--note-title note) (plist-get note :id))) notes)))))

(defun muninn--changed (words id result)
  "Say in WORDS what happened to the memory ID, which RESULT has.
Its page is shown anew."
  (when (equal muninn--id id) (muninn-document id))
  (message "Muninn: %s: %s" words (plist-get (plist-get result :memory) :title)))

;;;###autoload
(defun muninn-confirm (id)
  "Confirm the memory ID: it still holds, and cites the present code from now on."
  (interactive (list (muninn--memory-here)))
  (muninn--changed "confirmed" id (muninn--ask "confirm" id)))

;;;###autoload
(defun muninn-forget (id)
  "Forget the memory ID.
It stays in the history, and `muninn-restore' takes that back."
  (interactive (list (muninn--memory-here)))
  (let ((title (plist-get (plist-get (muninn--ask "show" id) :memory) :title)))
    (when (y-or-n-p (format "Forget \"%s\"? " title))
      (muninn--changed (format "forgotten; M-x muninn-restore RET %s RET restores it" id) id (muninn--ask "forget" id)))))

;;;###autoload
(defun muninn-restore (id)
  "Restore the memory ID, which was forgotten."
  (interactive (list (or muninn--id (read-string "Id of the memory: "))))
  (muninn--changed "restored" id (muninn--ask "restore" id)))

;;;###autoload
(defun muninn-seal ()
  "Write the open sessions to files; commit them to share their memories."
  (interactive)
  (let ((records (plist-get (muninn--ask "seal") :records)))
    (message (if (zerop records) "Muninn: there was nothing to seal"
               "Muninn: sealed %d %s; commit .muninn to share them")
             records (if (= records 1) "record" "records"))))

;;;###autoload
(defun muninn-show ()
  "Show what is remembered about this line and the name at point."
  (interactive)
  (let* ((file (or (muninn--file) (user-error "Muninn: this buffer is no file of the repository")))
         (line (number-to-string (line-number-at-pos nil t)))
         (name (or (thing-at-point 'symbol t) ""))
         (told (plist-get (muninn--ask "about" file "--line" line "--name" name "--link") :text)))
    (if (string= told "")
        (message "Muninn: nothing is remembered about this line")
      (muninn--document (concat file ":" line) told))))

;;;###autoload
(defun muninn-context (task)
  "Gather what matters for TASK."
  (interactive "sTask: ")
  (muninn--document task (plist-get (muninn--ask "context" task) :text)))

;;;###autoload
(defun muninn-sessions ()
  "List the sessions that wrote to the memory."
  (interactive)
  (let ((sessions (plist-get (muninn--ask "sessions") :sessions)))
    (muninn--document "sessions" (if sessions (mapconcat #'muninn--session-line sessions "\n")
                                   "No session has remembered anything."))))

(defun muninn--session-line (one)
  "Return the line of the session ONE."
  (let ((names (list (plist-get one :author) (plist-get one :agent) (plist-get one :actor))))
    (format "%s  %s  %d %s  %s  %s" (plist-get one :title)
            (if (string= (plist-get one :state) "open") (format "open, %d not sealed" (plist-get one :waiting)) "sealed")
            (plist-get one :memories) (if (= 1 (plist-get one :memories)) "memory" "memories")
            (plist-get one :branch) (seq-find (lambda (name) (not (string= name ""))) names ""))))

(defun muninn--side (conflict side)
  "Return the first line of SIDE of CONFLICT, :left or :right."
  (muninn--first-line (plist-get (plist-get conflict side) :text)))

(defun muninn--choose (prompt choices)
  "Return the value of the one of CHOICES, an alist, that a person chooses.
The only choice is not asked for."
  (if (cdr choices)
      (or (cdr (assoc (completing-read prompt choices nil t) choices)) (user-error "Muninn: nothing was chosen"))
    (cdar choices)))

;;;###autoload
(defun muninn-resolve ()
  "Decide a conflict: keep one of its memories, or both."
  (interactive)
  (let* ((conflicts (or (plist-get (muninn--ask "conflicts") :conflicts)
                        (user-error "Muninn: no conflict waits for a decision")))
         (sides (lambda (one) (cons (format "%s  or: %s" (muninn--side one :left) (muninn--side one :right)) one)))
         (one (muninn--choose "Conflict to decide: " (mapcar sides conflicts)))
         (keep (muninn--choose "Which one holds? "
                               (list (cons (concat "left: " (muninn--side one :left)) "left")
                                     (cons (concat "right: " (muninn--side one :right)) "right")
                                     (cons "both: they do not contradict each other" "both")))))
    (muninn--ask "resolve" (plist-get one :id) "--keep" keep)
    (message "Muninn: kept %s" keep)))

(defvar tags-file-name)
(defvar tags-table-list)

(defun muninn--other-backend (function)
  "Return the backend of FUNCTION, but not Muninn's, nor etags without tags."
  (unless (or (eq function #'muninn-xref-backend)
              (and (eq function #'etags--xref-backend)
                   (not (or (bound-and-true-p tags-file-name) (bound-and-true-p tags-table-list)))))
    (funcall function)))

(defun muninn-xref-backend ()
  "Return the backend of cross-references: another one, else Muninn's.
It is first in `xref-backend-functions': etags is there in every buffer."
  (and (muninn--work-tree default-directory)
       (or (run-hook-wrapped 'xref-backend-functions #'muninn--other-backend) 'muninn)))

(cl-defmethod xref-backend-identifier-at-point ((_backend (eql 'muninn)))
  "Return the name at point."
  (thing-at-point 'symbol t))

(cl-defmethod xref-backend-identifier-completion-table ((_backend (eql 'muninn)))
  "Return no names: the index has too many."
  nil)

(defun muninn--xref (root path line words)
  "Return the cross-reference to LINE of PATH below ROOT, summarised by WORDS."
  (xref-make words (xref-make-file-location (expand-file-name path root) (max line 1) 0)))

(defun muninn--definitions (name exact)
  "Return the definitions for NAME; with EXACT only those of that name."
  (let ((root (muninn--root)) found)
    (dolist (one (plist-get (muninn--ask "symbols" name) :symbols) (nreverse found))
      (when (or (not exact) (string= (plist-get one :name) name))
        (push (muninn--xref root (plist-get one :path) (plist-get one :start_line)
                            (if (string= (plist-get one :signature) "") (plist-get one :name) (plist-get one :signature)))
              found)))))

(cl-defmethod xref-backend-definitions ((_backend (eql 'muninn)) identifier)
  "Return the definitions of IDENTIFIER."
  (muninn--definitions identifier t))

(cl-defmethod xref-backend-apropos ((_backend (eql 'muninn)) pattern)
  "Return the definitions whose name is like PATTERN."
  (muninn--definitions pattern nil))

(cl-defmethod xref-backend-references ((_backend (eql 'muninn)) identifier)
  "Return the places that call IDENTIFIER."
  (let ((root (muninn--root)))
    (mapcar (lambda (edge)
              (muninn--xref root (plist-get edge :at_path) (plist-get edge :at_line) (plist-get edge :name)))
            (plist-get (muninn--ask "graph" identifier "callers") :edges))))

(provide 'muninn)
;;; muninn.el ends here
