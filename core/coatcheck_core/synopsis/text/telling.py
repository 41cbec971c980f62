"""Whether a line says how something went: as shells, compilers, test runners and tools end, in English and Chinese.

Each pattern is how a program says it. A sentence that holds such a word does not count.
"""

import re

import msgspec

_ENDINGS_FIRST = re.compile(
    r"""
      \W{0,6}(?:totals?|sum|summary|results?|overall)\b[^\n.]{0,40}?[:= ]\s{0,12}\d
    | \s*(?:result|status|outcome|conclusion|verdict)\s?[:=]\s*[a-z][\w -]{0,40}$ | \(?\d+[ ]rows?\b[^\n]{0,30}$
    | \s*Ran[ ]\d+[ ]tests?\b | \s*Tests?(?:[ ]Suites)?:?\s+\d+ | Tests[ ]run:
    | \W{0,6}(?:build|tests?|compilation|deploy(?:ment)?|command|job|task|pipeline|step|stage|run|upload|download
        |install(?:ation)?|release)\b[^\n.]{0,40}?\b(?:succeeded|successful(?:ly)?|success|failed|failure|passed
        |completed?|aborted|cancell?ed|errored|timed[ ]out)\b
    | \s*(?:Apply|Destroy|Plan)(?:[ ]complete)?[!:][^\n]{0,120}\d | PLAY[ ]RECAP
    | (?:sent|total[ ]size[ ]is)[ ][\d,.]+ | \s*\d+[ ]packages?[ ]can[ ]be | \d+[ ](?:upgraded|to[ ]upgrade),
    | (?:added|removed|changed|audited|up[ ]to[ ]date)[, ][^\n]{0,20}\d+[ ]packages? | \d+\+\d+[ ]records[ ]out
    | Successfully[ ](?:installed|built|tagged|pushed|created)\b | Already[ ]up[ -]to[ -]date
    | nothing[ ]to[ ](?:commit|do)\b | Everything[ ]up-to-date | Requirement[ ]already | \s*make(?:\[\d+\])?:\s\*\*\*
    | ninja:[ ] | npm[ ](?:ERR!|error) | yarn[ ](?:error|info)[ ] | \s*Process[ ]finished | curl:[ ]\(\d+\)
    | rsync[ ]error: | \d+:\d+:\d+[ ]?\S*[ ]elapsed | (?:real|user|sys)\s+\d+m[\d.]+s$
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ENDINGS_WITHIN = re.compile(
    r"""
      \bexit(?:ed|s)?[ ]?(?:with[ ])?(?:code|status|value)?[ ]?[:=]?[ ]?-?\d{1,3}\b(?![.]\d)
    | \b(?:return(?:ed)?|process|error|exit)[ _](?:code|status)[ ]?(?:is|was|of|=|:)?[ ]?-?\d
    | \b\d+[ ](?:passed|failed|errors?|warnings?|failures?|skipped|succeeded|problems?|passing|failing|pending
        |ignored)\b
    | \b\d+[ ](?:tests?|specs?|examples?|suites?|rows?|records?|files?|targets?|packages?|objects?|issues?|bytes?
        |vulnerabilities)[ ](?:passed|failed|ran|run|changed|copied|processed|affected|in[ ]set|selected|inserted|found
        |built|installed|scanned|checked|reformatted|left|would|were|are|transferred|in[ ][\d.])
    | \b(?:finished|completed?|done|took|elapsed|built|compiled|real|duration|total[ ]time|time)\b[^\n.]{0,30}?
        (?:\b(?:in|after)|[:=]|\s)\s?\d+(?:[.:]\d+)*\s?(?:m?s\b|sec|min|h\b|m\d)
    | \bok=\d+\s+changed=\d+ | \b(?:Active|Main[ ]PID|Status):[ ][^\n]{0,80}\b(?:failed|inactive|exited|code=)
    | \bcode=(?:exited|killed|dumped),[ ]status=
    """,
    re.VERBOSE | re.IGNORECASE,
)
_VERDICTS_FIRST = re.compile(
    r"""
      (?:ok|FAIL|PASS)(?:\s+\S+)?(?:\s+\S+)?\s*$ | \s*OK\b[^\n]{0,40}$
    | \s*(?:FAILED|ERROR|PASSED|FAILURE|SUCCESS|FAILURES|ABORTED)\b[ !:(]?[^\n]{0,160}$ | ---[ ](?:FAIL|PASS|SKIP):
    | test[ ]result: | \#[ ](?:pass|fail|tests)[ ]\d
    | \s*(?:[A-Za-z_][\w]*[.:]{1,2})*(?:[A-Z]\w*)?(?:Error|Exception|Interrupt|Exit|Failure|Panic)\b(?::|\s*$|[ ]\[)
    """,
    re.VERBOSE,
)
_VERDICTS_WITHIN = re.compile(
    r"""
      \b(?:BUILD|COMPILATION|TESTS?|INSTALLATION|DEPLOYMENT|RELEASE|PIPELINE|JOB)[ ]
        (?:FAILED|FAILURE|SUCCESS(?:FUL)?|SUCCEEDED|ABORTED|CANCELED|CANCELLED|ERRORED)\b
    """,
    re.VERBOSE,
)
_TROUBLE_FIRST = re.compile(
    r"""
      (?:[\w./@+-]{1,60}:[ ]?){0,3}(?:\d+:){0,2}[ ]?\W{0,4}(?:fatal|error|panic|failed|failure|abort(?:ed)?
        |critical|exception|unhandled|uncaught|traceback)\b(?:\[[\w-]{1,20}\]|[ ][\w()-]{1,20})?[:!]
    | \W{0,4}(?:fatal|error|failed|failure|killed|aborted|terminated|cancell?ed|timeout)\W{0,4}$
    | (?:[\w./@+-]{1,80}:[ ])+[^\n.'"]{0,120}\b(?:not[ ]found|denied|no[ ]such[ ]file|timed[ ]out|refused|failed
        |failure|cannot|unable|invalid|error|unrecognized|missing|exhausted)\b
    | (?:E|W|Err):[ ]?\S | \[(?:error|fatal|critical|failed)\]\W | error(?:\[[A-Z]\d+\])?: | error[ ]Command[ ]failed
    | (?:Segmentation[ ]fault|Killed|Aborted|Bus[ ]error|Illegal[ ]instruction|Terminated|Alarm[ ]clock
        |Floating[ ]point[ ]exception|Out[ ]of[ ]memory)\b
    | (?:Command|Process|Script|Job|Task|Container|Pod)\b[^\n]{0,120}\b(?:failed|terminated|killed|died|crashed
        |returned[ ]non-zero|exited|signal)\b
    | thread[ ]'[^']{0,100}'[^\n]{0,20}[ ]panicked[ ]at
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TROUBLE_WITHIN = re.compile(
    r"""
      (?<![\w"'`.=-])(?-i:ERROR|FATAL|CRITICAL|PANIC|SEVERE)(?![\w"'`=.])[^\n]{0,200}$
    | \b(?:core[ ]dumped|oom-?kill(?:ed)?|out[ ]of[ ]memory|permission[ ]denied|connection[ ](?:refused|reset
        |timed[ ]out)|no[ ]space[ ]left|command[ ]not[ ]found)\b
    | \breturned[ ](?:a[ ])?non-zero\b | (?-i:\bFAILED\b)[^\n]{0,80}$
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ENDING_WORDS = (
    *("exit", "code", "status", "fail", "pass", "error", "warning", "skipp", "succee", "problem", "pending", "ignored"),
    *("test", "spec", "example", "suite", "row", "record", "file", "target", "package", "object", "issue", "byte"),
    *("vulnerabilit", "finish", "complete", "done", "took", "elapsed", "built", "compiled", "real", "duration", "time"),
    *("ok=", "active:", "pid:"),
)
_VERDICT_WORDS = ("fail", "succe", "abort", "cancel", "error")
_TROUBLE_WORDS = (
    *("error", "fatal", "critical", "panic", "severe", "failed", "non-zero", "core dumped", "oom", "out of memory"),
    *("permission denied", "connection ", "no space left", "command not found"),
)
_WORDS = (_ENDING_WORDS, _VERDICT_WORDS, _TROUBLE_WORDS)
"""In lower case: one of each stands in what the pattern of that name finds within a line."""
_CHINESE = re.compile(
    r"退出(?:码|代码|状态)[为是]?\s*[:：=]?\s*-?\d|返回(?:码|值)\s*[:：=]?\s*-?\d|错误\s*[:：]|致命错误|异常\s*[:：]|失败\s*[:：!！]"
    r"|[^。，]{0,40}(?:失败|超时|中止|终止|被拒绝)[。!！]?$"
    r"|^\W{0,4}(?:构建|编译|测试|部署|安装|任务|执行|运行|下载|上传|同步|全部)[^。]{0,20}(?:成功|失败|完成|通过|中止|超时)|(?:总计|合计|共计"
    r"|共)\s*[:：]?\s*\d|\d+\s*(?:个|项|条)?\s*(?:通过|失败|错误|警告|跳过)"
    r"|(?:耗时|用时|历时)\s*[:：]?\s*\d|^结果\s*[:：]"
)
_BARE_TOTAL = re.compile(r"\s*totals?\W*\d+\s*", re.IGNORECASE)
_CODE = re.compile(
    r"\s*(?:#|//|/\*|\*\s|return\b|raise\b|throw\b|if\b|elif\b|else\b|def\b|for\b|while\b|except\b|catch\b"
    r"|assert\b|import\b|print|echo\b"
    r"|console\.|logger\.|log\.|self\.|@|exit\(|sys\.exit|export\b|set\s|trap\b)|.*[;{}]\s*$"
    r"|\s*\w+\s?=\s?[\"'\[{]|\s*[\"'<{|]|\s*[\w-]+: \||.*=>|\s*[.\\$]\w"
)
_SURE = re.compile(
    r"^\W{0,2}(?:exit(?:ed)?|Process|Command|The command)\b.{0,60}\b(?:code|status)\b[ :=]*-?\d{1,3}\W{0,2}$"
    r"|\bBUILD (?:FAILED|FAILURE|SUCCESS(?:FUL)?)\b|^make(?:\[\d+\])?: \*\*\*|^npm ERR!"
    r"|^=+ .*\b\d+ (?:passed|failed)\b.* =+$"
)
_MOST_WORDS = 24
_LONGEST_CHINESE = 100
_SENTENCE_WORDS = 9


class Words(msgspec.Struct, frozen=True):
    """Those of the words above that a text has: to look for them is quicker than to search each of its lines."""

    endings: list[str]
    verdicts: list[str]
    trouble: list[str]


def words_of(text: str) -> Words:
    lowered = text.lower()
    return Words(*([word for word in words if word in lowered] for words in _WORDS))


def tells(line: str, words: Words) -> bool:
    """Whether a program ends so; false for sentences, and for code that would print it.

    `words` are those of the line, or of a text that it is in.
    """
    if _VERDICTS_FIRST.match(line):
        return len(line.split()) <= _MOST_WORDS
    if _CODE.match(line):
        return False
    lowered = line.lower()
    if (
        _ENDINGS_FIRST.match(line)
        or (_has(lowered, words.endings) and _ENDINGS_WITHIN.search(line))
        or (_has(lowered, words.verdicts) and _VERDICTS_WITHIN.search(line))
    ):
        return len(line.split()) <= _MOST_WORDS
    if not line.isascii() and _CHINESE.search(line):
        return len(line) <= _LONGEST_CHINESE
    is_trouble = _TROUBLE_FIRST.match(line) or (_has(lowered, words.trouble) and _TROUBLE_WITHIN.search(line))
    return bool(is_trouble) and not _is_sentence(line)


def _has(lowered: str, words: list[str]) -> bool:
    return any(map(lowered.__contains__, words))


def tells_surely(line: str) -> bool:
    """What nothing says but a shell or a build."""
    return _SURE.search(line) is not None and len(line.split()) <= _MOST_WORDS


def is_bare_total(line: str) -> bool:
    """`total 40` says how it went only at the very end: `ls -lR` has one for each folder."""
    return _BARE_TOTAL.fullmatch(line) is not None


def _is_sentence(line: str) -> bool:
    """Words alone, without the colon, figure, path or bracket of a message."""
    words = line.split()
    return len(words) > _SENTENCE_WORDS and not re.search(r":\s|\d|/|\[|\(", line)
