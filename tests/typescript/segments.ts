// Ids as they stand in subjects and keys, result ids, and values of headers.

import { createHash } from "node:crypto";

const LONGEST = 80;
const KEPT = 60;

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function segment(id: string): string {
  const bytes = Buffer.from(id, "utf8");
  if (bytes.length === 0) return "=";
  const escaped = [...bytes].map((byte) => {
    const char = String.fromCharCode(byte);
    return /[A-Za-z0-9_-]/.test(char) ? char : `=${hex(byte)}`;
  });
  const whole = escaped.join("");
  if (whole.length <= LONGEST) return whole;
  let start = "";
  for (const piece of escaped) {
    if (start.length + piece.length > KEPT) break;
    start += piece;
  }
  return `${start}==${sha256(bytes).slice(0, 16)}`;
}

/** The id of a result whose original is these bytes. */
export function resultId(call: string, original: Uint8Array): string {
  return `${segment(call)}-${sha256(original).slice(0, 32)}`;
}

export function ref(session: string, result: string): string {
  return `coat://${segment(session)}/${result}`;
}

/** A header's value: UTF-8, percent-encoded but for printable ASCII without the blank, `"` and `%`. */
export function headerValue(text: string): string {
  return [...Buffer.from(text, "utf8")]
    .map((byte) => {
      const plain = byte > 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x25;
      return plain ? String.fromCharCode(byte) : `%${hex(byte)}`;
    })
    .join("");
}

/** How many chars a text has as the contract counts them: code points, where a string's length is UTF-16 units. */
export function chars(text: string): number {
  return [...text].length;
}

/** The chars from `start` to `end`. */
export function sliced(text: string, start: number, end: number): string {
  return [...text].slice(start, end).join("");
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, "0");
}
