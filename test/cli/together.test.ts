/** Several commands at once in one folder: one runs the server, the others join it and take over when it stops. */
import { expect, test } from 'vitest';
import { itemsTable } from '../promises.ts';
import { desk, type Typed } from './command.ts';
import { fragments } from './manifests.ts';

test('commands for several campaigns, and two for one of them, share a server; each survives the end of its host', async () => {
  const at = desk();
  const ids = {
    short: fragments(at, 'short', 2),
    one: fragments(at, 'one', 20, 2),
    two: fragments(at, 'two', 20, 22),
  };
  const type = (name: string) => at.type(['run', `${name}.csv`, '--services', 'local', '--json']);
  const host = () => at.record('host')?.['pid'];
  const others: Typed[] = [];

  const first = type('short');
  await first.until(() => host() === first.pid, 'it held the server');
  others.push(type('one'), type('two'), type('two'));

  // The host ends normally, long before the others.
  await first.endsWith(0);
  const hosting = () => others.find(({ pid }) => pid === host());
  await Promise.all(others.map((o) => o.until(() => hosting() !== undefined, 'one took over')));
  const heir = hosting();
  if (heir === undefined) throw new Error('nobody took over');
  await refusals();

  // The next one is killed, and the other two take over its work.
  heir.kill('SIGKILL');
  await heir.ended;
  const left = others.filter((other) => other !== heir);
  const again = async () => at.type(heir.words.split(' ')).ended;
  for (const { code } of [...(await Promise.all(left.map((other) => other.ended))), await again()])
    expect([0, 3]).toContain(code);

  expect(at.servers(), 'processes left behind').toEqual([]);
  let held = 0;
  for (const name of Object.keys(ids)) {
    const tree = at.path('results', name);
    for (const { id, state, error_code: code } of await itemsTable(tree)) {
      if (state === 'succeeded') continue;
      // The request to the molecule service when the worker was killed: it is unknown whether it arrived.
      expect(`${state} ${code}`, id).toBe('held SUBMIT_UNSURE');
      held += 1;
    }
  }
  const accepted = at.journal().filter((entry) => entry.accepted).length;
  expect(accepted).toBeGreaterThanOrEqual(42 - held);

  /** Commands that cannot share are refused, and change nothing. */
  async function refusals(): Promise<void> {
    at.write('other.yaml', 'services: { molecules: { url: "http://127.0.0.1:9/acpype" } }');
    const env = { HUNDREDFOLD_MOLECULE_TOKEN: 'mOther7890' };
    const config = ['--config', 'other.yaml'];
    const [services, manifest, folder] = await Promise.all([
      at.runs(2, ['run', 'short.csv', ...config], { env }),
      at.runs(2, ['run', 'short.csv', '--name', 'one', '--services', 'local']),
      at.runs(2, ['run', 'two.csv', '--out', 'elsewhere', '--services', 'local']),
    ]);
    expect(services.stderr).toMatch(/molecules at 127\.0\.0\.1:9\/acpype.*\[HOST_BUSY\]/);
    expect(services.stderr).toContain('HUNDREDFOLD_EMBEDDED_DIR');
    for (const { stderr } of [manifest, folder]) {
      expect(stderr).toMatch(/\[CAMPAIGN_DIFFERS\]\n.*--name/);
    }
  }
});
