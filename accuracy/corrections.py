"""Labels that somebody read and put right, by the end of a file's path; None leaves the file out.

README.md tells how many were read, how many were wrong, and which rules that changed.
"""

CORRECTIONS: dict[str, str | None] = {}
