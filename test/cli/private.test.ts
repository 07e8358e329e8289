/** Other users of the machine can neither read nor block anything. */
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { desk } from './command.ts';

const TOKEN = 'mPrivate7Z';
const MANIFEST = 'id,kind,smiles\nethanol,molecule,CCO\n';
const RUN = ['run', 'm.csv', '--services', 'local', '--json'];

/** Paths below the folder that other users may read, write or enter. */
function openToOthers(folder: string): string[] {
  return [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]
    .map((name) => (name === folder ? folder : join(folder, name)))
    .filter((path) => (lstatSync(path).mode & 0o077) !== 0);
}

test('local services get their own token, all files are private, and old files are tightened', async () => {
  const at = desk();
  at.write('m.csv', MANIFEST);
  const env = { HUNDREDFOLD_MOLECULE_TOKEN: TOKEN, HUNDREDFOLD_PREDICTION_TOKEN: TOKEN };
  await at.runs(0, RUN, { env });
  const state = at.path('.local', 'state', 'hundredfold');
  expect(readdirSync(at.embedded)).toEqual(
    expect.arrayContaining(['services.db', 'temporal.db', 'identity.json', 'worker.log']),
  );
  expect([...openToOthers(at.embedded), ...openToOthers(state)]).toEqual([]);
  for (const name of readdirSync(at.embedded).filter((one) => !one.startsWith('starting')))
    expect(readFileSync(join(at.embedded, name), 'latin1'), name).not.toContain(TOKEN);

  // Set aside when the clock was set back.
  at.write('.hundredfold/temporal-before-2026-11-26T07-51-36-000Z.db', '');
  for (const path of readdirSync(at.embedded)) {
    if (lstatSync(join(at.embedded, path)).isFile()) chmodSync(join(at.embedded, path), 0o644);
  }
  chmodSync(at.embedded, 0o755);
  await at.runs(0, RUN);
  expect(openToOthers(at.embedded)).toEqual([]);
});

test('a token file that others can read causes a warning with a remedy', async () => {
  const at = desk();
  at.write('m.csv', MANIFEST);
  const file = at.write('token.txt', TOKEN);
  at.write(
    'hundredfold.yaml',
    'services: { molecules: { url: "http://127.0.0.1:9/acpype", token: { file: token.txt } } }',
  );
  chmodSync(file, 0o644);
  const open = await at.runs(0, ['plan', 'm.csv']);
  expect(open.stderr).toContain(`chmod 600 '${file}'`);
  expect(open.stderr).not.toContain(TOKEN);
  chmodSync(file, 0o600);
  expect((await at.runs(0, ['plan', 'm.csv'])).stderr).not.toContain('chmod');
});

test('the port lock is in a folder of the user; the shared temporary directory is not touched', async () => {
  const at = desk();
  at.write('m.csv', MANIFEST);
  const shared = at.path('tmp');
  const victim = at.path('victim');
  for (const folder of [shared, victim]) mkdirSync(folder);
  chmodSync(shared, 0o1777);
  symlinkSync(victim, join(shared, `hundredfold-ports-${process.getuid?.() ?? 'user'}`));
  const { stderr } = await at.runs(0, RUN, { env: { TMPDIR: shared, XDG_RUNTIME_DIR: '' } });
  expect(stderr).not.toContain('hundredfold-ports');
  expect(readdirSync(victim)).toEqual([]);
  const [machine = ''] = readdirSync(at.path('.local', 'state', 'hundredfold'));
  expect(existsSync(at.path('.local', 'state', 'hundredfold', machine, 'ports', 'host.lock'))).toBe(
    true,
  );
});

test('a runtime folder that is a symbolic link is refused at once', async () => {
  const at = desk();
  at.write('m.csv', MANIFEST);
  const runtime = at.path('runtime');
  mkdirSync(runtime, { mode: 0o700 });
  mkdirSync(at.path('victim'));
  symlinkSync(at.path('victim'), join(runtime, 'hundredfold'));
  const { stderr } = await at.runs(2, RUN, { env: { XDG_RUNTIME_DIR: runtime } });
  expect(stderr).toMatch(/symbolic link.*\[FOLDER_NOT_PRIVATE\]/);
  expect(readdirSync(at.path('victim'))).toEqual([]);
});

test('without a writable home, submissions are counted beside the embedded server, with a message', async () => {
  const at = desk();
  at.write('m.csv', MANIFEST);
  writeFileSync(at.path('no-home'), '');
  const { stderr } = await at.runs(0, RUN, { env: { XDG_STATE_HOME: at.path('no-home') } });
  expect(stderr).toContain('HUNDREDFOLD_STATE_DIR');
  expect(existsSync(join(at.embedded, 'state'))).toBe(true);
});
