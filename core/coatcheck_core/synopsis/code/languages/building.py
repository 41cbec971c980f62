"""Files that build: makefiles, CMake, Dockerfiles, Nix and Bazel."""

from coatcheck_core.synopsis.code.language import Language

_MAKEFILE = Language(
    "makefile",
    comments="hash",
    hints="$( $@ .PHONY $<",
    words=".PHONY all clean install ifeq ifneq ifdef ifndef endif include else define endef override export $"
    " @echo -include test"
    " CFLAGS CC SHELL PREFIX LDFLAGS @ - vpath .SUFFIXES .DEFAULT_GOAL",
    signs=(
        (
            6,
            r"\.(?:PHONY|SUFFIXES|DEFAULT_GOAL|SECONDARY|PRECIOUS|DELETE_ON_ERROR|ONESHELL|DEFAULT"
            r"|NOTPARALLEL)\b[ \t]*:?",
        ),
        (
            5,
            r"(?:ifeq|ifneq|ifdef|ifndef)[ \t]*[(\"'\w$][^\n;]*|endif\b|endef\r?$|define[ \t]+[\w-]+\r?$"
            r"|-include[ \t]|\$\((?:eval|call|foreach|info|error|warning)\b",
        ),
        (
            4,
            r"[A-Za-z_][\w.-]*[ \t]*(?::|\?|\+|::)=[^\n;]*[^;\n]?\r?$|@(?:echo|\w+|\$\()[^\n]*"
            r"|[^\n]*\$[(@<^*][^\n]*|\t-",
        ),
        (4, r"[\w./%$(){}-][\w./%$(){} \t-]*+::?(?!=)[^\n{;=]*\r?$(?=\n(?:#[^\n]*\n)?\t)"),
        (1, r"[\w./%$(){}-]+::?(?!=)(?:[ \t]+[^\n{;=]*|)\r?$"),
        (4, r"[^\n;]*\$\([A-Z_]{2,}\)[^\n;]*\r?$"),
        (
            2,
            r"[A-Z_]{2,}[ \t]*=[^\n;]*\r?$|include[ \t]+[\w./$(){}-]+|[\w./-]+\.(?:c|o|h|cpp|a|so|lo|la|py"
            r"|go|js)[ \t]*\\?\r?$|[^\n]*\\\r?$",
        ),
        (1, r"else\b|(?:cp|rm|mkdir|cd|install|test|if|for|gcc|cc|go|python3?|npm|docker|sed)\b"),
        (
            -3,
            r"(?:def|class|import|var|let|const|function|public|private|#\w+|my|sub|func|package|struct"
            r"|return|set)\b|[^\n]*[{;][ \t]*\r?$",
        ),
    ),
    symbols=r"(?!\.PHONY|[A-Z_]+[ \t]*=|else\b)[\w./%$(){} -]++::?(?![=:])[^\n=]*+(?=\n|\Z)|define[ \t]+[^\n]*",
    members=r"(?:export[ \t]+|override[ \t]+)?[A-Za-z_][\w.-]*[ \t]*[:?+!]?=[^\n]*",
    imports=r"-?s?include[ \t]+[^\n]*",
    first=r"[\w.%-][\w./%-]*+:[ \t]+[\w./$%(][^\n;{=]*\n\t[^\n]*\S|include[ \t]+[\w./-]*Make[\w.-]*[ \t]*(?:\n"
    r"|\Z)|#!.*\bmake\b|.*-\*-[ \t]*(?:mode:[ \t]*)?makefile|# Makefile\.in generated",
)

