"""The document as YAML that every reader takes for the same: what might be a number or a time in one is quoted."""

import re
from typing import Any

import yaml

_AMBIGUOUS = re.compile(r"[-+.0-9][-+.:_0-9A-Fa-fxXoOTZ]*|~|[yYnN]|on|off|yes|no|On|Off|Yes|No|ON|OFF|YES|NO")
_WIDTH = 110


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        """The same part in two places is written twice: anchors are more than some readers know."""
        return True


def _string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if _AMBIGUOUS.fullmatch(text) else "|" if "\n" in text.strip("\n") else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _enumerated(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return _string(dumper, str.__str__(text))  # its value, where str() says its name


_Dumper.add_representer(str, _string)
_Dumper.add_multi_representer(str, _enumerated)


def to_yaml(document: dict[str, Any]) -> str:
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
