/** The Temporal CLI of tests: fetched once for the user, and copied to where commands of other users may read it. */
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTemporalCli, findTemporalCli } from '../src/temporal/cli.ts';

/** Sets TEMPORAL_CLI for this process and those that it starts: their homes are others, and must not fetch it again. */
export async function shareTemporalCli(): Promise<string> {
  const path = await ensureTemporalCli((line) => process.stderr.write(`${line}\n`));
  const folder = mkdtempSync(join(tmpdir(), 'hundredfold-cli-'));
  process.on('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  chmodSync(folder, 0o755);
  const copy = join(folder, 'temporal');
  copyFileSync(path, copy);
  chmodSync(copy, 0o755);
  process.env['TEMPORAL_CLI'] = copy;
  return copy;
}

export function requireTemporalCli(): string {
  const cli = findTemporalCli();
  if (cli === null) throw new Error('there is no Temporal CLI: node bin/hundredfold.js setup');
  return cli;
}
