"""Small projects in several languages, each with faults for its compiler and its tests to find."""

import subprocess
import sys
from pathlib import Path

from .running import environment

FILES = {
    "py/pyproject.toml": '[project]\nname = "shop"\nversion = "0.1"\n',
    "py/shop.py": """import json


class Basket:
    def __init__(self):
        self.lines = {}

    def add(self, name, price, count=1):
        if price < 0:
            raise ValueError(f"negative price for {name}: {price}")
        self.lines[name] = (price, count)

    def total(self):
        return sum(price * count for price, count in self.lines.values())


def load(text):
    return json.loads(text)
""",
    "py/test_shop.py": """import pytest
from shop import Basket, load


@pytest.mark.parametrize("count", range(12))
def test_total(count):
    basket = Basket()
    basket.add("tea", 3, count)
    assert basket.total() == (3 * count if count != 7 else 22)


def test_negative():
    Basket().add("tea", -1)


def test_load():
    assert load("{'a': 1}") == {"a": 1}


@pytest.mark.skip(reason="later")
def test_later():
    pass
""",
    "py/test_good.py": "import shop\n\n\ndef test_empty():\n    assert shop.Basket().total() == 0\n"
    + "".join(f"\n\ndef test_number_{n}():\n    assert {n} + 1 == {n + 1}\n" for n in range(15)),
    "py/unit_shop.py": """import unittest
from shop import Basket


class BasketTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(Basket().total(), 1)

    def test_empty(self):
        self.assertEqual(Basket().total(), 0)

    def test_broken(self):
        Basket().add("x", -3)
""",
    "py/typed.py": "def f(x: int) -> str:\n    return x + 1\n\n\nf('a')\nprint(undefined_name)\nimport os, sys\n" * 5,
    "py/logged.py": """import logging, sys, random

random.seed(int(sys.argv[2]))
FORMATS = [
    "%(asctime)s %(levelname)s %(name)s: %(message)s",
    "%(levelname)s:%(name)s:%(message)s",
    "[%(asctime)s] [%(levelname)-8s] %(name)s - %(message)s",
    "%(asctime)s.%(msecs)03d | %(levelname)s | %(process)d | %(message)s",
    "%(levelname)s %(asctime)s %(module)s %(process)d %(thread)d %(message)s",
]
logging.basicConfig(stream=sys.stdout, level=logging.DEBUG, format=FORMATS[int(sys.argv[1])], datefmt=None)
log = logging.getLogger("shop.orders")
for n in range(150):
    kind = random.random()
    if kind < 0.7:
        log.info("order %d accepted for customer %d in %.1f ms", n, n * 7 % 31, random.random() * 90)
    elif kind < 0.85:
        log.debug("cache miss for key=product:%d, loading from database", n % 17)
    elif kind < 0.95:
        log.warning("slow query (%.2f s): SELECT * FROM orders WHERE customer = %d", random.random() * 9, n)
    else:
        try:
            {}["customer"]
        except KeyError:
            log.exception("could not handle order %d", n)
""",
    "py/crash.py": """import sys, json, subprocess, asyncio


def parse(text):
    return json.loads(text)


def chained():
    try:
        parse("{oops")
    except ValueError as error:
        raise RuntimeError("configuration cannot be read") from error


def deep(n):
    return deep(n + 1)


async def gathered():
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.to_thread(parse, "{"))
        group.create_task(asyncio.to_thread(int, "x"))


CASES = {
    "json": lambda: parse("{oops"),
    "chained": chained,
    "recursion": lambda: deep(0),
    "missing": lambda: open("/no/such/file"),
    "group": lambda: asyncio.run(gathered()),
    "process": lambda: subprocess.run(["false"], check=True),
    "import": lambda: __import__("no_such_module"),
    "type": lambda: len(5),
}
if len(sys.argv) > 2:
    print("starting up ...\\nreading configuration\\nconnecting to database at db:5432")
    for n in range(40):
        print(f"  processed batch {n} of 40")
CASES[sys.argv[1]]()
""",
    "c/bad.c": "#include <stdio.h>\n\nstruct item { int id; };\n\nint main(void) {\n"
    + "".join(f"    int unused_{n} = item.id + undeclared_{n};\n" for n in range(6))
    + '    printf("%s\\n", 5);\n    return "x"\n}\n',
    "c/good.c": "#include <stdio.h>\n#include <stdlib.h>\n\nint fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }\n\n"
    'int main(void) {\n    for (int n = 0; n < 10; n++) printf("%d %d\\n", n, fact(n));\n    return EXIT_SUCCESS;\n}\n',
    "c/bad.cpp": "#include <map>\n#include <string>\n#include <vector>\n\nint main() {\n    std::map<std::string, std::vector<int>> m;\n"
    '    m["x"] = 5;\n    for (auto& [k, v] : m) v.push(k);\n    std::string s = m;\n    return undefined;\n}\n',
    "c/Makefile": "all: good bad\n\ngood: good.c\n\t$(CC) -O1 -c good.c -o good.o\n\nbad: bad.c\n\t$(CC) -Wall -c bad.c -o bad.o\n",
    "c/CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(shop C)\nadd_executable(good good.c)\nadd_executable(bad bad.c)\n",
    "java/Shop.java": 'import java.util.List;\n\npublic class Shop {\n    int total = "x";\n    List<String> names = new ArrayList<>();\n'
    "    public static void main(String[] args) {\n        Strin g = null;\n        undefined();\n        return 1;\n    }\n}\n",
    "java/Crash.java": """import java.util.*;

public class Crash {
    static void order(Map<String, Integer> stock, String name) {
        int left = stock.get(name);
        System.out.println(left);
    }

    static void process(List<String> names) {
        try {
            names.forEach(name -> order(new HashMap<>(), name));
        } catch (NullPointerException error) {
            throw new IllegalStateException("could not process " + names, error);
        }
    }

    public static void main(String[] args) {
        for (int n = 0; n < args.length * 20; n++) System.out.println("handled order " + n);
        process(List.of("tea", "milk"));
    }
}
""",
    "java/Logged.java": """import java.util.logging.*;

public class Logged {
    public static void main(String[] args) {
        Logger log = Logger.getLogger("shop.Orders");
        for (int n = 0; n < 60; n++) {
            if (n % 9 == 8) log.warning("stock of product " + n + " is low");
            else if (n % 23 == 22) log.log(Level.SEVERE, "order failed", new RuntimeException("no stock"));
            else log.info("order " + n + " accepted");
        }
    }
}
""",
    "go/go.mod": "module example.org/shop\n\ngo 1.20\n",
    "go/shop.go": "package shop\n\nfunc Total(prices []int) int {\n\tsum := 0\n\tfor _, p := range prices {\n\t\tsum += p\n\t}\n\treturn sum\n}\n",
    "go/shop_test.go": 'package shop\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif got := Total([]int{1, 2}); got != 4 {\n'
    '\t\tt.Errorf("Total = %d, want 4", got)\n\t}\n}\n\nfunc TestEmpty(t *testing.T) {\n\tfor _, name := range []string{"a", "b", "c"} {\n'
    "\t\tt.Run(name, func(t *testing.T) {})\n\t}\n}\n",
    "go/bad/main.go": 'package main\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc main() {\n\tx := 5\n\tvar s string = 3\n\tfmt.Printn(y)\n\treturn 1\n}\n',
    "go/crash/main.go": 'package main\n\nimport (\n\t"log"\n\t"sync"\n)\n\nfunc pick(xs []int, n int) int { return xs[n] }\n\nfunc main() {\n'
    '\tfor n := 0; n < 30; n++ {\n\t\tlog.Printf("batch %d done", n)\n\t}\n\tvar wait sync.WaitGroup\n\twait.Add(1)\n'
    "\tgo func() {\n\t\tdefer wait.Done()\n\t\tpick([]int{1, 2}, 5)\n\t}()\n\twait.Wait()\n}\n",
    "rust/Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    "rust/src/lib.rs": "pub fn total(prices: &[i64]) -> i64 {\n    prices.iter().sum()\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n"
    + "".join(
        f"    #[test]\n    fn adds_{n}() {{\n        assert_eq!(total(&[{n}, 1]), {n + (n != 4)});\n    }}\n\n"
        for n in range(9)
    )
    + "}\n",
    "rust/bad.rs": 'use std::collections::HashMap;\n\nfn main() {\n    let mut m: HashMap<String, i32> = HashMap::new();\n    m.insert("a", 1);\n'
    '    let x = 5;\n    x = 6;\n    let s = String::from("a");\n    let t = s;\n    println!("{} {}", s, y);\n}\n',
    "rust/crash.rs": 'fn deep(n: usize) -> usize {\n    let v = vec![1, 2, 3];\n    v[n]\n}\n\nfn main() {\n    println!("{}", deep(9));\n}\n',
    "node/package.json": '{"name": "shop", "version": "1.0.0", "type": "commonjs", "scripts": {"build": "node crash.js", "test": "node --test"}}\n',
    "node/crash.js": 'const fs = require("fs");\n\nfunction load(name) {\n  return JSON.parse(fs.readFileSync(name, "utf8"));\n}\n\nload("missing.json");\n',
    "node/type.js": "function total(basket) {\n  return basket.lines.reduce((a, b) => a + b.price, 0);\n}\n\nasync function main() {\n  await null;\n  total({});\n}\n\nmain();\n",
    "node/logged.js": "for (let n = 0; n < 80; n++) {\n  const at = new Date(1700000000000 + n * 1234).toISOString();\n"
    "  const level = n % 11 === 10 ? 'error' : n % 5 === 4 ? 'warn' : 'info';\n"
    "  if (process.argv[2] === 'json') console.log(JSON.stringify({ level, time: at, pid: 42, msg: 'request ' + n, ms: n % 90 }));\n"
    "  else console.log(`${at} ${level}: GET /orders/${n} ${n % 90}ms`);\n}\n",
    "node/shop.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\n\n"
    + "".join(f"test('adds {n}', () => {{ assert.strictEqual({n} + 1, {n + 1 + (n == 5)}); }});\n" for n in range(9)),
    "node/table.js": "console.table(Object.entries(process.versions).map(([name, version]) => ({ name, version })));\n",
    "tf/main.tf": 'variable "names" {\n  default = ["tea", "milk", "bread"]\n}\n\nresource "terraform_data" "item" {\n  for_each = toset(var.names)\n'
    '  input = {\n    name = each.key\n    size = length(each.key)\n  }\n}\n\noutput "sizes" {\n  value = { for k, v in terraform_data.item : k => v.input.size }\n}\n',
    "notes/one.txt": "The quick brown fox\njumps over\nthe lazy dog\n" * 20,
    "notes/two.txt": "The quick brown fox\nleaps over\nthe lazy dog\n" * 20,
}


def make_projects(folder: Path) -> None:
    """Write them, with a git repository of some commits over all."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git = [
        "git init -q -b main .",
        "git config user.email dev@example.org && git config user.name Dev",
        *(
            f"git add {part} && git commit -q -m 'Add the {part} project' -m 'It has faults on purpose.'"
            for part in _PARTS
        ),
        "git checkout -q -b feature && sed -i s/fox/cat/ notes/one.txt && git commit -qam 'Prefer cats'",
        "git checkout -q main && sed -i s/fox/dog/ notes/one.txt && git commit -qam 'Prefer dogs' && git tag v1.0",
        "sed -i s/brown/red/ notes/two.txt c/good.c; echo new > untracked.txt; mkdir -p build && echo x > build/out.o",
    ]
    subprocess.run(["bash", "-c", "\n".join(git)], cwd=folder, env=environment(folder), check=False, timeout=30)


_PARTS = ("py", "c", "java", "go", "rust", "node", "tf", "notes")
PYTHON = sys.executable
