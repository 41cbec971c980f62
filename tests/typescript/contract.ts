// What goes over the wire, as far as this agent looks at it. Fields that it does not know it passes over.

export type Block =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string };

export interface ToolResult {
  tool_name: string;
  content?: string | Block[];
  upload?: string;
  turn_size?: number;
  session_id?: string;
  turn_id?: string;
  call_id?: string;
  source_ref?: string;
  mime_type?: string;
}

export interface StubEvent {
  session_id: string;
  turn_id: string;
  call_id: string;
  tool_name: string | null;
  disposition: "inline" | "offloaded" | "preview_only" | "failed";
  content: string | Block[];
  ref: string | null;
  result_id: string | null;
  reason: string | null;
  kind: string | null;
  original_chars: number | null;
  original_bytes: number | null;
  sha256: string | null;
  incomplete: boolean;
  error: string | null;
  created_at: string;
}

export interface SettledResult {
  call_id: string;
  result_id: string | null;
  disposition: string;
  reason: string | null;
  original_chars: number | null;
  inline_size: number;
}

export interface TurnSettled {
  session_id: string;
  turn_id: string;
  settled_by: "size" | "end" | "deadline";
  turn_size: number | null;
  received: number;
  budget: number;
  inline_total: number;
  results: SettledResult[];
}

export interface Page {
  content: string;
  offset: number;
  unit: "chars" | "lines" | "bytes";
  total_chars: number | null;
  total_lines: number | null;
  total_bytes: number;
  has_more: boolean;
  next: { unit: "chars" | "lines" | "bytes"; offset: number } | null;
}

export interface Match {
  ref: string;
  offset: number;
  line: number;
  length: number;
  snippet: string;
  snippet_offset: number;
}

export interface Found {
  matches: Match[];
  total: number | null;
  has_more: boolean;
  cursor: string | null;
}

export interface Listed {
  tool_results: { result_id: string; tool_name: string }[];
  has_more: boolean;
  cursor: string | null;
}

export interface Replayed<Event> {
  events: { subject: string; event: Event }[];
  has_more: boolean;
  cursor: string | null;
}

export interface Upload {
  upload: string;
  url: string;
  headers: Record<string, string>;
}

export interface Reply<Ok> {
  ok?: Ok;
  error?: { code: string; message: string; details: Record<string, unknown> };
}

/** What a worker answered instead of what was asked for. */
export class RequestError extends Error {
  readonly code: string;
  readonly details: Record<string, unknown>;
  /** The number of `Nats-Service-Error-Code`. */
  readonly number: number;

  constructor(code: string, message: string, details: Record<string, unknown>, number: number) {
    super(`${code}: ${message}`);
    this.code = code;
    this.details = details;
    this.number = number;
  }
}

/** The body as a stub event, or null: what else reaches an agent's subscription is to be left out. */
export function stubEvent(body: string): StubEvent | null {
  try {
    const found = JSON.parse(body);
    const whole = typeof found?.disposition === "string" && typeof found.created_at === "string";
    return whole ? found : null;
  } catch {
    return null;
  }
}
