/** Runs the examples of docs/verify.md as they are written, on a tree with the items that they name. */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { installedEngine } from '../../src/local-services/engines/real/installed.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { BATCHES } from '../manifest/manifests.ts';
import { END } from '../report/a-campaign.ts';
import { moleculeEnd, resultCampaign } from '../report/tables/result-campaign.ts';
import { BIN, desk, ROOT, type Desk } from './command.ts';

const run = promisify(execFile);
const page = readFileSync(join(ROOT, 'docs', 'verify.md'), 'utf8');
const there = installedEngine('acpype') !== null;
const skipped = there ? '' : ' (skipped: ACPYPE is not installed, npm run engines)';

/** The commands below a heading. */
function commands(heading: string): readonly string[] {
  const [, section = ''] = page.split(new RegExp(`^##+ ${heading}\n`, 'm'));
  const [, block = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(section) ?? [];
  return block.split('\n').filter((line) => line.trim() !== '');
}

/** A desk with the published campaign night: aspirin and caffeine, with the charges that are computed fastest. */
async function deskWithNight(): Promise<Desk> {
  const engine = 'real, ACPYPE 2023.10.27, Open Babel 3.1.1.23';
  const file = readFileSync(join(BATCHES, 'demo', 'files', 'caffeine.pdb'), 'utf8');
  const made = [
    moleculeEnd('aspirin', 'smi-aspirin-gas-auto-gaff2', {
      input: { name: 'input.smi', text: 'CC(=O)Oc1ccccc1C(=O)O aspirin\n' },
    }),
    moleculeEnd('caffeine', 'file-caffeine-gas-auto-gaff2', {
      input: { name: 'input.pdb', text: file },
    }),
  ];
  const { location } = await resultCampaign(made.map((one) => ({ ...one, changes: { engine } })));
  const at = desk();
  const folder = at.path('results', 'night');
  await cp(location, folder, { recursive: true });
  await publishCampaign(await openFileStore(folder), END);
  mkdirSync(at.path('bin'));
  const npx = at.path('bin', 'npx');
  // What npx does with the name of the program.
  writeFileSync(npx, `#!/bin/sh\nshift\nexec ${process.execPath} ${BIN} "$@"\n`);
  chmodSync(npx, 0o755);
  return at;
}

async function type(at: Desk, command: string): Promise<{ stdout: string; stderr: string }> {
  const { PATH = '', ...rest } = process.env;
  const env = { ...rest, PATH: `${at.path('bin')}:${PATH}`, HOME: at.path('.') };
  return run('bash', ['-ec', command], { cwd: at.path('.'), env, maxBuffer: 2 ** 26 });
}

test('the page contains examples', () => {
  expect(commands('Verify a campaign')).toHaveLength(3);
  expect(commands('A sample computed again')).toHaveLength(3);
  expect(commands('Deposit a campaign')).toHaveLength(2);
});

test('a campaign is verified in every documented way to name it', async () => {
  const at = await deskWithNight();
  for (const command of commands('Verify a campaign')) {
    const { stdout, stderr } = await type(at, command);
    expect(stderr).toContain('night: no problems found: 2 items');
    if (!command.includes('--json')) continue;
    const [, keys = ''] = /^With `--json`: `\{([^`]*)\}`\.$/m.exec(page) ?? [];
    const named = [...keys.replace(/\[\{[^\]]*\]/g, '[]').matchAll(/"(\w+)"/g)].map(
      ([, key]) => key,
    );
    const printed = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    expect(Object.keys(printed).sort()).toEqual([...named, 'recomputed'].sort());
  }
}, 120_000);

describe.skipIf(!there)(`a sample${skipped}`, () => {
  test('items are recomputed in every documented way to choose them', async () => {
    const at = await deskWithNight();
    for (const command of commands('A sample computed again')) {
      const { stderr } = await type(at, command);
      const count = command.includes('--items') ? 2 : 1;
      expect(stderr).toContain(`night: ${count} of 2 results were recomputed, 0 differ`);
    }
  }, 240_000);
});

test('a deposit contains the files that the page lists, and its tree verifies', async () => {
  const at = await deskWithNight();
  const deposited = commands('Deposit a campaign');
  for (const command of deposited) await type(at, command);
  const [, section = ''] = page.split('## Deposit a campaign\n');
  const [, inFolder = ''] = /in (\.\/\S+)$/m.exec(deposited[0] ?? '') ?? [];
  const listed = [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, name = '']) => name);
  expect(listed).toHaveLength(4);
  for (const name of listed)
    expect([name, existsSync(at.path(inFolder, name))]).toEqual([name, true]);
  await run('python3', ['-m', 'zipfile', '-e', join(at.path(inFolder), 'night.zip'), at.path('.')]);
  const [, verify = ''] = /`(npx hundredfold verify \.\/night\/data)`/.exec(section) ?? [];
  expect((await type(at, verify)).stderr).toContain('no problems found');
}, 120_000);
