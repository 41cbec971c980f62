"""A short piece of each language, as somebody would write it."""

from .rarer_code_samples import RARER

SAMPLES = {
    "python": """\
import os


class Shop:
    def open(self) -> None:
        self.day = os.name


def main():
    return Shop()
""",
    "javascript": """\
const fs = require('fs');

function load(name) {
  return fs.readFileSync(name);
}

module.exports = { load };
""",
    "typescript": """\
import { A } from './a';

export interface B {
  name: string;
}

export function f(b: B): number {
  return 1;
}
""",
    "go": """\
package shop

import (
\t"fmt"
)

type Shop struct {
\tName string
}

func (s *Shop) Open() error {
\treturn nil
}
""",
    "rust": """\
use std::fmt;

#[derive(Debug)]
pub struct Shop {
    name: String,
}

impl Shop {
    pub fn new() -> Self {
        todo!()
    }
}
""",
    "java": """\
package a.b;

import java.util.List;

public class Shop {
    private final String name;

    public Shop(String name) {
        this.name = name;
    }
}
""",
    "c": """\
#include <stdio.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))

static int add(int a, int b)
{
    return a + b;
}
""",
    "cpp": """\
#include <vector>

namespace shop {

template <typename T>
class Box {
public:
    std::vector<T> items;
};

}
""",
    "csharp": """\
using System;

namespace Shop
{
    public class Till
    {
        public string Name { get; set; }

        public void Open()
        {
        }
    }
}
""",
    "ruby": """\
require 'set'

module Shop
  class Till
    attr_reader :name

    def open
      @name = 'x'
    end
  end
end
""",
    "php": """\
<?php

namespace App;

use App\\Models\\User;

class Till
{
    public function open(): void
    {
        $this->name = 'x';
    }
}
""",
    "shell": """\
set -eu

open_till() {
    local name="$1"
    if [ -z "$name" ]; then
        echo "no name" >&2
    fi
}

open_till "$@"
""",
    "sql": """\
CREATE TABLE tills (
    id integer PRIMARY KEY,
    name varchar(20) NOT NULL
);

INSERT INTO tills VALUES (1, 'a');
""",
    "kotlin": """\
package a.b

import java.io.File

class Till(val name: String) {
    fun open(): Boolean {
        return true
    }
}
""",
    "swift": """\
import UIKit

class Till: NSObject {
    private var name: String?

    func open(for day: Int) -> Bool {
        guard let name = name else { return false }
        return true
    }
}
""",
    "scala": """\
package a.b

import scala.collection.mutable._

case class Till(name: String)

object Till {
  def open(t: Till): Option[Int] = t match {
    case Till(n) => None
  }
}
""",
    "perl": """\
package Till;
use strict;
use warnings;

sub open_till {
    my ($self, $name) = @_;
    return $self->{name};
}

1;
""",
    "lua": """\
local json = require('json')

local function open(name)
  if name == nil then
    return nil
  end
  return name
end

return open
""",
    "r": """\
library(dplyr)

open_till <- function(name, day = NULL) {
  if (is.null(day)) {
    stop('no day')
  }
  x <- c(1, 2)
}
""",
    "haskell": """\
module Till where

import qualified Data.Map as Map

data Till = Till { name :: String } deriving (Show)

open :: Till -> Maybe Int
open t = Nothing
""",
    "css": """\
@media print {
  .till { display: none; }
}

.till:hover,
#day {
  color: red;
  margin: 0 auto;
}
""",
    "scss": """\
@use 'colors';
$wide: 20px;

.till {
  margin: $wide;
  &:hover {
    color: red;
  }
}
""",
    "dockerfile": """\
FROM python:3.11-slim
WORKDIR /app
COPY . .
RUN pip install -r requirements.txt
CMD ["python", "main.py"]
""",
    "makefile": """\
.PHONY: all clean

CC = gcc

all: main.o
\t$(CC) -o main $^

clean:
\trm -f *.o
""",
    "cmake": """\
cmake_minimum_required(VERSION 3.10)
project(till)

add_executable(till main.cpp)
target_link_libraries(till PRIVATE m)
""",
    "powershell": """\
param(
    [string]$Name
)

function Open-Till {
    if ($Name -eq '') {
        Write-Host 'none'
    }
}
""",
    **RARER,
}
