"""What compilers, test runners, interpreters and version control print."""

from accuracy.files import PROJECT

from .projects import PYTHON
from .running import Command, lines_of

_HERE = f"git -C {PROJECT}"
_PY = ("python3",)


def commands() -> list[Command]:
    return [*_git(), *_python(), *_c(), *_java(), *_go(), *_rust(), *_node()]


def _git() -> list[Command]:
    git = ("git",)
    return [
        *lines_of(
            "git log", "text/*", [f"{_HERE} log -40", f"{_HERE} log --stat -25", "git log", "git log --all --graph"]
        ),
        *lines_of("git log -p", "text/*", [f"{_HERE} log -p -4", "git log -p -2"], git),
        *lines_of(
            "git log --oneline", "text/*", [f"{_HERE} log --oneline -80", f"{_HERE} log --oneline --graph -60"], git
        ),
        *lines_of(
            "git log --pretty",
            "text/*",
            [f"{_HERE} log -60 --pretty='%h %an %ad %s' --date=iso", f"{_HERE} log -60 --pretty='%H%n%an%n%s%n'"],
            git,
        ),
        Command("git log csv", f"echo hash,author,date; {_HERE} log -60 --pretty='%h,%an,%as'", "csv", git),
        Command(
            "git log tsv", f"printf 'hash\\tauthor\\tdate\\n'; {_HERE} log -60 --pretty='%h%x09%an%x09%as'", "tsv", git
        ),
        *lines_of(
            "git diff",
            "text/diff",
            [
                *(f"{_HERE} diff HEAD~{n + 1} HEAD~{n}" for n in range(12)),
                f"{_HERE} diff --color=always HEAD~3 HEAD~1",
                f"{_HERE} diff -U0 HEAD~14 HEAD~13",
                "git diff",
                "git diff HEAD~2",
            ],
        ),
        *lines_of("git show", "text/*|diff", [*(f"{_HERE} show HEAD~{n}" for n in range(9)), "git show feature"], git),
        *lines_of(
            "git format-patch",
            "text/diff|-",
            ["git format-patch -1 --stdout", f"{_HERE} format-patch -1 --stdout"],
            git,
        ),
        *lines_of(
            "git diff --stat", "text/*", [f"{_HERE} diff --stat HEAD~5 HEAD", f"{_HERE} diff --name-status HEAD~5"], git
        ),
        *lines_of("git status", "text/*", ["git status", "git status --short", "git -c color.status=always status"]),
        *lines_of("git merge", "text/*", ["git merge --no-commit feature; git merge --abort"], git),
        *lines_of("git ls-files", "text/*", [f"{_HERE} ls-files", "git ls-files -s"], git),
        *lines_of("git blame", "text/*", [f"{_HERE} blame pyproject.toml", "git blame py/shop.py"], git),
        *lines_of(
            "git branch",
            "text/*",
            ["git branch -avv; git tag -n; git reflog", "git shortlog -s -n; git remote -v"],
            git,
        ),
        *lines_of("git config", "text/*", ["git config --list --show-origin", "git help -a"], git),
    ]


