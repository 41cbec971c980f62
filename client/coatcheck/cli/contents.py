"""What commands there are, by purpose, with the line that the group's help shows: listing them imports none."""

TRY_IT = {
    "up": "Run everything on this machine: NATS, object storage, workers.",
    "synopsis": "Show the stub that a file would get; needs no server.",
}
RESULTS = {
    "publish": "Publish a file as a tool's result and print what stands for it.",
    "exec": "Run a command and publish its output as a tool's result.",
    "turn": "End a turn, and show what was decided of its results.",
    "watch": "Print a session's stubs as they come.",
}
RETRIEVAL = {
    "list": "List a session's originals.",
    "read": "Read an original, whole or in part.",
    "search": "Find passages in a session's originals.",
    "link": "Make a URL that gives an original's bytes.",
    "delete": "Delete a result, or all of a session.",
}
AGENTS = {
    "fs": "List, read, write and search a session's files.",
    "clear": "Put placeholders in place of a conversation's old results.",
    "tools": "Print the definitions of an agent's tools; needs no server.",
}
OPERATING = {
    "worker": "Run a worker against configured servers.",
    "provision": "Declare streams, consumers and the bucket, or show drift.",
    "doctor": "Find out what is wrong with a deployment, and how to mend it.",
    "top": "Watch the workers, the queue and the streams.",
    "grant": "Make NATS credentials for an agent, a tool or an operator.",
    "dlq": "List, show, retry or drop dead letters.",
    "config": "Show every setting, its value and where it comes from.",
    "completion": "Print what makes a shell complete commands and options.",
}

SECTIONS = {
    "Try it": TRY_IT,
    "Results": RESULTS,
    "Retrieval": RETRIEVAL,
    "Files and context": AGENTS,
    "Operating": OPERATING,
}
OTHERS = "Others"
"""The section of what another distribution brings through the entry points."""

OF_THE_SERVER = frozenset({"up", "worker", "provision", "dlq", "doctor", "top", "grant"})
"""Those that come with `coatcheck[server]`, through the entry points; all others are the client's own."""

EXTRAS = {"up": "embedded"}
"""The extra that brings all that a command of the server needs, where `server` does not."""

CLIENT_COMMANDS = {
    name: line for section in SECTIONS.values() for name, line in section.items() if name not in OF_THE_SERVER
}
SERVER_COMMANDS = {
    name: line for section in SECTIONS.values() for name, line in section.items() if name in OF_THE_SERVER
}

EXIT_CODES = """\b
Exit codes:
  0    done
  1    not done, or not all of it; or search and fs grep found nothing, doctor
       something that fails, provision --check a difference
  2    wrong usage or configuration
  130  interrupted
  exec exits with its command's code, and as a shell with 127 or 126 where it
  cannot be run.
"""

EXAMPLES = """\b
Examples:
  coatcheck up
  coatcheck synopsis report.json
  coatcheck exec -- python3 -m pydoc argparse
  coatcheck list --newest --limit 5
  coatcheck read coat://s1/... --follow-pages > original.txt
"""
"""Of the commands named, which have more in their own help."""
