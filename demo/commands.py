"""Commands with large output that any machine with Python can run: one for each kind of content."""

import sys

import msgspec

PYTHON = sys.executable


class DemoCommand(msgspec.Struct, frozen=True):
    """A tool's name as an agent would call it, and what it runs."""

    tool: str
    argv: list[str]


def _python(tool: str, code: str) -> DemoCommand:
    return DemoCommand(tool, [PYTHON, "-c", code])


_IMPORTS = "import sys, asyncio, unittest.mock, http.server, xml.dom.minidom, email.mime.text, minio, faststream.nats"

COMMANDS = [
    DemoCommand("pip_inspect", [PYTHON, "-m", "pip", "inspect", "--local"]),
    _python(
        "list_files",
        "import csv, os, sys, sysconfig\n"
        "rows = csv.writer(sys.stdout)\n"
        "rows.writerow(['path', 'bytes', 'lines'])\n"
        "root = sysconfig.get_path('stdlib')\n"
        "names = sorted(n for n in os.listdir(root) if n.endswith('.py'))\n"
        "for name in names * 5:\n"
        "    data = open(os.path.join(root, name), 'rb').read()\n"
        "    rows.writerow([os.path.join(root, name), len(data), data.count(b'\\n')])\n",
    ),
    _python(
        "module_tree",
        "import ast, inspect, xml.etree.ElementTree as E, argparse, logging, subprocess\n"
        "root = E.Element('modules')\n"
        "for m in (argparse, logging, subprocess):\n"
        "    node = E.SubElement(root, 'module', name=m.__name__)\n"
        "    for n in ast.walk(ast.parse(inspect.getsource(m))):\n"
        "        if isinstance(n, ast.FunctionDef):\n"
        "            E.SubElement(node, 'function', name=n.name, line=str(n.lineno), statements=str(len(n.body)))\n"
        "E.indent(root)\n"
        "print(E.tostring(root, encoding='unicode'))\n",
    ),
    _python(
        "build_config",
        "import sysconfig, sys, os, yaml\n"
        "yaml.safe_dump({'paths': sysconfig.get_paths(), 'build': sysconfig.get_config_vars(),\n"
        "    'modules': sorted(sys.stdlib_module_names)}, sys.stdout, sort_keys=False)\n",
    ),
    _python("read_source", "import inspect, argparse; print(inspect.getsource(argparse))"),
    # Python's own log of its imports, as any verbose tool writes one; the command fails, and the stub has to say so.
    DemoCommand("run_tests", [PYTHON, "-X", "importtime", "-c", f"{_IMPORTS}; sys.exit('FAILED: 2 of 41 tests')"]),
    DemoCommand("read_manual", [PYTHON, "-m", "pydoc", "argparse"]),
    _python("read_binary", "import sys; sys.stdout.buffer.write(open(sys.executable, 'rb').read(300_000))"),
    DemoCommand("python_version", [PYTHON, "--version"]),
]
