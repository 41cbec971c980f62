// A user's connection, what is published over it, and requests. Core NATS alone: no JetStream API, no object storage.

import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { connect, headers, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";

import { RequestError, type Reply, type ToolResult } from "./contract.ts";
import { headerValue, segment, sha256 } from "./segments.ts";

const SPARE = 4096;
const PIECE = 512 * 1024;
const TRIES = 8;
const REPLY_MS = 15_000;

export interface Login {
  url: string;
  user: string;
  pass: string;
  /** The inbox of the user's role, without `.>`. */
  inbox: string;
}

export interface Ids {
  session: string;
  turn: string;
  call: string;
}

export class Connection {
  readonly nats: NatsConnection;
  private readonly prefix = "coat";

  private constructor(nats: NatsConnection) {
    this.nats = nats;
  }

  static async open(login: Login): Promise<Connection> {
    return new Connection(
      await connect({
        servers: login.url,
        user: login.user,
        pass: login.pass,
        inboxPrefix: login.inbox,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 50,
        reconnectJitter: 50,
      }),
    );
  }

  subject(kind: string, ...segments: string[]): string {
    return [this.prefix, kind, ...segments].join(".");
  }

  results(ids: Ids): string {
    return this.subject("results", segment(ids.session), segment(ids.turn), segment(ids.call));
  }

  /** Publish, as JSON; what no message carries goes in pieces. Who repeats it gives the same `messageId`. */
  async publish(ids: Ids, result: ToolResult, messageId: string = randomUUID()): Promise<void> {
    const whole = { ...result, session_id: ids.session, turn_id: ids.turn, call_id: ids.call };
    const body = Buffer.from(JSON.stringify(whole), "utf8");
    if (body.length + messageId.length + 64 <= this.room || typeof whole.content !== "string") {
      return this.acknowledged(this.results(ids), body, named(messageId));
    }
    const { content, ...opening } = whole;
    const upload = randomUUID();
    await this.publish(ids, { ...opening, upload }, messageId);
    await this.publishPieces(ids, Buffer.from(content ?? "", "utf8"), upload);
  }

  /** Publish the bytes as they are: CloudEvents in NATS's binary mode. */
  async publishBytes(ids: Ids, toolName: string, type: string, body: Uint8Array): Promise<void> {
    const messageId = randomUUID();
    const given = named(messageId);
    const event = {
      specversion: "1.0",
      type: "dev.coatcheck.tool_result.v1",
      id: messageId,
      source: "urn:example:typescript-agent",
      toolname: toolName,
      sessionid: ids.session,
      turnid: ids.turn,
      callid: ids.call,
    };
    for (const [name, value] of Object.entries(event)) given.set(`ce-${name}`, headerValue(value));
    given.set("content-type", headerValue(type));
    await this.acknowledged(this.results(ids), body, given);
  }

  /** The pieces of an upload and its last message; some are on their way at a time. */
  async publishPieces(ids: Ids, whole: Uint8Array, upload: string): Promise<void> {
    const count = Math.ceil(whole.length / PIECE);
    const numbers = Array.from({ length: count }, (_, number) => number);
    const one = async (): Promise<void> => {
      for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
        await this.publishPiece(ids, whole.subarray(number * PIECE, (number + 1) * PIECE), upload, number);
      }
    };
    await Promise.all([one(), one(), one(), one()]);
    const last = named(randomUUID());
    last.set("Coat-Final", "true");
    last.set("Coat-Count", String(count));
    last.set("Coat-Bytes", String(whole.length));
    last.set("Coat-Sha256", sha256(whole));
    await this.acknowledged(this.chunks(ids, upload), new Uint8Array(), last);
  }

  async publishPiece(ids: Ids, piece: Uint8Array, upload: string, number: number): Promise<void> {
    const given = named(randomUUID());
    given.set("Coat-Seq", String(number));
    await this.acknowledged(this.chunks(ids, upload), piece, given);
  }

  /** No more pieces come, and why: what came is kept, and marked incomplete. */
  async giveUp(ids: Ids, upload: string, why: string): Promise<void> {
    const last = named(randomUUID());
    last.set("Coat-Failed", headerValue(why));
    await this.acknowledged(this.chunks(ids, upload), new Uint8Array(), last);
  }

  async endTurn(session: string, turn: string): Promise<void> {
    const body = JSON.stringify({ session_id: session, turn_id: turn });
    await this.acknowledged(this.subject("turns", segment(session), segment(turn), "end"), body, named());
  }

  /** Ask, and give what the reply has as `ok`. Raises RequestError, with what it has as `error`. */
  async ask<Ok>(verb: string, session: string, request: object, operation?: string): Promise<Ok> {
    const subject = this.subject(verb, segment(session), ...(operation === undefined ? [] : [operation]));
    const message = await this.nats.request(subject, JSON.stringify(request), { timeout: REPLY_MS });
    const reply = message.json<Reply<Ok>>();
    if (reply.error !== undefined) {
      const { code, message: said, details } = reply.error;
      throw new RequestError(code, said, details, Number(message.headers?.get("Nats-Service-Error-Code")));
    }
    return reply.ok as Ok;
  }

  /** Publish until the stream has it; a repetition bears the same `Nats-Msg-Id`, so it is stored once. */
  private async acknowledged(subject: string, body: Uint8Array | string, given: MsgHdrs): Promise<void> {
    let failure: unknown;
    for (let tried = 0; tried < TRIES; tried++) {
      if (tried > 0) await pause(100 * 2 ** tried);
      try {
        const ack = (await this.nats.request(subject, body, { timeout: 5000, headers: given })).json<{
          seq?: number;
          error?: { description?: string };
        }>();
        if (ack.seq !== undefined) return;
        failure = new Error(`${subject} was not stored: ${ack.error?.description}`);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  private chunks(ids: Ids, upload: string): string {
    return this.subject("chunks", segment(ids.session), segment(ids.turn), segment(ids.call), upload);
  }

  /** How many bytes a message may have, its headers among them. */
  private get room(): number {
    return (this.nats.info?.max_payload ?? 1024 * 1024) - SPARE;
  }
}

function named(messageId: string = randomUUID()): MsgHdrs {
  const given = headers();
  given.set("Nats-Msg-Id", messageId);
  return given;
}
