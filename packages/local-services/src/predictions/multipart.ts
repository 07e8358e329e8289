/** Reads a multipart body within the limits of the service. */
import type { FastifyRequest } from 'fastify';
import { Refusal, tooLarge } from '../refusal.ts';

/** Maximum number of parts of a body: the endpoints use five fields. */
export const PART_LIMIT = 20;

/**
 * Fields and the texts of uploaded files, by name; of a repeated name the last one counts. Throws a Refusal: 413 above
 * the limit, 400 if it is not a multipart body or not UTF-8 text.
 */
export async function readMultipart(request: FastifyRequest): Promise<Record<string, unknown>> {
  const limit = request.routeOptions.bodyLimit;
  const fields = new Map<string, string>();
  let left = limit;
  try {
    for await (const part of request.parts()) {
      const bytes = part.type === 'file' ? await part.toBuffer() : Buffer.from(asText(part.value));
      left -= bytes.length;
      if (left < 0 || (part.type === 'field' && part.valueTruncated)) throw tooLarge(limit);
      fields.set(part.fieldname, utf8(bytes, part.fieldname));
    }
  } catch (error) {
    throw error instanceof Refusal ? error : unreadable(error, limit);
  }
  return Object.fromEntries(fields);
}

/** A field that declares itself as JSON is already parsed. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The parser's errors have other statuses (406), or none: no boundary, a truncated part. */
function unreadable(error: unknown, limit: number): Refusal {
  const { statusCode, message } = error as { statusCode?: number; message?: string };
  if (statusCode === 413) return tooLarge(limit);
  return new Refusal(400, `The multipart body cannot be read: ${String(message)}.`);
}

function utf8(bytes: Uint8Array, field: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal(400, `${field} is not UTF-8 text.`);
  }
}