def _python() -> list[Command]:
    pytest = f"cd py && {PYTHON} -m pytest -p no:cacheprovider"
    return [
        *lines_of("pytest", "text/*", [f"{pytest} test_shop.py", f"{pytest} -v test_good.py"], _PY),
        *lines_of(
            "pytest options",
            "text/*",
            [f"{pytest} --color=yes -q test_shop.py", f"{pytest} -v --tb=short", f"{pytest} --collect-only"],
            _PY,
        ),
        Command(
            "pytest junit",
            f"{pytest} --junitxml=../report.xml test_shop.py > /dev/null 2>&1; cat ../report.xml",
            "xml/*",
            _PY,
        ),
        *lines_of(
            "unittest",
            "text/*|traceback",
            [f"cd py && {PYTHON} -m unittest -v unit_shop", f"cd py && {PYTHON} -m unittest unit_shop"],
            _PY,
        ),
        *lines_of(
            "python traceback",
            "text/traceback",
            [
                f"{PYTHON} py/crash.py {case}{more}"
                for case in ("json", "chained", "recursion", "missing", "group", "process", "import", "type")
                for more in ("", " run")
            ],
            _PY,
        ),
        *lines_of(
            "python logging",
            "text/log",
            [f"{PYTHON} py/logged.py {form} {seed}" for form in range(5) for seed in (1, 2)],
            _PY,
        ),
        *lines_of("mypy", "text/*", [f"cd py && {PYTHON} -m mypy --cache-dir=/dev/null typed.py"], _PY),
        *lines_of(
            "ruff",
            "text/*",
            [
                f"cd py && {PYTHON} -m ruff check --no-cache .",
                f"cd py && {PYTHON} -m ruff check --no-cache --output-format=concise .",
            ],
            _PY,
        ),
        Command("ruff json", f"cd py && {PYTHON} -m ruff check --no-cache --output-format=json .", "json", _PY),
        Command(
            "ruff diff", f"cd py && {PYTHON} -m ruff format --no-cache --diff . ../node 2>/dev/null", "text/diff", _PY
        ),
        *lines_of("pip list", "text/table", [f"{PYTHON} -m pip list", f"{PYTHON} -m pip list --not-required"], _PY),
        *lines_of("pip freeze", "text/*", ["python3 -m pip freeze"], _PY),
        *lines_of(
            "pip show",
            "text/*",
            [f"{PYTHON} -m pip show pytest msgspec", f"{PYTHON} -m pip show -f click rich pyyaml"],
            _PY,
        ),
        *lines_of(
            "pip json",
            "json",
            [f"{PYTHON} -m pip list --format=json 2>/dev/null", f"{PYTHON} -m pip inspect --local"],
            _PY,
        ),
        *lines_of("pip verbose", "text/*", [f"{PYTHON} -m pip --verbose debug", f"{PYTHON} -m pip help install"], _PY),
        *lines_of(
            "pydoc",
            "text/*",
            [f"{PYTHON} -m pydoc {name}" for name in ("argparse", "json", "os.path", "re", "collections")],
            _PY,
        ),
        *lines_of(
            "python help", "text/*", [f"{PYTHON} --help; {PYTHON} -m pytest --help", f"{PYTHON} -c 'import this'"], _PY
        ),
        *lines_of(
            "python dis",
            "text/*",
            [f"{PYTHON} -m dis py/shop.py", f"{PYTHON} -m tokenize py/shop.py", f"{PYTHON} -m ast py/shop.py"],
            _PY,
        ),
        Command("python importtime", f"{PYTHON} -X importtime -c 'import asyncio, http.server'", "text/*|table", _PY),
        Command("python sysconfig", f"{PYTHON} -m sysconfig", "text/*", _PY),
        Command(
            "python cProfile",
            f"{PYTHON} -m cProfile -s cumtime -m json.tool /dev/null; {PYTHON} -m cProfile py/shop.py",
            "text/*",
            _PY,
        ),
        Command(
            "python pprint",
            f"{PYTHON} -c 'import sysconfig, pprint; pprint.pprint(sysconfig.get_config_vars())'",
            "text/*",
            _PY,
        ),
    ]


def _c() -> list[Command]:
    return [
        *lines_of(
            "gcc",
            "text/*",
            [
                "gcc -Wall -Wextra -c c/bad.c -o /dev/null",
                "gcc -Wall -fdiagnostics-color=always -c c/bad.c -o /dev/null",
            ],
        ),
        *lines_of("g++", "text/*", ["g++ -c c/bad.cpp -o /dev/null", "g++ -std=c++11 -Wall -c c/bad.cpp -o /dev/null"]),
        *lines_of("gcc -S", "code/*", ["gcc -S -O1 c/good.c -o -", "gcc -S -O2 -masm=intel c/good.c -o -"], ("gcc",)),
        *lines_of("gcc -E", "code/c", ["gcc -E -P c/good.c", "gcc -E c/good.c"], ("gcc",)),
        *lines_of(
            "gcc help",
            "text/*",
            ["gcc --help", "gcc -v", "gcc -print-search-dirs", "gcc -Q --help=optimizers"],
            ("gcc",),
        ),
        *lines_of("make", "text/*", ["make -C c", "make -C c bad", "make -k -C c -j2"], ("make", "gcc")),
        *lines_of("make -p", "text/*|-", ["make -n -C c; make --help"], ("make",)),
        *lines_of("cmake", "text/*", ["cmake -S c -B cmake-out && cmake --build cmake-out"], ("cmake", "gcc")),
        *lines_of(
            "objdump",
            "text/*",
            ["gcc -c c/good.c -o g1.o && objdump -d g1.o", "objdump -h /bin/ls; objdump -p /bin/ls"],
            ("objdump", "gcc"),
        ),
        *lines_of("readelf", "text/*|table", ["readelf -h -S /bin/ls", "readelf -d /bin/ls"]),
        *lines_of("nm", "text/*", ["nm -D /bin/ls", "gcc -c c/good.c -o g2.o && nm g2.o && size g2.o"], ("nm", "gcc")),
        *lines_of("ldd", "text/*", ["ldd /bin/ls /usr/bin/git"]),
    ]


