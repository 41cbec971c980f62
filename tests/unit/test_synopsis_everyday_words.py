"""Words that an assembler or a script has as well are no code, line after line, without anything else of it."""

import pytest
from tests.unit.test_synopsis_code import language_of

COUNTED = ["add", "call", "global", "jmp", "pop", "push", "str", "test", "string", "variable"]
TO_DO = "add milk to the list\ncall mom about dinner\ntest the build\npush the release\nadd tests\n"


@pytest.mark.parametrize("word", COUNTED)
@pytest.mark.parametrize("after", ["", " is next"])
def test_a_word_and_a_number_on_each_line_is_text(word: str, after: str) -> None:
    assert language_of("\n".join(f"{word} {number}{after}" for number in range(2000))) is None


@pytest.mark.parametrize("times", [1, 50])
def test_a_list_of_what_is_to_be_done_is_text(times: int) -> None:
    assert language_of(TO_DO * times) is None


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("assembly", "section .text\nglobal _start\n_start:\n  mov eax, 1\n  int 0x80\n"),
        ("assembly", "mov rax, rbx\nadd rax, 5\nret\n"),
        ("assembly", "ldr r0, [sp, #4]\nadd r0, r0, #1\nbl foo\n"),
        ("assembly", "addi sp, sp, -16\nsub a0, a0, a1\njmp next\nret\n"),
        ("assembly", "push rbp\npop rbp\nret\nnop\n"),
        ("assembly", "loop:\n  call next\n  jmp loop\n  ret\n"),
        ("batch", "echo hello\ncall build.cmd\ncall test.cmd x\n"),
        ("batch", "set X=1\ncall :sub %X%\ngoto end\n"),
    ],
)
def test_with_a_register_a_label_or_a_directive_it_is_code(language: str, text: str) -> None:
    assert language_of(text) == language
