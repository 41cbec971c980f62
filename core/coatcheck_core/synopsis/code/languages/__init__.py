"""The languages that are told apart, as tables by family."""

from coatcheck_core.synopsis.code.language import Language

from .brackets import BRACKETS
from .building import BUILDING
from .c_family import C_FAMILY
from .classes import CLASSES
from .declaring import DECLARING
from .functional import FUNCTIONAL
from .scripting import SCRIPTING
from .shells import SHELLS
from .web import WEB

LANGUAGES: tuple[Language, ...] = (
    *SCRIPTING,
    *WEB,
    *C_FAMILY,
    *BRACKETS,
    *CLASSES,
    *SHELLS,
    *DECLARING,
    *BUILDING,
    *FUNCTIONAL,
)
"""Of two that fit equally well the first is taken."""
