/** Other users of the machine can neither read nor block anything. */
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { symlinkSync } from 'node:fs';
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

test('local services get their own token, all files are private, and the shared temporary directory is not touched', async () => {
  const at = desk();
  at.resends = true;
  at.write('m.csv', MANIFEST);
  const [shared, victim] = [at.path('tmp'), at.path('victim')];
  for (const folder of [shared, victim]) mkdirSync(folder);
  chmodSync(shared, 0o1777);
  symlinkSync(victim, join(shared, `hundredfold-ports-${process.getuid?.() ?? 'user'}`));
  const dead = 'http://127.0.0.1:9';
  const env = {
    HUNDREDFOLD_MOLECULE_TOKEN: TOKEN,
    HUNDREDFOLD_PREDICTION_TOKEN: TOKEN,
    TMPDIR: shared,
    XDG_RUNTIME_DIR: '',
    // Local services and the embedded server are reached directly, whatever proxy is set.
    http_proxy: dead,
    https_proxy: dead,
    HTTP_PROXY: dead,
    HTTPS_PROXY: dead,
  };
  const { stderr } = await at.runs(0, RUN, { env });
  expect(stderr).not.toContain('hundredfold-ports');
  expect(readdirSync(victim)).toEqual([]);
  const state = at.path('.local', 'state', 'hundredfold');
  const [machine = ''] = readdirSync(state);
  expect(existsSync(join(state, machine, 'ports', 'host.lock'))).toBe(true);
  expect(readdirSync(at.embedded)).toEqual(
    expect.arrayContaining(['services.db', 'temporal.db', 'identity.json', 'worker.log']),
  );
  expect([...openToOthers(at.embedded), ...openToOthers(state)]).toEqual([]);
  for (const name of readdirSync(at.embedded).filter((one) => !one.startsWith('starting')))
    expect(readFileSync(join(at.embedded, name), 'latin1'), name).not.toContain(TOKEN);

  // Old files are tightened, also one that was set aside when the clock was set back.
  at.write('.hundredfold/temporal-before-2026-11-26T07-51-36-000Z.db', '');
  for (const path of readdirSync(at.embedded)) {
    if (lstatSync(join(at.embedded, path)).isFile()) chmodSync(join(at.embedded, path), 0o644);
  }
  chmodSync(at.embedded, 0o755);
  // Without a writable home, submissions are counted beside the embedded server, with a message.
  at.write('no-home', '');
  const again = await at.runs(0, [...RUN, '--name', 'again', '--no-cache'], {
    env: { XDG_STATE_HOME: at.path('no-home') },
  });
  expect(again.stderr).toContain('HUNDREDFOLD_STATE_DIR');
  expect(existsSync(join(at.embedded, 'state'))).toBe(true);
  expect(openToOthers(at.embedded)).toEqual([]);
});

test('a token file that others can read causes a warning; a runtime folder that is a link is refused', async () => {
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

  const runtime = at.path('runtime');
  mkdirSync(runtime, { mode: 0o700 });
  mkdirSync(at.path('victim'));
  symlinkSync(at.path('victim'), join(runtime, 'hundredfold'));
  const { stderr } = await at.runs(2, RUN, { env: { XDG_RUNTIME_DIR: runtime } });
  expect(stderr).toMatch(/symbolic link.*\[FOLDER_NOT_PRIVATE\]/);
  expect(readdirSync(at.path('victim'))).toEqual([]);
});
