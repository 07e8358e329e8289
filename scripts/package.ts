/**
 * Makes the package: `npm run package [-- --out FOLDER]` writes hundredfold-VERSION.tgz and prints its path.
 * `npm pack` does the same through `--prepare` (before) and `--put-back` (after).
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { stage } from './package/stage.ts';
import { putCheckoutBack, putPackageInPlace } from './package/swap.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: '.' },
    prepare: { type: 'boolean' },
    'put-back': { type: 'boolean' },
  },
});

if (values['put-back'] === true) putCheckoutBack();
else if (values.prepare === true) putPackageInPlace(await stage());
else process.stdout.write(`${pack(await stage(), resolve(values.out))}\n`);

function pack(staged: string, out: string): string {
  mkdirSync(out, { recursive: true });
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', out, staged];
  const run = spawnSync('npm', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (run.status !== 0) throw new Error(`npm pack failed:\n${run.stdout}\n${run.stderr}`);
  const [packed] = JSON.parse(run.stdout) as { filename: string }[];
  return join(out, packed?.filename ?? '');
}
