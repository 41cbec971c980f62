"""Haskell, OCaml, Erlang, Clojure and Lisp, and Fortran."""

from coatcheck_core.synopsis.code.language import Language

_HASKELL = Language(
    "haskell",
    comments="haskell",
    hints=":: <$> {-#",
    words="module import data newtype instance class where type let do case in deriving if then else {-# infixl"
    " infixr | =",
    signs=(
        (
            6,
            r"\{-#[ \t]*(?:LANGUAGE|OPTIONS_GHC|INLINE|SPECIALIZE|UNPACK|OVERLAPPING)"
            r"|import[ \t]+(?:qualified[ \t]+)?[A-Z]\w*(?:\.[A-Z]\w*)*(?:[ \t]+(?:as[ \t]+\w|hiding"
            r"|qualified|\()[^\n]*|[ \t]*)\r?$",
        ),
        (
            5,
            r"module[ \t]+[A-Z][\w.]*[ \t]*(?:\([^\n]*|where|\r?$)|(?:newtype"
            r"|data)[ \t]+[A-Z][^\n;{]*(?:=[^\n;]*|\r?$)|instance[ \t]+[^\n;{]*(?:where|=>[^\n]*|\r?$)"
            r"|class[ \t]+[^\n;{:]*\bwhere\r?$",
        ),
        (5, r"(?:[a-z_][\w']*(?:,[ \t]*[a-z_][\w']*)*|\([^\w\s()]+\))[ \t]+::[ \t]*[^\n;]*[^;\n]\r?$"),
        (
            3,
            r"(?:deriving\b|where\r?$|infix[lr]?[ \t]+\d|type[ \t]+(?:family|instance|[A-Z])"
            r"|foreign[ \t]+import)|(?:::|->|=>)[ \t]+[\w(\[!][^\n;]*\r?$|[^\n]*(?:<\$>|<\*>|>>="
            r"|\$[ \t]+do\b|\\[\w_(]+[^\n]*->)",
        ),
        (
            2,
            r"[a-z_][\w']*(?:[ \t]+[\w'_()\[\]@:!~\".]+)*[ \t]+=[ \t]*[^\n;{]*[^;{\n]?\r?$"
            r"|\|[ \t]+[^\n]*[=\w]|[=,][ \t]+\w[^\n]*|let[ \t]+\w[^\n;]*=|case[ \t]+[^\n]+\bof\r?$"
            r"|[\w(][^\n]*->[ \t][^\n;{]*\r?$|\w+[ \t]*<-[ \t]",
        ),
        (
            -3,
            r"[^\n]*[;{][ \t]*\r?$|(?:def|var|const|function|return[ \t(][^\n]*;|#(?:include|define)|end\b"
            r"|local|public|fn|func|val)\b",
        ),
    ),
    symbols=r"(?:module|data|newtype|type|class|instance)[ \t]+[^\n]*|(?:[a-z_][\w']*(?:,[ \t]*[a-z_][\w']*)*"
    r"|\([^\w\s()]+\))[ \t]+::[^\n]*|[a-z_][\w']*\r?(?=\n[ ]+::)",
    members=r"[ ]{2,4}[a-z_][\w']*[ \t]+::[^\n]*",
    imports=r"import[ \t]+[^\n]*",
    first=r"#!.*\b(?:runhaskell|stack)|\{-#[ \t]*LANGUAGE",
)

