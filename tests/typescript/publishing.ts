// Scenes of publishing: each way in which a result may go, and what comes in its place.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import type { Upload } from "./contract.ts";
import { ids, long, textOf, type Given } from "./given.ts";
import { chars, ref, resultId, sha256 } from "./segments.ts";

/** A small result comes back as it went, and once, though it was published twice. */
export async function small(given: Given): Promise<string> {
  const content = "pod/web-1 Running\n";
  const messageId = randomUUID();
  for (let times = 0; times < 2; times++) {
    await given.agent.publish(ids(given, "list_pods:0"), { tool_name: "kubectl", content }, messageId);
  }
  const event = await given.stubs.of("", "list_pods:0");
  assert.equal(event.content, content);
  assert.equal(event.session_id, given.session);
  assert.equal(event.ref, null);
  assert.equal(event.result_id, resultId("list_pods:0", Buffer.from(content)));
  return event.disposition;
}

/** A large one makes way for a stub, whose reference its publisher can tell beforehand. */
export async function large(given: Given): Promise<[string, string]> {
  const content = long(3000);
  const bytes = Buffer.from(content, "utf8");
  await given.agent.publish(ids(given, "large"), { tool_name: "cat", content });
  const event = await given.stubs.of("", "large");
  assert.ok(textOf(event).startsWith("[Coatcheck: tool result offloaded]\ntool_name: cat\n"));
  assert.ok(textOf(event).length <= 6000);
  assert.equal(event.ref, ref(given.session, resultId("large", bytes)));
  assert.equal(event.sha256, sha256(bytes));
  assert.deepEqual([event.original_chars, event.original_bytes], [chars(content), bytes.length]);
  return [event.disposition, event.reason ?? ""];
}

/** CloudEvents in binary mode: a name of any script, and bytes that are no text. */
export async function cloudEvents(given: Given): Promise<string[]> {
  await given.tool.publishBytes(ids(given, "ce-text"), '搜 "索"%', "text/csv", Buffer.from("a,b\n1,2\n"));
  const text = await given.stubs.of("", "ce-text");
  assert.deepEqual([text.tool_name, text.content], ['搜 "索"%', "a,b\n1,2\n"]);
  const noise = Uint8Array.from({ length: 30_000 }, (_, index) => (index * 7 + (index >> 8)) % 256);
  await given.tool.publishBytes(ids(given, "ce-bytes"), "camera", "application/octet-stream", noise);
  const binary = await given.stubs.of("", "ce-bytes");
  assert.deepEqual([binary.original_chars, binary.original_bytes], [null, noise.length]);
  assert.equal(binary.sha256, sha256(noise));
  return [text.disposition, binary.disposition, binary.reason ?? ""];
}

/** What no message carries goes in pieces by itself. */
export async function pieces(given: Given): Promise<[string, number]> {
  const content = long(60_000);
  await given.tool.publish(ids(given, "pieces"), { tool_name: "build", content });
  const event = await given.stubs.of("", "pieces");
  assert.equal(event.sha256, sha256(Buffer.from(content, "utf8")));
  assert.equal(event.original_chars, chars(content));
  return [event.disposition, event.original_bytes ?? 0];
}

/** A tool that dies while it writes: what it wrote is kept. */
export async function unfinished(given: Given): Promise<[string, string | null]> {
  const call = ids(given, "unfinished");
  await given.tool.publishPiece(call, Buffer.from("half of it\n"), "ts-unfinished", 0);
  await given.tool.publish(call, { tool_name: "build", upload: "ts-unfinished" });
  await given.tool.giveUp(call, "ts-unfinished", "out of disk: 100 %");
  const event = await given.stubs.of("", "unfinished");
  assert.equal(event.incomplete, true);
  assert.equal(event.original_bytes, 11);
  return [event.disposition, event.error];
}

/** Straight into object storage, by a URL that a worker signs. */
export async function put(given: Given): Promise<string> {
  const body = Buffer.from(long(4000), "utf8");
  const upload = await given.tool.ask<Upload>("upload", given.session, { call_id: "put", bytes: body.length });
  const response = await fetch(upload.url, { method: "PUT", headers: upload.headers, body });
  assert.equal(response.status, 200);
  await given.tool.publish(ids(given, "put"), { tool_name: "dump", upload: upload.upload });
  const event = await given.stubs.of("", "put");
  assert.equal(event.sha256, sha256(body));
  return event.disposition;
}

/** Blocks of MCP: the text is what counts, and the image passes. */
export async function blocks(given: Given): Promise<string> {
  const image = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };
  const text = { type: "text" as const, text: long(3000) };
  await given.agent.publish(ids(given, "blocks"), { tool_name: "query", content: [text, image] });
  const event = await given.stubs.of("", "blocks");
  assert.ok(Array.isArray(event.content));
  assert.equal(event.content[0]?.type, "text");
  assert.deepEqual(event.content.at(-1), image);
  const request = { ref: `${event.ref}/1`, unit: "bytes" };
  const page = await given.agent.ask<{ content: string }>("read", given.session, request);
  assert.equal(page.content, image.data);
  return event.disposition;
}

/** A result that cannot be decoded is told of, so that nobody waits for it in vain. */
export async function invalid(given: Given): Promise<[string, string | null]> {
  await given.tool.publish(ids(given, "invalid"), { tool_name: "cat" });
  const event = await given.stubs.of("", "invalid");
  assert.ok(textOf(event).startsWith("[Coatcheck: tool result failed]\nreason: invalid\n"));
  assert.equal(event.result_id, null);
  return [event.disposition, event.error];
}
