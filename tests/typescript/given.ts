// What the scenes share: three connections, a session, what a call's ids are, and texts.

import type { Cable } from "./cable.ts";
import type { Connection, Ids } from "./connection.ts";
import type { Block, StubEvent } from "./contract.ts";
import type { Stubs } from "./stubs.ts";

export interface Given {
  session: string;
  /** Hears the session through `cable`. */
  agent: Connection;
  stubs: Stubs;
  cable: Cable;
  /** Publishes as a tool's user: it hears nothing but acknowledgements. */
  tool: Connection;
  /** Of the same agent, by another way. */
  other: Connection;
}

const LINE = "行 日志 of a log 🧥\n";

/** A text whose chars, UTF-16 units and bytes are of three different numbers. */
export function long(lines: number): string {
  return Array.from({ length: lines }, (_, number) => `${number} ${LINE}`).join("");
}

export function ids(given: Given, call: string, turn = ""): Ids {
  return { session: given.session, turn, call };
}

export function textOf(event: StubEvent): string {
  if (typeof event.content === "string") return event.content;
  return event.content.map((block: Block) => (block.type === "text" ? block.text : "")).join("\n");
}