_OCAML = Language(
    "ocaml",
    comments="c",
    words="let open module type val and match with in rec fun if | external exception end struct sig begin"
    " method class",
    signs=(
        (
            5,
            r"(?:let|and)[ \t]+(?:rec[ \t]+)?(?:[\w']+|\(\)"
            r"|_)(?:[ \t]+[~?\w'():_.]+)*[ \t]*(?::[^\n=]*)?=[^\n;]*(?:\bin)?\r?$|open[ \t]+[A-Z][\w.]*\r?$"
            r"|module[ \t]+(?:type[ \t]+)?\w+[ \t]*(?:=|:|\()[^\n]*"
            r"|val[ \t]+[\w']+[ \t]*:[^\n=]*(?:->)[^\n]*|external[ \t]+\w+[ \t]*:|exception[ \t]+[A-Z]",
        ),
        (
            3,
            r"\|[ \t]*[A-Z_`\"\[(][^\n]*->|match\b[^\n]*\bwith\b|let[ \t]+[^\n]*[ \t]in\r?$|(?:begin|end"
            r"|struct|sig)\b|\(\*|type[ \t]+(?:'\w+[ \t]+)?[\w']+[ \t]*=|;;\r?$",
        ),
        (1, r"(?:if|then|else|try|with|fun|function)\b[^\n;{]*\r?$|\|[ \t]"),
        (
            -3,
            r"(?:def|var|const|return|#(?:include|define)|class[ \t]+\w+[^\n]*\{|fn|pub|impl|public|import"
            r"|let[ \t]+mut|end[ \t]+if|local)\b|[^\n]*\{[ \t]*\r?$|[^\n]*\);\r?$|let[ \t]+[bgswlav]:",
        ),
    ),
    symbols=r"(?:let|and|module|type|val|external|exception|class|open)[ \t]+[^\n]*",
    imports=r"(?:open|include|#require|#use)[ \t]+[^\n]*",
)

_ERLANG = Language(
    "erlang",
    comments="percent",
    hints="-spec end. -record(",
    words="-module -export -include -define -record -spec -type -include_lib case of end receive fun if try"
    " catch when %% ok begin after -import -moduledoc",
    signs=(
        (
            6,
            r"-(?:module|export|include|include_lib|define|record|spec|type|opaque|export_type|import"
            r"|behaviou?r|compile|vsn|author|ifdef|ifndef|endif|undef|callback|doc|moduledoc|on_load"
            r"|dialyzer)\b[ \t]*[(.\w\"]?",
        ),
        (
            5,
            r"[a-z]\w*\([^\n;]*\)[ \t]*(?:when[ \t][^\n]*)?->[^\n]*|(?:case|receive)\b[^\n]*(?:\bof)?\r?$"
            r"|end[.,;)]*\r?$|fun\([^\n]*\)[ \t]*->",
        ),
        (
            4,
            r"[A-Z_]\w*[ \t]*=[ \t]*[^\n;]*[,.]\r?$|[^\n]*->\r?$|(?:ok|error|true|false|undefined"
            r"|\{[^\n]*\}|\[[^\n]*\]|_|[A-Z]\w*)[ \t]*->|\??[a-z]\w*:[a-z]\w*\([^\n]*[,.]?\r?$",
        ),
        (
            2,
            r"\{[^\n]*\}[,.;]?\r?$|#\w+\{|\?[A-Z]\w*|(?:try|catch|after|of|begin|when|if)\b"
            r"|[a-z]\w*\([^\n]*\)[.,;]?\r?$",
        ),
        (
            -3,
            r"(?:def|defp|defmodule|class|import|var|let|const|function|return|public|#(?:include|define)"
            r"|local|fi|done|package)\b|[^\n]*\{[ \t]*\r?$|[^\n]*\)[ \t]*;\r?$",
        ),
    ),
    symbols=r"-(?:module|record|spec|type|callback|behaviou?r|define)\b[^\n]*|[a-z]\w*\([^\n;]*->[^\n]*",
    imports=r"-(?:include|include_lib|import)\([^\n]*",
    first=r"-module\(|#!.*\bescript|%%[^\n]*\berlang",
)

