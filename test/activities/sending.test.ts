/** The note beside an item that its job may have been sent: one attempt makes it, and the others know. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SendingNote } from '../../src/activities/sending.ts';
import { openFileStore } from '../../src/store/filesystem.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'hundredfold-sending-'))));
afterEach(() => rm(folder, { recursive: true }));

const job = { id: 'a', kind: 'molecule', generation: 0, store: '' };
const note = async (attempt = 0) => new SendingNote(await openFileStore(folder), { job, attempt });
const files = () => readdir(join(folder, 'molecules', 'a')).catch(() => []);

describe('the note before a submission', () => {
  test('is made by one of many attempts at once', async () => {
    const notes = await Promise.all(Array.from({ length: 8 }, () => note()));
    const made = await Promise.all(notes.map((one) => one.make()));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await files()).toEqual(['sending-0.json']);
  });

  test('says that nothing was sent while it is not there', async () => {
    expect(await (await note()).earlier()).toBeNull();
  });

  test('says that the fate is unknown when its worker died', async () => {
    await (await note()).make();
    expect(await (await note()).earlier()).toMatchObject({ type: 'unsure' });
    expect(await (await note(1)).earlier(), 'of the next submission').toBeNull();
  });

  test('keeps the id of a job that was accepted', async () => {
    const first = await note();
    await first.make();
    await first.settle({ type: 'accepted', remoteId: 'job-7', rateLimit: null });
    expect(await (await note()).earlier()).toEqual({
      ...{ type: 'accepted', remoteId: 'job-7', rateLimit: null },
    });
  });

  test('goes away when it is certain that no job was made', async () => {
    const first = await note();
    await first.make();
    await first.settle({ type: 'refused', status: 400, message: 'no' });
    expect(await files()).toEqual([]);
  });

  test('counts as unknown when it cannot be read', async () => {
    const first = await note();
    await first.make();
    await writeFile(join(folder, 'molecules', 'a', 'sending-0.json'), '{"at":');
    expect(await (await note()).earlier()).toMatchObject({ type: 'unsure' });
  });
});
