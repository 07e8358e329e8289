/** The body of an answer: read once, whole under a ceiling, or as a stream, or thrown away. */
import type { Dispatcher } from 'undici';
import { HundredfoldError } from '../domain/errors.ts';
import { failureCode, failureWords } from './http-failure.ts';

/** Bytes of a JSON answer at most, where the contract promises a small object. */
export const SMALL_JSON_LIMIT = 1024 * 1024;
/** Bytes after which a body that nobody wants is cut off instead of read to its end. */
const DISCARD_LIMIT = 128 * 1024;

export type BodyText =
  | { readonly type: 'whole'; readonly text: string }
  /** Cut off at the ceiling; `text` is its beginning. */
  | { readonly type: 'tooLong'; readonly text: string; readonly message: string }
  /** The connection ended first. */
  | { readonly type: 'broken'; readonly message: string };

export interface HttpBody {
  /** Reads the body as UTF-8, at most `limit` bytes. */
  text(limit: number): Promise<BodyText>;
  /** The bytes as they come. Ends with a HundredfoldError (`DOWNLOAD_BROKEN`) when the connection ends first. */
  stream(): AsyncIterable<Uint8Array>;
  /** Reads a little to its end, so that the connection can be used again, or closes the connection. */
  discard(): Promise<void>;
}

export function openBody(body: Dispatcher.ResponseData['body'], where: string): HttpBody {
  // A body that is destroyed before anybody listens (deadline, close) must not take the process down.
  body.on('error', () => undefined);
  return {
    text: async (limit) => {
      const chunks: Uint8Array[] = [];
      let length = 0;
      try {
        for await (const chunk of body as AsyncIterable<Uint8Array>) {
          chunks.push(chunk);
          length += chunk.byteLength;
          if (length > limit) {
            const message = `${where}: the answer is longer than ${limit} bytes`;
            return { type: 'tooLong', text: decode(chunks).slice(0, limit), message };
          }
        }
      } catch (error) {
        return { type: 'broken', message: `${where}: ${failureWords(failureCode(error))}` };
      }
      return { type: 'whole', text: decode(chunks) };
    },
    stream: () => streaming(body, where),
    discard: async () => {
      // The status has said it all: how the rest of the body ends changes nothing.
      await body.dump({ limit: DISCARD_LIMIT }).catch(() => undefined);
    },
  };
}

async function* streaming(
  body: AsyncIterable<Uint8Array>,
  where: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw new HundredfoldError({
      code: 'DOWNLOAD_BROKEN',
      message: `${where}: ${failureWords(failureCode(error))}`,
      remedy: 'The download is tried again by itself; nothing incomplete is kept.',
    });
  }
}

function decode(chunks: readonly Uint8Array[]): string {
  return new TextDecoder().decode(Buffer.concat(chunks));
}
