"""Look for input that the synopsis and its stubs do not bear. `python -m fuzz` searches, guided by coverage.

`python -m fuzz.slowest`, `fuzz.memory` and `fuzz.patterns` measure what is known to hurt; prefixes are
`python -m accuracy --prefixes`.
"""
