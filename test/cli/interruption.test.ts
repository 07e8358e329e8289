/** However the command is stopped, the same command continues: with what is done, and with what was sent. */
import { expect, test } from 'vitest';
import { desk, type Desk } from './command.ts';
import { fragments } from './manifests.ts';

/** No process is left: neither a recorded one nor one that names the desk's folder, as the server does. */
function allIsQuiet(at: Desk): void {
  expect(at.servers(), 'recorded processes that live').toEqual([]);
  expect(at.processes(), 'processes left behind').toEqual([]);
}

interface Summary {
  readonly state: string;
  readonly items: Readonly<Record<string, number>>;
  readonly submissions: number;
}

test('after Ctrl-C, kill -9 and SIGTERM the same command continues, and sends every item once', async () => {
  const at = desk();
  fragments(at, 'fragments', 64);
  const words = ['run', 'fragments.csv', '--services', 'local'];
  /** Runs the command and waits until this many more items have ended. */
  const runsUntil = async (more: number) => {
    const before = at.done('fragments');
    const typed = at.type(words);
    await typed.until(() => at.done('fragments') >= before + more, `${more} more had ended`);
    return typed;
  };

  // Before the server is up: it must not be left behind.
  const early = at.type(words);
  await early.until(() => at.record('server') !== null, 'a server was started');
  early.kill('SIGINT');
  const { stderr: earlyWords } = await early.endsWith(130);
  expect(earlyWords).toContain('Stopping');
  allIsQuiet(at);

  const interrupted = await runsUntil(1);
  // npm forwards the signal that the terminal has already sent: this is not a second Ctrl-C.
  interrupted.kill('SIGINT');
  interrupted.kill('SIGINT');
  const { stderr } = await interrupted.endsWith(130);
  expect(stderr).toMatch(/Stopping: .* Press Ctrl-C again to stop at once\./);
  expect(stderr).toMatch(
    /fragments is safe on disk\. To resume: hundredfold run fragments\.csv --services local$/m,
  );
  allIsQuiet(at);

  const killed = await runsUntil(2);
  const before = at.record('server');
  killed.kill('SIGKILL');
  await killed.ended;
  expect(at.servers(), 'the server outlives kill -9').toEqual([before?.['pid']]);

  const adopting = await runsUntil(2);
  // Its page may have another port: that of all is asked for first, and another program may have it now.
  const { pid, address } = before ?? {};
  expect(at.record('server'), 'the server is taken over').toMatchObject({ pid, address });
  adopting.kill('SIGTERM');
  await adopting.endsWith(130);
  allIsQuiet(at);

  const { stdout } = await at.type([...words, '--json']).ended;
  const { state, items, submissions } = JSON.parse(stdout) as Summary;
  expect([state, submissions]).toEqual(['completed', 64]);
  // The molecule service does not say whether it has a job whose POST was cut off by `kill -9`: it is never sent again.
  const held = await at.runs(0, ['items', 'fragments', '--state', 'held', '--json']);
  const unsure = held.stdout.split('"SUBMIT_UNSURE"').length - 1;
  expect(items).toMatchObject({ total: 64, succeeded: 64 - unsure, held: unsure });
  allIsQuiet(at);
});

test('the command restarts a server that dies, and continues', async () => {
  const at = desk();
  fragments(at, 'fragments', 12);
  const typed = at.type(['run', 'fragments.csv', '--services', 'local']);
  await typed.until(() => at.done('fragments') >= 1, 'an item had ended');
  const { pid, address } = at.record('server') as { pid: number; address: string };
  process.kill(pid, 'SIGKILL');
  await typed.endsWith(0);
  expect(at.record('server')).toMatchObject({ address });
});
