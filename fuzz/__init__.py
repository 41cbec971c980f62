"""Look for input that the synopsis and its stubs do not bear. `python -m fuzz` searches, guided by coverage.

`python -m fuzz.slowest`, `fuzz.memory`, `fuzz.prefixes` and `fuzz.patterns` measure what is known to hurt.
"""
