"""The tools by which an agent's model reads what Coatcheck keeps: their definitions, and calling them.

    tools = definitions(format="anthropic")
    answer = await client.call_tool("my-session", name, arguments)      # whatever the model gave

`answer.text` goes into the tool message. Where that is published as a result again, it is with `answer.source_ref`.
"""

from .answer import ToolAnswer
from .definitions import Definition, Format, definitions
from .words import Language

__all__ = ["Definition", "Format", "Language", "ToolAnswer", "definitions"]
