"""What a file's name says about it, and how many of such files are taken."""

import re

import msgspec

from .texts import Label


class Rule(msgspec.Struct, frozen=True):
    """Files whose name matches, and the label that such a name promises; `checks.py` looks at whether it holds."""

    pattern: str
    label: Label
    quota: int


def _rule(pattern: str, label: str, quota: int) -> Rule:
    return Rule(pattern, Label.parse(label), quota)


def _ending(endings: str, label: str, quota: int) -> Rule:
    alternatives = "|".join(re.escape(ending) for ending in endings.split())
    return _rule(rf".+\.(?:{alternatives})", label, quota)


RULES = (
    _rule(r"Makefile(?:\.\w+)?|GNUmakefile|.+\.mk", "code/*", 20),
    _rule(r"Dockerfile(?:\.\w+)?", "code/*", 10),
    _rule(r"CMakeLists\.txt|.+\.cmake", "code/*", 15),
    _rule(r"package(?:-lock)?\.json", "json", 15),
    _rule(r"(?i:README|NEWS|AUTHORS|TODO|THANKS|COPYING|LICEN[CS]E|copyright|INSTALL|HACKING|changelog)", "text/*", 40),
    _rule(r"(?i:README|CHANGELOG|LICENSE|SECURITY)\.txt", "text/*", 15),
    _rule(r"(?:\.bashrc|\.profile|bashrc|profile)", "code/shell", 5),
    _ending("py pyw", "code/python", 60),
    _ending("pyi", "code/python", 20),
    _ending("pyx pxd", "code/python|-", 10),
    _ending("js cjs mjs", "code/javascript", 50),
    _ending("ts tsx mts cts", "code/typescript", 40),
    _ending("go", "code/go", 45),
    _ending("rs", "code/rust", 30),
    _ending("java", "code/java", 40),
    _ending("c", "code/c", 40),
    _ending("h", "code/c|cpp", 50),
    _ending("cc cpp cxx hpp hxx hh tcc", "code/cpp", 40),
    _ending("pl pm", "code/perl", 40),
    _ending("sh bash bats", "code/shell", 40),
    _ending("postinst prerm postrm preinst", "code/shell", 20),
    _ending("rb", "code/ruby", 30),
    _ending("php", "code/php", 30),
    _ending("cs", "code/csharp", 20),
    _ending("kt kts", "code/kotlin", 20),
    _ending("swift", "code/swift", 20),
    _ending("scala", "code/scala", 20),
    _ending("lua", "code/lua", 20),
    _ending("hs", "code/haskell", 15),
    _ending("r R", "code/r", 15),
    _ending("sql", "code/sql", 30),
    _ending("s S asm", "code/*", 12),
    _ending("css scss less", "code/*", 20),
    _ending("vim", "code/*", 20),
    _ending("tcl tm", "code/*", 12),
    _ending("bat cmd ps1 fish csh awk m4 el f f90 d jl dart ex exs proto groovy gradle zsh", "code/*", 30),
    _ending("json", "json", 90),
    _ending("map ipynb webmanifest", "json", 15),
    _ending("ndjson jsonl", "json/ndjson", 20),
    _ending("yaml yml", "yaml", 90),
    _ending("toml", "text/toml", 40),
    _ending("ini cfg conf", "text/ini|-", 50),
    _ending("desktop service timer socket", "text/ini|-", 20),
    _ending("properties pc", "text/-|ini", 20),
    _ending("xml xsd xsl xslt rng pom csproj plist wsdl", "xml/*", 70),
    _ending("svg", "xml/*", 25),
    _ending("html htm xhtml", "text/html", 60),
    _ending("md markdown", "text/markdown", 70),
    _ending("rst", "text/*", 40),
    _ending("txt text", "text/*", 60),
    _ending("tex texi pod info", "text/*", 15),
    _ending("po pot", "text/*", 15),
    _ending("1 2 3 4 5 6 7 8", "text/*", 15),
    _ending("diff patch", "text/diff", 40),
    _ending("log", "text/*", 15),
    _ending("csv", "csv", 30),
    _ending("tsv", "tsv", 20),
    _ending("pem crt asc", "text/*", 12),
    _ending("list md5sums conffiles symbols triggers", "text/*", 15),
    _ending("pyc png so gz zip jar mo wav gif woff2 jpg o a whl pdf xz bz2 ico ttf", "unknown/*", 70),
)


_ANY_RULE = re.compile("|".join(f"(?P<r{at}>{rule.pattern})" for at, rule in enumerate(RULES)))


def rule_of(name: str) -> Rule | None:
    """The first that matches the whole name."""
    match = _ANY_RULE.fullmatch(name)
    return RULES[int(match.lastgroup[1:])] if match and match.lastgroup else None
