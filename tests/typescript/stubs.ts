// A session's stub events, each once, whatever happens to the connection.

import { setTimeout as pause } from "node:timers/promises";

import type { Connection } from "./connection.ts";
import { RequestError, stubEvent, type Replayed, type StubEvent } from "./contract.ts";
import { segment } from "./segments.ts";

const LOOK_MS = 10_000;
const FIRST_LOOK_MS = 1000;
const LONGEST_PAUSE_MS = 5000;

export class Stubs {
  /** All that came, in the order in which it came here. */
  readonly events: StubEvent[] = [];
  /** How many were given by `replay` and not heard before. */
  replayed = 0;
  /** How many came again, heard or replayed, and were left out. */
  repeated = 0;
  private readonly connection: Connection;
  private readonly session: string;
  private cursor: string | null = null;
  /** Subject and time of each event that came: a few bytes each, for as long as the conversation lasts. */
  private readonly seen = new Set<string>();
  private looking: Promise<void> = Promise.resolve();
  private waiting: (() => void)[] = [];
  private ended = false;

  private constructor(connection: Connection, session: string) {
    this.connection = connection;
    this.session = session;
  }

  static async follow(connection: Connection, session: string): Promise<Stubs> {
    const stubs = new Stubs(connection, session);
    const subject = connection.subject("stubs", segment(session), ">");
    connection.nats.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) stubs.take(message.subject, stubEvent(message.string()));
      },
    });
    await connection.nats.flush();
    stubs.cursor = (await stubs.replay({ limit: 0 })).cursor;
    void stubs.lookAfterReconnects();
    void stubs.lookNowAndThen();
    return stubs;
  }

  /** The event of a call; asked for where it was not heard. */
  async of(turn: string, call: string): Promise<StubEvent> {
    let wait = FIRST_LOOK_MS;
    for (;;) {
      const found = this.events.find((event) => event.turn_id === turn && event.call_id === call);
      if (found !== undefined) return found;
      const heard = new Promise<boolean>((resolve) => this.waiting.push(() => resolve(true)));
      const looked = new AbortController();
      const late = pause(wait, false, { signal: looked.signal }).catch(() => true);
      if (!(await Promise.race([heard, late]))) {
        await this.catchUp(turn);
        wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
      }
      looked.abort();
    }
  }

  /** Take what was missed: of the session since the last cursor, or all of one turn. */
  catchUp(turn?: string): Promise<void> {
    this.looking = this.looking
      .then(() => this.look(turn))
      .catch((error: unknown) => {
        if (!this.ended) throw error;
      });
    return this.looking;
  }

  end(): void {
    this.ended = true;
  }

  private async look(turn?: string): Promise<void> {
    let after = turn === undefined ? this.cursor : null;
    for (let more = true; more && !this.ended; ) {
      const page = await this.replay({ after, ...(turn === undefined ? {} : { turn_id: turn }) });
      for (const { subject, event } of page.events) {
        if (this.take(subject, event)) this.replayed++;
      }
      after = page.cursor;
      more = page.has_more;
    }
    if (turn === undefined) this.cursor = after;
  }

  /** `replay`, again and again where workers or the stream are away; without a cursor where it holds no more. */
  private async replay(request: { after?: string | null; limit?: number }): Promise<Replayed<StubEvent>> {
    for (let wait = 200; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      try {
        return await this.connection.ask("replay", this.session, request);
      } catch (error) {
        if (this.ended || this.connection.nats.isClosed()) throw error;
        if (error instanceof RequestError && error.code === "invalid_argument") {
          if (request.after === undefined || request.after === null) throw error;
          request = { ...request, after: null };
        } else if (error instanceof RequestError && error.code !== "unavailable") {
          throw error;
        }
        await pause(wait);
      }
    }
  }

  private take(subject: string, event: StubEvent | null): boolean {
    if (event === null) return false;
    const key = `${subject} ${event.created_at}`;
    if (this.seen.has(key)) {
      this.repeated++;
      return false;
    }
    this.seen.add(key);
    this.events.push(event);
    for (const wake of this.waiting.splice(0)) wake();
    return true;
  }

  private async lookAfterReconnects(): Promise<void> {
    for await (const status of this.connection.nats.status()) {
      if (status.type === "reconnect") await this.catchUp();
    }
  }

  private async lookNowAndThen(): Promise<void> {
    while (!this.ended) {
      await pause(LOOK_MS, undefined, { ref: false });
      await this.catchUp();
    }
  }
}
