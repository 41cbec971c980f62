"""Be ready before the first text comes."""

from .language import evidence_pattern, line_pattern, outline_pattern, probe_pattern, sign_pattern
from .languages import LANGUAGES


def warm_up() -> None:
    """Compile what a text of code would else wait for: some 200 ms in all, of which a single one may need 50."""
    for language in LANGUAGES:
        sign_pattern(language)
        outline_pattern(language)
        evidence_pattern(language)
        for pattern in (language.imports, language.members):
            line_pattern(pattern)
        for pattern in (language.first, *(dialect.pattern for dialect in language.dialects)):
            probe_pattern(pattern)
