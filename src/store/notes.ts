/** The notes in an item's folder that its job may have been sent (activities/sending-note.ts), as they are on disk. */
import { z } from 'zod';
import { parseJson } from '../kinds/json.ts';
import type { ItemRecord } from './item-record.ts';
import { isSendingNote, itemFolder } from './layout.ts';
import type { Store } from './store.ts';

export const NOTE = z.object({
  /** ISO 8601, UTC: when it was made. */
  at: z.string(),
  service: z.string(),
  address: z.string(),
  credential: z.string(),
  remoteId: z.string().optional(),
  refused: z
    .object({ status: z.number(), message: z.string(), taken: z.literal(true).exactOptional() })
    .optional(),
  /** Of what is sent, if a repeated request finds the job. */
  digest: z.string().optional(),
  sentAt: z.string().optional(),
  answeredAt: z.string().optional(),
});

export type Note = z.output<typeof NOTE>;

/** Of the present generation of an item; null: one that cannot be read. */
export async function* readNotes(
  store: Store,
  { kind, id, generation }: Pick<ItemRecord, 'kind' | 'id' | 'generation'>,
): AsyncGenerator<{ readonly key: string; readonly note: Note | null }> {
  for await (const key of store.list(`${itemFolder(kind, id)}/`)) {
    if (!isSendingNote(key, generation)) continue;
    const text = await store.readText(key);
    if (text !== null) yield { key, note: NOTE.safeParse(parseJson(text)).data ?? null };
  }
}
