// The scene of a cut: what is told meanwhile comes afterwards, once, and nothing comes again.

import assert from "node:assert/strict";

import { ids, type Given } from "./given.ts";
import { Stubs } from "./stubs.ts";

export async function cut(given: Given): Promise<[number, number]> {
  const before = given.stubs.events.length;
  const replayed = given.stubs.replayed;
  const elsewhere = await Stubs.follow(given.other, given.session);
  given.cable.cut();
  await given.tool.publish(ids(given, "unheard"), { tool_name: "cat", content: "said meanwhile" });
  await elsewhere.of("", "unheard"); // it is out, and the agent cannot have heard it
  elsewhere.end();
  given.cable.mend();
  const event = await given.stubs.of("", "unheard");
  assert.equal(event.content, "said meanwhile");
  const afterwards = given.stubs.replayed - replayed; // what is heard live may also come by a look, where all is slow
  await given.tool.publish(ids(given, "after"), { tool_name: "cat", content: "heard again" });
  await given.stubs.of("", "after");
  return [given.stubs.events.length - before, afterwards];
}
