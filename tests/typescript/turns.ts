// Scenes of a turn: results that share a budget, and the manifest that says what was decided by what.

import assert from "node:assert/strict";

import type { Replayed, SettledResult, TurnSettled } from "./contract.ts";
import { ids, long, type Given } from "./given.ts";
import { chars, segment, sliced } from "./segments.ts";

const SIZE = 6;

/** Six results that are each below the threshold, and together above the budget. */
export async function sized(given: Given): Promise<[string, number]> {
  const text = sliced(long(3000), 0, 19_000);
  await Promise.all(
    Array.from({ length: SIZE }, (_, number) =>
      given.tool.publish(
        ids(given, `c${number}`, "turn/1"),
        { tool_name: "cat", content: `${number}${text}`, turn_size: SIZE },
      ),
    ),
  );
  const events = await Promise.all(
    Array.from({ length: SIZE }, (_, number) => given.stubs.of("turn/1", `c${number}`)),
  );
  const settled = await manifest(given, "turn/1");
  assert.equal(settled.results.length, SIZE);
  assert.deepEqual(decided(settled), settled.results.map((one) => one.disposition));
  for (const one of settled.results) {
    const event = events.find((found) => found.result_id === one.result_id);
    assert.equal(event?.disposition, one.disposition);
    const taken = typeof event?.content === "string" ? chars(event.content) : -1;
    assert.equal(taken, one.inline_size);
  }
  const offloaded = events.filter((event) => event.reason === "turn_budget");
  return [settled.settled_by, offloaded.length];
}

/** A turn whose size nobody knew: its end settles it. */
export async function ended(given: Given): Promise<[string, number]> {
  await given.agent.publish(ids(given, "only", "turn/2"), { tool_name: "cat", content: "one" });
  await given.agent.endTurn(given.session, "turn/2");
  const settled = await manifest(given, "turn/2");
  return [settled.settled_by, settled.received];
}

/** The manifest by replay: a subscription may be late for it. */
async function manifest(given: Given, turn: string): Promise<TurnSettled> {
  const heard = new Promise<void>((resolve) => {
    const subject = given.agent.subject("settled", segment(given.session), segment(turn));
    given.agent.nats.subscribe(subject, { max: 1, callback: () => resolve() });
  });
  await given.agent.nats.flush();
  for (;;) {
    const request = { turn_id: turn, settled: true };
    const found = await given.agent.ask<Replayed<TurnSettled>>("replay", given.session, request);
    const [first] = found.events;
    if (first !== undefined) return first.event;
    await heard;
  }
}

/** The decision by hand, as the contract tells it: what becomes of each result, in the order of the list. */
function decided(settled: TurnSettled): string[] {
  const before = (one: SettledResult): number =>
    one.reason === "turn_budget" ? (one.original_chars ?? 0) : one.inline_size;
  let total = settled.results.reduce((sum, one) => sum + before(one), 0);
  const found = new Map(settled.results.map((one) => [one, one.reason === null ? "inline" : one.disposition]));
  const waiting = settled.results
    .filter((one) => one.reason === null || one.reason === "turn_budget")
    .sort((one, two) => before(two) - before(one) || ((one.result_id ?? "") < (two.result_id ?? "") ? -1 : 1));
  for (const one of waiting) {
    if (total < settled.budget) {
      found.set(one, "inline");
    } else {
      found.set(one, "offloaded");
      total += one.inline_size - before(one);
    }
  }
  assert.equal(total, settled.inline_total);
  return settled.results.map((one) => found.get(one) ?? "");
}
