/**
 * Blanks a token in a stream of bytes, each of its bytes by `*`, so that lengths stay as announced.
 * Promise 6: no secret leaves, and the record of a molecule repeats the token of its submission.
 */

/** A shorter token may be part of ordinary words, and is blanked only as a whole JSON string. */
const DISTINCT_TOKEN = 8;
const ASTERISK = 0x2a;

export async function* hideToken(
  body: AsyncIterable<Uint8Array>,
  token: string,
): AsyncGenerator<Uint8Array> {
  const inJson = JSON.stringify(token);
  const quoted = token.length < DISTINCT_TOKEN;
  const needle = Buffer.from(quoted ? inJson : inJson.slice(1, -1));
  let held = Buffer.alloc(0);
  for await (const chunk of body) {
    const text = Buffer.concat([held, chunk]);
    blank(text, needle, quoted ? 1 : 0);
    // The token may begin in this chunk and end in the next one.
    const ready = Math.max(0, text.length - (needle.length - 1));
    held = text.subarray(ready);
    if (ready > 0) yield text.subarray(0, ready);
  }
  if (held.length > 0) yield held;
}

function blank(text: Buffer, needle: Buffer, margin: number): void {
  let at = text.indexOf(needle);
  while (at !== -1) {
    text.fill(ASTERISK, at + margin, at + needle.length - margin);
    at = text.indexOf(needle, at + needle.length);
  }
}