_LISP = Language(
    "lisp",
    comments="semicolon",
    hints="(defun (setq '( (autoload (if",
    words="(defun (defvar (defmacro (let (setq (require (provide (if (when (defcustom (defconst (lambda (cond"
    " (let* (interactive (define"
    " (unless (progn (and (or (defgroup (defface (dolist (while (defn (ns (def (package (load (autoload"
    " (custom-theme-set-faces (deftheme (export (in-package (eval-when-compile (declare-function",
    signs=(
        (
            6,
            r"\((?:defun|defvar|defmacro|defcustom|defconst|defgroup|defface|defsubst|defalias|cl-def\w+"
            r"|define-\w+|defgeneric|defmethod|defclass|defpackage|defstruct|defn-?|ns|deftest|defprotocol"
            r"|defrecord|define|provide|require|in-package|use-package|declare-function|autoload"
            r"|eval-when-compile)\b",
        ),
        (
            3,
            r"\((?:let\*?|setq|if|when|unless|cond|progn|lambda|interactive|and|or|while|dolist|dotimes"
            r"|save-excursion|condition-case|message|error|insert|goto-char|setf|push|format|list|cons|car"
            r"|cdr|not|eq|equal|funcall|apply|mapcar|unwind-protect|with-\w+|pcase|loop|cl-\w+"
            r"|concat)(?=[ \t\r\n)])",
        ),
        (2, r"\([\w*+/<>=!?:.-]+(?:[ \t][^\n;{]*)?\r?$|\(\([^\n]*|['`,#]\(|:[\w-]+[ \t]|[^\n]*\)\)+\r?$"),
        (-3, r"[^\n]*[;{,][ \t]*\r?$|(?:def|class|import|var|let|const|function|return|if|for|end|public)\b"),
    ),
    symbols=r"\((?:def\w*|define|cl-def\w*|define-[\w-]+|ns|use-package)[ \t]+[^\n]*",
    imports=r"\((?:require|load|import|use|autoload|eval-when-compile)[ \t]+[^\n]*",
    first=r";;;?[^\n]*(?:\.el\b|-\*-|lexical-binding)|#!.*\b(?:emacs|sbcl|guile|racket)|#lang[ \t]",
)

_FORTRAN = Language(
    "fortran",
    comments="c",
    words="subroutine SUBROUTINE program PROGRAM integer INTEGER real REAL call CALL end END if IF do DO"
    " implicit IMPLICIT module MODULE"
    " function FUNCTION use USE enddo ENDDO endif ENDIF double DOUBLE return RETURN continue CONTINUE contains",
    signs=(
        (
            6,
            r"(?i:implicit[ \t]+none|(?:pure[ \t]+|recursive[ \t]+|elemental[ \t]+)*subroutine[ \t]+\w+"
            r"|program[ \t]+\w+\r?$|end[ \t]+(?:subroutine|program|module|function|do|if)\b|(?:integer|real"
            r"|logical|complex|double[ \t]+precision|character)\b[^\n;{]*(?:::|[ \t]+\w+(?:\([^\n]*\))?(?:,"
            r"|\r?$)))",
        ),
        (
            4,
            r"(?i:(?:else[ \t]*)?if[ \t]*\([^\n]*\)[ \t]*then\r?$|do[ \t]+(?:\d+[ \t]+)?\w+[ \t]*="
            r"|call[ \t]+[a-z_]\w*[ \t]*(?:\(|\r?$)|end[ \t]?(?:do|if)\r?$|contains\r?$)",
        ),
        (
            2,
            r"(?i:use[ \t]+\w+(?:,[ \t]*only[^\n]*)?\r?$|module[ \t]+\w+\r?$|(?:\d+[ \t]+)?(?:write|read"
            r"|format|print|allocate|deallocate)[ \t]*[(*]|return\r?$|\d+[ \t]+continue)|[^\n]*&[ \t]*\r?$",
        ),
        (1, r"\w+(?:\([^\n)]*\))?[ \t]*=[^\n;{]*\r?$|!"),
        (
            -3,
            r"[^\n]*[;{][ \t]*\r?$|(?:def|class|import|var|let|const|function[ \t]+\w+\([^\n]*\{|fi|done|then|local)\b",
        ),
    ),
    symbols=r"[ \t]*(?i:(?:pure[ \t]+|recursive[ \t]+|elemental[ \t]+)*(?:subroutine|program"
    r"|module(?![ \t]+procedure)|(?:integer|real|logical"
    r"|double[ \t]+precision)?[ \t]*function))[ \t]+\w[^\n]*",
    imports=r"[ \t]*(?i:use|include)[ \t]+['\"\w][^\n]*",
)

FUNCTIONAL = (_HASKELL, _OCAML, _ERLANG, _LISP, _FORTRAN)
