/** `node bench/redaction.ts`: the speed of searching bodies for secrets, in MB/s. */
import { Redaction } from '../src/services/redaction.ts';

const CHUNK = 64 * 1024;
const redaction = new Redaction([
  'tK9secretZ',
  'prediction-token-1234567890abcdef',
  `eyJ${'aB3_x'.repeat(150)}`,
]);

const numbers = JSON.stringify(Array.from({ length: 200_000 }, (_, n) => Math.sin(n)));
const atoms = '  1.0  2.0 ATOM C1 LIG 1 12.000 0.232\n'.repeat(20_000);
const BODIES: Readonly<Record<string, readonly [body: string, megabytes: number]>> = {
  'numbers of a prediction': [numbers, 400],
  'record of a molecule': [JSON.stringify({ log: `%FLAG TITLE\n%FORMAT(20a4)\n${atoms}` }), 400],
  'nothing but JSON escapes': ['\\u0074\\u004b'.repeat(200_000), 40],
  'nothing but percent escapes': ['%74%4b%39%73'.repeat(200_000), 40],
};

async function* sent(body: Buffer, bytes: number): AsyncGenerator<Uint8Array> {
  for (let done = 0, at = 0; done < bytes; done += CHUNK, at += CHUNK) {
    if (at >= body.length) at = 0;
    yield await Promise.resolve(Buffer.from(body.subarray(at, at + CHUNK)));
  }
}

for (const [name, [body, megabytes]] of Object.entries(BODIES)) {
  let bytes = 0;
  const begun = performance.now();
  for await (const chunk of redaction.stream(sent(Buffer.from(body), megabytes * 1e6))) {
    bytes += chunk.length;
  }
  const speed = bytes / 1_000 / (performance.now() - begun);
  console.log(`${name}: ${speed.toFixed(0)} MB/s`);
}
