/** Answers of the molecule service (contract section 2), read tolerantly: unknown keys are kept. */
import { z } from 'zod';
import { asObject, readLooseText } from '../../kinds/json.ts';
import { looseNumber, looseText } from '../tolerant.ts';

/** Contract 2.3, and `result_request` of 2.4. */
const requestSchema = z.looseObject({ status: looseNumber, request_text: looseText });

/** Contract 2.3 and 2.4 in one: a 200 may still carry the record of an unfinished job. */
const recordSchema = z.looseObject({
  status: looseNumber,
  request_text: looseText,
  log: looseText,
  result_request: requestSchema.nullable().catch(null),
  results: z.unknown().optional(),
});
export type MoleculeRecord = z.infer<typeof recordSchema>;

export function parseRecord(json: unknown): MoleculeRecord {
  return recordSchema.parse(asObject(json) ?? {});
}

/** The status inside a record, wherever it is. */
export function innerStatus(record: MoleculeRecord): number | null {
  return record.status ?? record.result_request?.status ?? null;
}

/** The job's id in an acknowledgement (contract 2.2): `hash_id`, or the last part of the status path. */
export function readHashId(json: unknown, headers: Pick<Headers, 'get'>): string | null {
  const object = asObject(json);
  const id = readLooseText(object?.['hash_id'] ?? object?.['hashId']);
  if (id !== null && id.trim() !== '') return id.trim();
  const path =
    readLooseText(object?.['Location'] ?? object?.['location']) ?? headers.get('location');
  return /\/api\/queue\/([^/?#]+)\/?$/.exec(path ?? '')?.[1] ?? null;
}
