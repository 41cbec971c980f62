"""The same of languages that are met less often."""

RARER = {
    "batch": """\
@echo off
setlocal
if not exist till goto missing
call :open %1
goto :eof

:missing
echo none
exit /b 1
""",
    "protobuf": """\
syntax = "proto3";

package till;

message Till {
  string name = 1;
  repeated int32 days = 2;
}
""",
    "graphql": """\
type Till {
  id: ID!
  name: String
  days: [Day!]!
}

scalar Day

type Query {
  till(id: ID!): Till
}
""",
    "hcl": """\
variable "name" {
  type = string
}

resource "aws_instance" "till" {
  ami = var.name
}
""",
    "elixir": """\
defmodule Till do
  alias App.Day

  @doc "Opens."
  def open(name) do
    name |> String.trim()
  end
end
""",
    "dart": """\
import 'package:flutter/material.dart';

class Till extends StatelessWidget {
  final String name;

  @override
  Widget build(BuildContext context) {
    return Text(name);
  }
}
""",
    "vue": """\
<template>
  <div v-if="open">{{ name }}</div>
</template>

<script setup>
import { ref } from 'vue'

const open = ref(true)
</script>
""",
    "julia": """\
using LinearAlgebra

struct Till
    name::String
end

function open(t::Till)
    println(t.name)
end
""",
    "objective-c": """\
#import <Foundation/Foundation.h>

@interface Till : NSObject

@property (nonatomic) NSString *name;

- (void)open:(int)day;

@end
""",
    "assembly": """\
\t.text
\t.globl\tmain
main:
\tpushq\t%rbp
\tmovq\t%rsp, %rbp
\tmovl\t$0, %eax
\tret
""",
    "tcl": """\
package require Tk

proc open_till {name} {
    set day [clock seconds]
    if {$name eq ""} {
        return 0
    }
    puts $name
}
""",
    "awk": """\
BEGIN { FS = "," }

$3 > 10 {
    total += $3
    print $1, NR
}

END { print total }
""",
    "vim": """\
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1

setlocal tabstop=4
nnoremap <buffer> x :call Open()<CR>
""",
    "erlang": """\
-module(till).
-export([open/1]).

open(Name) ->
    case Name of
        undefined -> error;
        _ -> {ok, Name}
    end.
""",
    "lisp": """\
;;; till.el --- a till -*- lexical-binding: t -*-

(require 'cl-lib)

(defun till-open (name)
  "Open NAME."
  (interactive)
  (message name))
""",
    "solidity": """\
pragma solidity ^0.8.0;

contract Till {
    mapping(address => uint256) public days;

    function open() external returns (bool) {
        return true;
    }
}
""",
}
