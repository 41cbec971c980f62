// Scenes of what is stored: pages, passages, lists, files, links, and errors.

import assert from "node:assert/strict";

import { RequestError, type Found, type Listed, type Match, type Page } from "./contract.ts";
import { ids, long, type Given } from "./given.ts";
import { ref, resultId, sliced } from "./segments.ts";

const TEXT = long(3000);
const NO_OTHER = "coat://s2/call_1-0a1b2c3d4e5f60718293a4b5c6d7e8f9";

function reference(given: Given): string {
  return ref(given.session, resultId("large", Buffer.from(TEXT, "utf8")));
}

/** Page by page from the start to the end, and the last lines. */
export async function read(given: Given): Promise<number> {
  let whole = "";
  let pages = 0;
  let next: Page["next"] = { unit: "chars", offset: 0 };
  while (next !== null) {
    const page: Page = await given.agent.ask("read", given.session, { ref: reference(given), ...next, limit: 9000 });
    whole += page.content;
    pages++;
    next = page.has_more ? page.next : null;
  }
  assert.equal(whole, TEXT);
  const request = { ref: reference(given), unit: "lines", offset: -2, numbered: true };
  const end = await given.agent.ask<Page>("read", given.session, request);
  assert.equal(end.content, "  2999\t2998 行 日志 of a log 🧥\n  3000\t2999 行 日志 of a log 🧥\n");
  return pages;
}

/** Passages, page by page; where a match lies goes straight into the text. */
export async function search(given: Given): Promise<number> {
  const matches: Match[] = [];
  let cursor: string | null = null;
  do {
    const request = { query: "^\\d*77 行", regex: true, ref: reference(given), limit: 7, cursor };
    const found: Found = await given.agent.ask("search", given.session, request);
    matches.push(...found.matches);
    cursor = found.has_more ? found.cursor : null;
  } while (cursor !== null);
  for (const match of matches) {
    assert.match(sliced(TEXT, match.offset, match.offset + match.length), /^\d*77 行$/u);
    assert.equal(sliced(TEXT, 0, match.offset).split("\n").length - 1, match.line);
  }
  return matches.length;
}

export async function list(given: Given): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const found: Listed = await given.agent.ask("list", given.session, { limit: 3, cursor });
    names.push(...found.tool_results.map((one) => one.tool_name));
    cursor = found.has_more ? found.cursor : null;
  } while (cursor !== null);
  return names;
}

/** Results as files, and a file of the session's own, which of two edits at once loses none. */
export async function files(given: Given): Promise<[string[], number, string]> {
  const ask = <Ok>(operation: string, request: object): Promise<Ok> =>
    given.agent.ask<Ok>("fs", given.session, request, operation);
  const listed = await ask<{ entries: { path: string }[] }>("ls", { path: "/" });
  const request = { pattern: " 日志 ", path: "/large_tool_result/large", mode: "count" };
  const counted = await ask<{ counts: { count: number }[] }>("grep", request);
  const written = await ask<{ version: string }>("write", { path: "plan.md", content: "1. read\n", if_version: "0" });
  const change = { path: "plan.md", old_string: "read", new_string: "read 日志", if_version: written.version };
  const edited = await ask<{ version: string }>("edit", change);
  const late = await refused(ask("edit", { ...change, new_string: "lost" }));
  assert.equal(late.details["version"], edited.version);
  assert.equal((await ask<Page>("read", { path: "/plan.md" })).content, "1. read 日志\n");
  return [listed.entries.map((entry) => entry.path), counted.counts[0]?.count ?? 0, late.code];
}

/** A plain GET of the bytes as they were. */
export async function link(given: Given): Promise<number> {
  const { url } = await given.agent.ask<{ url: string }>("link", given.session, { ref: reference(given) });
  const response = await fetch(url);
  assert.equal(await response.text(), TEXT);
  return response.status;
}

/** What was read back by a tool that reads is not offloaded again. */
export async function readBack(given: Given): Promise<string> {
  const page = await given.agent.ask<Page>("read", given.session, { ref: reference(given), limit: 25_000 });
  const result = { tool_name: "tool_result_read", content: page.content, source_ref: reference(given) };
  await given.agent.publish(ids(given, "back"), result);
  const event = await given.stubs.of("", "back");
  assert.equal(event.content, sliced(TEXT, 0, 25_000));
  return `${event.disposition} ${event.reason}`;
}

/** What a reply says where it cannot be done, and that another session is out of reach. */
export async function errors(given: Given): Promise<[string, number][]> {
  const asked = [
    given.agent.ask("read", given.session, { ref: NO_OTHER }),
    given.agent.ask("read", given.session, { ref: reference(given), ofset: 3 }),
    given.agent.ask("search", given.session, { query: "(?=x)", regex: true }),
  ];
  const found = await Promise.all(asked.map((one) => refused(one)));
  await assert.rejects(given.agent.ask("list", "s2", {}), /[Pp]ermissions [Vv]iolation/);
  await assert.rejects(given.tool.ask("read", given.session, { ref: reference(given) }), /[Pp]ermissions [Vv]iolation/);
  return found.map((error) => [error.code, error.number]);
}

/** What is deleted is gone, and says when. */
export async function deleted(given: Given): Promise<[number, string]> {
  const reply = await given.agent.ask<{ deleted: number }>("delete", given.session, { ref: reference(given) });
  const late = await refused(given.agent.ask("read", given.session, { ref: reference(given) }));
  assert.ok(!Number.isNaN(Date.parse(String(late.details["deleted_at"]))));
  return [reply.deleted, late.code];
}

async function refused(asked: Promise<unknown>): Promise<RequestError> {
  try {
    await asked;
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error("this was to be refused");
}
