/** The note beside an item that its job may have been sent: one attempt creates it, and the others know. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { SendingNote } from '../../src/activities/sending.ts';
import { openFileStore } from '../../src/store/filesystem.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'hundredfold-sending-'))));
afterEach(() => rm(folder, { recursive: true }));

const job = { id: 'a', kind: 'molecule', generation: 0, store: '', tree: '' };
const note = async (attempt = 0) => new SendingNote(await openFileStore(folder), { job, attempt });
const files = () => readdir(join(folder, 'molecules', 'a')).catch(() => []);

describe('the note before a submission', () => {
  test('is created by only one of many concurrent attempts', async () => {
    const notes = await Promise.all(Array.from({ length: 8 }, () => note()));
    const made = await Promise.all(notes.map((one) => one.make()));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await files()).toEqual(['sending-0-0.json']);
  });

  test('does not exist before it is made, and a staged one leaves nothing behind', async () => {
    const [first, second, third] = await Promise.all([note(), note(), note()]);
    await Promise.all([first, second, third].map((one) => one.stage()));
    expect(await (await note()).earlier()).toBeNull();
    expect(await Promise.all([first.make(), second.make()])).toContain(false);
    await Promise.all([first, second, third].map((one) => one.discard()));
    expect(await files()).toEqual(['sending-0-0.json']);
  });

  test('means, if it is missing, that nothing was sent', async () => {
    expect(await (await note()).earlier()).toBeNull();
  });

  test('means that the outcome is unknown if its worker died', async () => {
    await (await note()).make();
    expect(await (await note()).earlier()).toMatchObject({ type: 'unsure' });
    expect(await (await note(1)).earlier(), 'of the next submission').toBeNull();
  });

  test('stays if the outcome is unknown', async () => {
    const first = await note();
    await first.make();
    await first.settle({ type: 'unsure', message: 'no answer' });
    expect(await (await note()).earlier()).toMatchObject({ type: 'unsure' });
  });

  test('contains the id of an accepted job', async () => {
    const first = await note();
    await first.make();
    await first.settle({ type: 'accepted', remoteId: 'job-7', rateLimit: null });
    expect(await (await note()).earlier()).toMatchObject({
      type: 'accepted',
      remoteId: 'job-7',
      rateLimit: null,
    });
  });

  test('contains when it was sent and answered, also if the clock is set back in between', async () => {
    const first = await note();
    const before = Date.now();
    await first.make();
    vi.useFakeTimers({ now: before - 3_600_000, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await delay(30);
    const timed = first.timed({ type: 'accepted', remoteId: 'job-7', rateLimit: null });
    const { sentAt = '', answeredAt = '' } = timed.type === 'accepted' ? timed : {};
    expect(Date.parse(sentAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(answeredAt) - Date.parse(sentAt)).toBeGreaterThanOrEqual(29);
    await first.settle(timed);
    expect(await (await note()).earlier()).toEqual(timed);
  });

  test('shows the earliest time of sending if its worker died', async () => {
    const before = new Date().toISOString();
    await (await note()).make();
    const found = await (await note()).earlier();
    const { sentAt = '' } = found?.type === 'unsure' ? found : {};
    expect([before <= sentAt, sentAt <= new Date().toISOString()]).toEqual([true, true]);
  });

  test('is removed when it is certain that no job was created', async () => {
    const first = await note();
    await first.make();
    const rateLimit = null;
    const message = 'later';
    await first.settle({
      type: 'notNow',
      reason: 'rate-limited',
      retryAfterMs: 1,
      message,
      rateLimit,
    });
    expect(await files()).toEqual([]);
  });

  test('contains a refusal, so that the row is not sent again before its end is written', async () => {
    const first = await note();
    await first.make();
    const refused = { type: 'refused', status: 400, message: 'no' } as const;
    await first.settle(refused);
    expect(await (await note()).earlier()).toEqual(refused);
  });

  test('of another generation of the item is another note', async () => {
    await (await note()).make();
    const again = new SendingNote(await openFileStore(folder), {
      job: { ...job, generation: 1 },
      attempt: 0,
    });
    expect(await again.earlier()).toBeNull();
  });

  test('counts as unknown if it cannot be read', async () => {
    const first = await note();
    await first.make();
    await writeFile(join(folder, 'molecules', 'a', 'sending-0-0.json'), '{"at":');
    expect(await (await note()).earlier()).toMatchObject({ type: 'unsure' });
  });
});
