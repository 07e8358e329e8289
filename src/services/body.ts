/** The outcome of a request, and the body of an answer, without secrets: read once, whole up to a limit, or as a stream. */
import type { Dispatcher } from 'undici';
import { HundredfoldError } from '../domain/errors.ts';
import type { ServiceName } from '../domain/item.ts';
import { DEFAULT_MAX_DOWNLOAD } from '../domain/limits.ts';
import { readFailureCode, describeFailure } from './connection.ts';
import type { RedactedStream, Redaction } from './redaction.ts';

export interface DownloadBound {
  readonly bytes: number;
  /** The key of the configuration that raises it. */
  readonly key: string;
}

export function downloadBound(service: ServiceName, bytes = DEFAULT_MAX_DOWNLOAD): DownloadBound {
  return { bytes, key: `services.${service}.maxDownload` };
}

/** @param seen the announced or received size */
export function createTooLarge(where: string, seen: string, { bytes, key }: DownloadBound) {
  return new HundredfoldError(
    'RESULT_TOO_LARGE',
    `${where}: ${seen}, and ${bytes} are allowed (${key}).`,
    `Raise ${key} in the configuration, and run the item again with "hundredfold retry".`,
  );
}

export interface HttpResponse {
  readonly type: 'answered';
  readonly status: number;
  readonly headers: Headers;
  readonly body: HttpBody;
  /** Method and address without the query: safe to show in a message. */
  readonly where: string;
}

export interface HttpFailure {
  /** `unreached`: not a byte was written. `broken`: written, fate unknown. */
  readonly type: 'unreached' | 'broken';
  /** undici's or the system's code, or `DEADLINE`, `ABORTED`. */
  readonly code: string;
  /** For people; never a header, a body or a query. */
  readonly message: string;
}

export type HttpAnswer = HttpResponse | HttpFailure;

/** Maximum bytes of a JSON answer if the contract promises a small object. */
export const SMALL_JSON_LIMIT = 1024 * 1024;
/** Bytes after which an unwanted body is cut off instead of read to its end. */
const DISCARD_LIMIT = 128 * 1024;

export type BodyText =
  | { readonly type: 'whole'; readonly text: string }
  /** Cut off at the limit; `text` is its beginning. */
  | { readonly type: 'tooLong'; readonly text: string; readonly message: string }
  /** The connection ended first. */
  | { readonly type: 'broken'; readonly message: string };

export interface HttpBody {
  /** Reads the body as UTF-8, at most `limit` bytes. */
  text(limit: number): Promise<BodyText>;
  /**
   * The bytes as they arrive. Ends with a HundredfoldError: `DOWNLOAD_BROKEN` when the connection ends first,
   * `RESULT_TOO_LARGE` when there are more bytes than the bound allows.
   */
  stream(bound: DownloadBound): RedactedStream;
  /** Reads a small rest to its end, so that the connection can be reused, or closes the connection. */
  discard(): Promise<void>;
}

export function openBody(
  body: Dispatcher.ResponseData['body'],
  where: string,
  redaction: Redaction,
): HttpBody {
  // A body that is destroyed before it has a listener (deadline, close) must not crash the process.
  body.on('error', () => undefined);
  return {
    text: (limit) => readText(body, where, redaction, limit),
    stream: (bound) => redaction.stream(streamBody(body, where, bound)),
    discard: async () => {
      // The status is sufficient: how the rest of the body ends does not matter.
      await body.dump({ limit: DISCARD_LIMIT }).catch(() => undefined);
    },
  };
}

async function readText(
  body: AsyncIterable<Uint8Array>,
  where: string,
  redaction: Redaction,
  limit: number,
): Promise<BodyText> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const text = (): string => {
    const bytes = Buffer.concat(chunks);
    redaction.bytes(bytes);
    return new TextDecoder().decode(bytes);
  };
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > limit) {
        const message = `${where}: the answer is longer than ${limit} bytes`;
        return { type: 'tooLong', text: text().slice(0, limit), message };
      }
    }
  } catch (error) {
    return { type: 'broken', message: `${where}: ${describeFailure(readFailureCode(error))}` };
  }
  return { type: 'whole', text: text() };
}

async function* streamBody(
  body: AsyncIterable<Uint8Array>,
  where: string,
  bound: DownloadBound,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > bound.bytes) throw createTooLarge(where, `${bytes} bytes came so far`, bound);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof HundredfoldError) throw error;
    throw new HundredfoldError(
      'DOWNLOAD_BROKEN',
      `${where}: ${describeFailure(readFailureCode(error))}`,
      'The download is retried automatically; incomplete files are not kept.',
    );
  }
}
