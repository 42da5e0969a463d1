;;; muninn.el --- Muninn through Eglot  -*- lexical-binding: t -*-
;; For Emacs 28 with the package eglot, and 29 and newer as they are. Load it from your init file:
;;   muninn install emacs --print > ~/.emacs.d/muninn.el    and    (load "~/.emacs.d/muninn")
;; Eglot talks to one server a buffer.  Muninn serves text and Markdown from here on, with M-x eglot; where you have no
;; server for a language, give it Muninn in the same way.  The commands below work in every buffer of a repository:
;;   M-x muninn-recall       code, knowledge and memories; RET or next-error goes to a place
;;   M-x muninn-remember     a fact about the region, or about the file
;;   M-x muninn-decide       a decision about the region, or about the file; muninn-failed what was tried in vain
;;   M-x muninn-show         what is remembered about this line and the name at point
;;   M-x muninn-this-file    what is remembered about this file, at its lines
;;   M-x muninn-context      a pack of what matters for a task
;;   M-x muninn-sessions     who remembered what when
;;   M-x muninn-document     a memory by its id, or any address muninn:, to read; RET on a link does the same
;; `muninn-program' is the program, "muninn" unless it is set.

(require 'compile)
(require 'json)

(defvar muninn-program "muninn" "The program `muninn', or its whole path.")

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               (cons '(markdown-mode gfm-mode text-mode) (list muninn-program "lsp"))))

(defun muninn--root ()
  "Return the folder with .muninn around this buffer; an error says when there is none."
  (let ((root (locate-dominating-file default-directory ".muninn")))
    (unless root (user-error "Muninn: there is no folder .muninn here; `muninn init' makes it"))
    (file-truename root)))

(defun muninn--file ()
  "Return this buffer's file as the repository names it, or nil."
  (let ((file (and buffer-file-name (file-truename buffer-file-name))) (root (muninn--root)))
    (and file (string-prefix-p root file) (substring file (length root)))))

(defun muninn--ask (&rest words)
  "Run the verb WORDS in this repository and return its result; its error is ours."
  (let ((root (muninn--root)))
    (with-temp-buffer
      (setq default-directory root)
      (apply #'call-process muninn-program nil '(t nil) nil (append words (list "--repo" root "--json")))
      (goto-char (point-min))
      (let* ((result (condition-case nil
                         (json-parse-buffer :object-type 'plist :array-type 'list :null-object nil :false-object nil)
                       (json-error (user-error "Muninn: `%s' did not answer" muninn-program))))
             (problem (plist-get result :error)))
        (when problem
          (user-error "Muninn: %s. %s" (plist-get problem :message)
                      (or (plist-get (plist-get problem :data) :hint) "")))
        result))))

(defun muninn--list (title lines)
  "Show LINES, each a place and its words, so that `next-error' visits them."
  (let ((root (muninn--root)))
    (pop-to-buffer (get-buffer-create (format "*Muninn: %s*" title)))
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert (if lines (mapconcat #'identity lines "\n") "Nothing.") "\n")
      (grep-mode)
      (setq default-directory root next-error-last-buffer (current-buffer))
      (muninn--link "(\\([0-9a-z]\\{26\\}\\))$" 1 1)
      (goto-char (point-min)))))

(defun muninn--link (pattern words address)
  "Let the group WORDS of each match of PATTERN open the document that the group ADDRESS names."
  (goto-char (point-min))
  (while (re-search-forward pattern nil t)
    (let ((named (match-string-no-properties address)))
      (make-button (match-beginning words) (match-end words) 'action (lambda (_) (muninn-document named))))))

(defun muninn--first-line (text)
  "Return the first line of TEXT that says something."
  (car (split-string (string-trim text) "\n")))

(defun muninn--place (path line words)
  "Return a line that leads to LINE of PATH, with WORDS behind it."
  (format "%s:%d: %s" path (max line 1) words))

(defun muninn-recall (query)
  "List what the repository knows for QUERY."
  (interactive "sRecall: ")
  (muninn--list
   query
   (mapcar (lambda (hit)
             (let* ((title (plist-get hit :title))
                    (words (if (string= title "") (muninn--first-line (plist-get hit :text)) title))
                    (told (if (string= (plist-get hit :kind) "memory") (concat (plist-get hit :type) ": " words) words)))
               (if (string= (plist-get hit :path) "")
                   (format "%s (%s)" told (plist-get hit :id))
                 (muninn--place (plist-get hit :path) (plist-get hit :start_line) told))))
           (plist-get (muninn--ask "recall" query) :hits))))

(defun muninn-remember (text &optional type)
  "Remember TEXT, of TYPE, about the region or the file."
  (interactive "sRemember: ")
  (let* ((file (muninn--file))
         (place (cond ((and file (use-region-p))
                       (format "%s:%d-%d" file (line-number-at-pos (region-beginning))
                               (line-number-at-pos (max (region-beginning) (1- (region-end))))))
                      (t file)))
         (stored (apply #'muninn--ask "remember" text "--type" (or type "insight")
                        (and place (list "--file" place)))))
    (message "Muninn: remembered %s" (car (plist-get stored :ids)))
    stored))

(defun muninn-decide (text)
  "Record the decision TEXT about the region or the file."
  (interactive "sDecision: ")
  (muninn-remember text "decision"))

(defun muninn-failed (text)
  "Record the attempt TEXT, which failed, about the region or the file."
  (interactive "sWhat was tried, and why it failed: ")
  (muninn-remember text "attempt"))

(defun muninn-this-file ()
  "List what is remembered about this file, at its lines."
  (interactive)
  (let ((file (or (muninn--file) (user-error "Muninn: this buffer is no file of the repository"))))
    (muninn--list
     file
     (mapcar (lambda (note)
               (muninn--place file (plist-get note :start)
                              (format "%s: %s %s" (plist-get note :type) (plist-get note :title) (plist-get note :state))))
             (plist-get (muninn--ask "annotate" file) :notes)))))

(defun muninn--document (title text)
  "Show TEXT in a buffer of its own."
  (pop-to-buffer (get-buffer-create (format "*Muninn: %s*" title)))
  (let ((inhibit-read-only t))
    (erase-buffer)
    (insert text)
    (muninn--link "\\[\\([^]\n]+\\)\\](\\(muninn:[^)\n]+\\))" 1 2))
  (goto-char (point-min))
  (view-mode 1))

(defun muninn-document (address)
  "Show the document at ADDRESS, an address muninn: or the id of a memory."
  (interactive "sMemory or address: ")
  (let* ((uri (if (string-prefix-p "muninn:" address) address (format "muninn:/memory/%s.md" address)))
         (page (muninn--ask "document" uri)))
    (muninn--document (plist-get page :title) (plist-get page :text))))

(defun muninn-show ()
  "Show what is remembered about this line and the name at point."
  (interactive)
  (let* ((file (or (muninn--file) (user-error "Muninn: this buffer is no file of the repository")))
         (line (number-to-string (line-number-at-pos nil t)))
         (name (or (thing-at-point 'symbol t) ""))
         (text (plist-get (muninn--ask "about" file "--line" line "--name" name "--link") :text)))
    (if (string= text "")
        (message "Muninn: nothing is remembered about this line")
      (muninn--document (concat file ":" line) text))))

(defun muninn-context (task)
  "Gather what matters for TASK."
  (interactive "sTask: ")
  (muninn--document task (plist-get (muninn--ask "context" task) :text)))

(defun muninn-sessions ()
  "List the sessions that wrote to the memory."
  (interactive)
  (muninn--document
   "sessions"
   (mapconcat (lambda (one)
                (format "%s  %s  %d memories  %s" (plist-get one :title) (plist-get one :state)
                        (plist-get one :memories) (plist-get one :branch)))
              (plist-get (muninn--ask "sessions") :sessions) "\n")))

(provide 'muninn)
;;; muninn.el ends here
