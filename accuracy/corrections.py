"""Labels that somebody read and put right, by what a file's path matches; None leaves the file out.

README.md tells how many were read, how many were wrong, and which rules that changed.
"""

CORRECTIONS: dict[str, str | None] = {
    r"/usr/include/.*\.cfg": "code/c",  # headers of macros
    r".*/unicore/lib/.*": None,  # hundreds of tables of numbers, each within a line of Perl
    r".*[Cc]onf(?:ig)?\.sh": None,  # assignments alone: settings to some, a script to others
    r".*/R/library/.*/SOURCES\.ts": None,  # a list of names
    r".*/tokenizedata/.*\.txt": "code/python",
    r".*/testdata/.*\.txt": None,  # archives of several sources in one, scripts, and expected outputs of anything
}
