// An agent of a NATS client and the wire contract alone. It is told where and as whom by JSON on standard input, plays
// its scenes one after the other, and says on standard output, as JSON, what each saw. A failed scene ends it with 1.

import { text } from "node:stream/consumers";

import { Cable } from "./cable.ts";
import { Connection, type Login } from "./connection.ts";
import type { Given } from "./given.ts";
import * as originals from "./originals.ts";
import * as publishing from "./publishing.ts";
import { cut } from "./reconnecting.ts";
import { segment } from "./segments.ts";
import { Stubs } from "./stubs.ts";
import * as turns from "./turns.ts";

interface Told {
  session: string;
  agent: Login;
  tool: Login;
  ids: string[];
}

const SCENES: Record<string, (given: Given) => Promise<unknown>> = {
  small: publishing.small,
  large: publishing.large,
  cloud_events: publishing.cloudEvents,
  pieces: publishing.pieces,
  unfinished: publishing.unfinished,
  put: publishing.put,
  blocks: publishing.blocks,
  invalid: publishing.invalid,
  sized_turn: turns.sized,
  ended_turn: turns.ended,
  read: originals.read,
  search: originals.search,
  list: originals.list,
  files: originals.files,
  link: originals.link,
  read_back: originals.readBack,
  errors: originals.errors,
  cut,
  deleted: originals.deleted,
};

async function play(told: Told): Promise<Record<string, unknown>> {
  const [cable, url] = await Cable.to(told.agent.url);
  const [agent, other, tool] = await Promise.all(
    [{ ...told.agent, url }, told.agent, told.tool].map((login) => Connection.open(login)),
  );
  if (agent === undefined || other === undefined || tool === undefined) throw new Error("no connection");
  const stubs = await Stubs.follow(agent, told.session);
  const given: Given = { session: told.session, agent, stubs, cable, tool, other };
  const seen: Record<string, unknown> = { segments: told.ids.map(segment) };
  for (const [name, scene] of Object.entries(SCENES)) {
    seen[name] = await scene(given).catch((error: unknown) => {
      throw new Error(`scene ${name}`, { cause: error });
    });
  }
  const heard = stubs.events.map((event) => `${event.turn_id} ${event.call_id}`);
  seen["doubles"] = heard.length - new Set(heard).size;
  stubs.end();
  await Promise.all([agent, other, tool].map((one) => one.nats.close()));
  cable.remove();
  return seen;
}

console.log(JSON.stringify(await play(JSON.parse(await text(process.stdin)))));