_CMAKE = Language(
    "cmake",
    comments="hash",
    hints="${ endif() CMAKE_",
    words="cmake_minimum_required project set if endif else elseif add_executable add_library"
    " target_link_libraries include find_package"
    " foreach endforeach function endfunction macro endmacro message install option list string"
    " get_filename_component set_property"
    " include_directories return unset cmake_policy add_subdirectory mark_as_advanced find_path"
    " find_library file configure_file"
    " target_include_directories get_property set_target_properties while endwhile",
    signs=(
        (
            6,
            r"(?i:cmake_minimum_required|cmake_policy|cmake_parse_arguments|add_executable|add_library"
            r"|add_subdirectory|add_custom_(?:target|command)|target_\w+|find_(?:package|path|library"
            r"|program|file)|mark_as_advanced|endforeach|endfunction|endmacro|endwhile"
            r"|get_filename_component|set_(?:property|target_properties)|get_(?:property|target_property"
            r"|directory_property)|include_directories|configure_file|check_\w+|try_compile|execute_process"
            r"|include_guard|enable_language|add_definitions|add_test)[ \t]*\(",
        ),
        (
            4,
            r"(?i:endif|elseif|foreach|function|macro|unset|list|string|option|message|file|math"
            r"|separate_arguments)[ \t]*\((?![^\n]*[;{][ \t]*\r?$)|(?i:set)[ \t]*\([ \t]*[\w${}]+"
            r"|(?i:if)[ \t]*\([ \t]*(?:NOT\b|DEFINED\b|EXISTS\b|TARGET\b|\$\{|\""
            r"|[A-Z_]{3,})[^\n;{]*(?:\{\w+\})?[^\n;{]*\r?$",
        ),
        (
            2,
            r"(?i:include|project|install|return|else|while|break)[ \t]*\([^\n;{]*\r?$|[^\n]*\$\{\w+\}[^\n;]*|\)\r?$",
        ),
        (1, r"\"[^\n;]*|[\w./-]+\.(?:c|cpp|h|hpp|cc|cmake)\r?$|[A-Z_]{3,}[^\n;=({]*\r?$|#\["),
        (
            -3,
            r"[^\n]*[;{][ \t]*\r?$|(?:def|class|import|var|let|const|public|private|#(?:include|define|if)"
            r"|my|sub|func|then|fi|done|echo)\b",
        ),
    ),
    symbols=r"(?i:function|macro|project|add_executable|add_library|add_custom_target|add_subdirectory"
    r"|option)[ \t]*\([^\n]*",
    members=r"(?i:set)[ \t]*\([^\n]*",
    imports=r"[ \t]{0,4}(?i:include|find_package)[ \t]*\([^\n]*",
)

_DOCKERFILE = Language(
    "dockerfile",
    comments="hash",
    words="FROM RUN CMD COPY ADD ENV ENTRYPOINT WORKDIR EXPOSE LABEL ARG USER VOLUME HEALTHCHECK MAINTAINER"
    " ONBUILD SHELL && STOPSIGNAL",
    signs=(
        (8, r"FROM[ \t]+(?:--platform=\S+[ \t]+)?[\w./:@${}-]+(?:[ \t]+(?:AS|as)[ \t]+[\w.-]+)?[ \t]*\r?$"),
        (
            6,
            r"(?:COPY|ADD)[ \t]+[^\n]*|(?:ENTRYPOINT|CMD)[ \t]+[\[\w\"]|WORKDIR[ \t]+[/\w$\"]"
            r"|EXPOSE[ \t]+\d|HEALTHCHECK[ \t]|VOLUME[ \t]+[\[/\"]|USER[ \t]+[\w$]",
        ),
        (
            5,
            r"RUN[ \t]+[^\n]*|(?:ENV|ARG|LABEL)[ \t]+[\w.-]+(?:[ \t=]|\r?$)|MAINTAINER[ \t]|ONBUILD[ \t]"
            r"|STOPSIGNAL[ \t]|SHELL[ \t]+\[",
        ),
        (2, r"&&[ \t]|[^\n]*\\\r?$|;[ \t]|\|\|[ \t]"),
        (
            -3,
            r"(?:def|class|import|var|let|const|function|public|#(?:include|define)|SELECT|WHERE|INSERT|CREATE|JOIN)\b",
        ),
    ),
    symbols=r"(?:FROM|ENTRYPOINT|CMD|EXPOSE|HEALTHCHECK|USER|WORKDIR|VOLUME)[ \t]+[^\n]*",
    members=r"(?:RUN|COPY|ADD|ENV|ARG|LABEL)[ \t]+[^\n]*",
    imports=r"",
    first=r"#[ \t]*syntax[ \t]*=[ \t]*docker|FROM[ \t]+[\w./-]+:[\w.-]+",
)

_NIX = Language(
    "nix",
    comments="hash",
    words="let in with inherit pkgs buildInputs stdenv mkDerivation rec pname",
    signs=(
        (
            6,
            r"\{[ \t]*(?:\w+(?:[ \t]*\?[ \t]*[^,\n]+)?,[ \t]*)*(?:\.\.\.|pkgs|lib|stdenv)[^\n]*\}?:"
            r"|(?:(?:let|in)\r?$|rec[ \t]*\{|with[ \t]+[\w.]+;|inherit[ \t(][^\n]*;)|[^\n]*\bmkDerivation\b"
            r"|buildInputs[ \t]*=[ \t]*",
        ),
        (1, r"[\w.\"-]+[ \t]*=[ \t]*[^\n]*[;{\[(]\r?$|[}\])]+;?\r?$"),
        (-3, r"(?:def|class|var|const|function|public|return|if[ \t]*\(|#\w+|for|while|let[ \t]+\w+[ \t]*[=:])\b"),
    ),
    symbols=r"[ ]{0,2}[A-Za-z][\w.-]*[ \t]*=[^\n]*",
    imports=r"[^\n]*\bimport[ \t]+[.<][^\n]*",
)

BUILDING = (_MAKEFILE, _CMAKE, _DOCKERFILE, _NIX)
