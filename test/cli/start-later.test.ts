/** `run --at`: a campaign that begins later, in the background and in the command itself. */
import { expect, test } from 'vitest';
import { desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const env = TOKEN;
/** A window longer than the test. */
const HOUR = 3_600;

test('--at: nothing is submitted before, whatever is typed and killed until then; resume starts it', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: HOUR });
  peptides(at, 'night', 2);
  peptides(at, 'soon', 2);
  const run = ['run', 'night.csv', '--detach'];
  const later = new Date(Date.now() + 2 * HOUR * 1_000).toISOString();
  await at.runs(0, [...run, '--at', later], { env });
  const waits =
    /^night \(starts .*, in (?:2 h|1 h 59 min.*); run "hundredfold resume night" to start it now\): 0 of 2 done: 2 waiting\n/;
  expect((await at.runs(0, ['status', 'night'], { env })).stdout).toMatch(waits);
  for (const pid of at.servers()) process.kill(pid, 'SIGKILL');
  await at.runs(0, run, { env });
  expect((await at.runs(0, ['status', 'night'], { env })).stdout).toMatch(waits);

  const soon = Date.now() + 8_000;
  await at.runs(0, ['run', 'soon.csv', '--at', new Date(soon).toISOString()], { env });
  expect(at.done('night')).toBe(0);
  await at.runs(0, ['resume', 'night'], { env });
  await expect.poll(() => at.done('night')).toBe(2);
  const { stderr } = await at.runs(1, ['run', 'soon.csv', '--at', '25:00'], { env });
  expect(stderr).toContain('It must be a time to come, such as 22:00 or 2026-12-24T22:00.');
  const journal = await service.end();
  expect(journal.filter((entry) => entry.at < soon)).toEqual([]);
  expect(journal.filter(({ accepted }) => accepted)).toHaveLength(4);
});