def _java() -> list[Command]:
    there = ("java", "javac")
    return [
        Command("javac", "javac -d java-out java/Shop.java", "text/*", there),
        *lines_of("java traceback", "text/traceback", ["java java/Crash.java", "java java/Crash.java a b"], there),
        Command("java logging", "java java/Logged.java", "text/log|-", there),
        Command("java help", "java --help; java -version", "text/*", there),
        Command("java properties", "java -XshowSettings:properties -version", "text/*", there),
        Command("javap", "javap -public java.util.ArrayList", "code/java|-", ("javap",)),
    ]


def _go() -> list[Command]:
    there = ("go",)
    return [
        *lines_of("go test", "text/*", ["cd go && go test .", "cd go && go test -v ."], there),
        Command("go test json", "cd go && go test -json .", "json/ndjson", there),
        *lines_of("go build", "text/*", ["cd go/bad && go build -o /dev/null main.go", "cd go && go vet ./..."], there),
        *lines_of("go panic", "text/traceback", ["cd go/crash && go run main.go"], there),
        *lines_of("go env", "text/*", ["go env"], there),
        Command("go env json", "go env -json", "json", there),
        *lines_of("go help", "text/*", ["go help build", "go help test", "go help modules"], there),
        *lines_of("go list", "text/*", ["go list std"], there),
        *lines_of("go list json", "json/*", ["go list -json strings bytes fmt"], there),
    ]


def _rust() -> list[Command]:
    rustc, cargo = ("rustc",), ("cargo",)
    return [
        *lines_of(
            "rustc",
            "text/*",
            ["rustc rust/bad.rs -o /dev/null", "rustc --color always rust/bad.rs -o /dev/null"],
            rustc,
        ),
        Command("rustc json", "rustc --error-format=json rust/bad.rs -o /dev/null", "json/ndjson", rustc),
        Command("rustc help", "rustc --help -v", "text/*", rustc),
        *lines_of(
            "rust panic",
            "text/traceback|-",
            ["rustc rust/crash.rs -o crash-rs 2>/dev/null && RUST_BACKTRACE=1 ./crash-rs"],
            rustc,
        ),
        *lines_of("cargo test", "text/*", ["cd rust && cargo test --offline"], cargo),
        *lines_of("cargo build", "text/*", ["cd rust && cargo build --offline -v; cargo --list"], cargo),
        Command("cargo metadata", "cd rust && cargo metadata --offline --format-version 1", "json", cargo),
    ]


def _node() -> list[Command]:
    node, npm = ("node",), ("node", "npm")
    return [
        *lines_of(
            "node traceback",
            "text/traceback",
            ["cd node && node crash.js", "node node/type.js", "node -e 'null.x'"],
            node,
        ),
        *lines_of(
            "node --test", "text/*", ["cd node && node --test", "cd node && node --test --test-reporter=spec"], node
        ),
        Command("node tap", "cd node && node --test --test-reporter=tap", "text/*", node),
        *lines_of("node console", "text/log|-", ["node node/logged.js"], node),
        Command("node json log", "node node/logged.js json", "json/ndjson", node),
        Command("console.table", "node node/table.js", "text/table", node),
        *lines_of("node --help", "text/*", ["node --help", "node --v8-options"], node),
        Command("node inspect", "node -p process.config", "text/*", node),
        *lines_of("npm ls", "text/*", ["npm ls -g --depth=1", "npm ls -g --all --offline"], npm),
        Command("npm ls json", "npm ls -g --depth=1 --json", "json", npm),
        *lines_of("npm run", "text/*", ["cd node && npm run build --offline"], npm),
        *lines_of("npm help", "text/*", ["npm help", "npm install --help", "npm config ls -l"], npm),
    ]
