"""What a synopsis of code shows of it: imports, definitions, what lies in them, and on which lines."""

import pytest
from tests.support.code_samples import SAMPLES

from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.synopsis import CodeFacts

SYMBOLS = {
    "python": ["class Shop:", "def main():"],
    "javascript": ["function load(name) {", "module.exports = { load };"],
    "typescript": ["export interface B {", "export function f(b: B): number {"],
    "go": ["type Shop struct {", "func (s *Shop) Open() error {"],
    "rust": ["pub struct Shop {", "impl Shop {"],
    "java": ["public class Shop {"],
    "c": ["#define MAX(a, b) ((a) > (b) ? (a) : (b))", "static int add(int a, int b)"],
    "cpp": ["namespace shop {", "template <typename T>", "class Box {"],
    "csharp": ["namespace Shop", "public class Till"],
    "ruby": ["module Shop", "class Till"],
    "php": ["namespace App;", "class Till"],
    "shell": ["open_till() {"],
    "sql": ["CREATE TABLE tills ("],
    "kotlin": ["class Till(val name: String) {"],
    "swift": ["class Till: NSObject {"],
    "scala": ["case class Till(name: String)", "object Till {"],
    "perl": ["package Till;", "sub open_till {"],
    "lua": ["local function open(name)"],
    "r": ["open_till <- function(name, day = NULL) {"],
    "haskell": [
        "module Till where",
        "data Till = Till { name :: String } deriving (Show)",
        "open :: Till -> Maybe Int",
    ],
    "css": ["@media print {", "#day {"],
    "dockerfile": ["FROM python:3.11-slim", "WORKDIR /app", 'CMD ["python", "main.py"]'],
    "makefile": ["all: main.o", "clean:"],
    "protobuf": ["package till;", "message Till {"],
    "elixir": ["defmodule Till do"],
    "hcl": ['variable "name" {', 'resource "aws_instance" "till" {'],
}
MEMBERS = {
    "python": ["def open(self) -> None:"],
    "rust": ["pub fn new() -> Self {"],
    "java": ["public Shop(String name) {"],
    "csharp": ["public string Name { get; set; }", "public void Open()"],
    "ruby": ["attr_reader :name", "def open"],
    "php": ["public function open(): void"],
    "kotlin": ["fun open(): Boolean {"],
    "swift": ["func open(for day: Int) -> Bool {"],
    "scala": ["def open(t: Till): Option[Int] = t match {"],
    "sql": ["INSERT INTO tills VALUES (1, 'a');"],
    "elixir": ["def open(name) do"],
}
IMPORTS = {
    "python": ["import os"],
    "javascript": ["const fs = require('fs');"],
    "typescript": ["import { A } from './a';"],
    "go": ['"fmt"'],
    "rust": ["use std::fmt;"],
    "java": ["import java.util.List;"],
    "c": ["#include <stdio.h>"],
    "csharp": ["using System;"],
    "ruby": ["require 'set'"],
    "php": ["use App\\Models\\User;"],
    "swift": ["import UIKit"],
    "perl": [],
}


def facts_of(text: str) -> CodeFacts:
    facts = synopsize(text.encode()).facts
    assert isinstance(facts, CodeFacts)
    return facts


@pytest.mark.parametrize("language", SYMBOLS)
def test_definitions_are_shown_as_they_stand(language: str) -> None:
    facts = facts_of(SAMPLES[language])
    assert (facts.symbols, facts.symbol_count) == (SYMBOLS[language], len(SYMBOLS[language]))


@pytest.mark.parametrize("language", MEMBERS)
def test_what_lies_in_few_definitions_is_shown(language: str) -> None:
    assert facts_of(SAMPLES[language]).members == MEMBERS[language]


@pytest.mark.parametrize("language", IMPORTS)
def test_imports_are_shown(language: str) -> None:
    assert facts_of(SAMPLES[language]).imports == IMPORTS[language]


@pytest.mark.parametrize("language", SYMBOLS)
def test_a_definition_stands_on_the_line_that_is_told(language: str) -> None:
    facts = facts_of(SAMPLES[language])
    lines = [" ".join(line.split()) for line in SAMPLES[language].split("\n")]
    assert [lines[number] for number in facts.symbol_lines] == facts.symbols
    assert [lines[number] for number in facts.member_lines] == facts.members


def test_an_import_of_several_lines_is_one() -> None:
    facts = facts_of("import {\n  a,\n  b,\n} from 'x';\nimport c from 'y';\n\nexport const d = a(b, c);\n")
    assert facts.imports == ["import { a, b, } from 'x';", "import c from 'y';"]


def test_a_bracketed_import_of_python_is_folded() -> None:
    assert facts_of("from a import (\n    b,\n    c,\n)\nimport d\n\n\ndef f():\n    return b\n").imports == [
        "from a import ( b, c, )",
        "import d",
    ]


def test_many_definitions_leave_no_room_for_members() -> None:
    facts = facts_of("import os\n" + "".join(f"class A{n}:\n    def m(self):\n        pass\n" for n in range(30)))
    assert (len(facts.symbols), facts.symbol_count, facts.members) == (24, 30, [])


def test_members_and_symbols_together_are_bounded() -> None:
    facts = facts_of("class A:\n" + "".join(f"    def m{n}(self):\n        return self.x\n" for n in range(100)))
    assert (len(facts.symbols) + len(facts.members), facts.member_count) == (24, 100)


def test_a_definition_of_one_long_line_is_cut() -> None:
    facts = facts_of("import os\n\ndef f(" + "a, " * 5000 + "b):\n    return 1\n\ndef g():\n    return 2\n")
    assert [len(symbol) for symbol in facts.symbols] == [200, len("def g():")]
    assert facts.symbol_lines == [2, 5]


def test_a_name_may_be_of_any_script() -> None:
    facts = facts_of("import os\n\n\ndef größe(x):\n    return x\n\n\nclass 店:\n    pass\n")
    assert facts.symbols == ["def größe(x):", "class 店:"]


def test_lines_are_those_of_the_whole_text() -> None:
    assert facts_of(SAMPLES["go"].removesuffix("\n")).lines == SAMPLES["go"].count("\n")
