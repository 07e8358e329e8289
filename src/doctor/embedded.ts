/** What `doctor` reports about the embedded Temporal server: its program, its folder, and whether it runs. */
import { resolve } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { readRecord } from '../host/record.ts';
import { temporalCliVersion } from '../program/temporal-cli.js';
import { temporalCli } from '../temporal/cli.ts';
import { isRunning } from '../temporal/dev-server.ts';
import { problem, type Finding } from './finding.ts';
import { whyUnwritable } from './writable.ts';

export async function embeddedFinding({ embeddedDir }: Settings): Promise<Finding> {
  const check = 'Temporal';
  let cli: string;
  try {
    cli = temporalCli();
  } catch (error) {
    if (error instanceof HundredfoldError && error.code === 'TEMPORAL_CLI_MISSING') {
      const found =
        'embedded, not downloaded yet: the first campaign or `hundredfold setup` downloads it';
      return { check, ok: true, found };
    }
    return problem(check, error);
  }
  const cliVersion = temporalCliVersion(cli);
  if (cliVersion === null) {
    const remedy =
      'Remove it and run `hundredfold setup` to download it again, or set TEMPORAL_CLI to another one.';
    return { check, ok: false, found: `${cli} is not a working Temporal CLI`, remedy };
  }
  const unwritable = await whyUnwritable(resolve(embeddedDir));
  if (unwritable !== null) {
    const found = `${unwritable} The embedded server keeps its database there.`;
    const remedy = 'Make it writable, or choose another folder with embedded.dir.';
    return { check, ok: false, found, remedy };
  }
  const server = readRecord(embeddedDir, 'server');
  const running = server !== null && (await isRunning(server));
  const state = running
    ? `running at ${server.address}, UI ${server.ui ?? 'off'}`
    : 'not running now';
  return {
    check,
    ok: true,
    found: `embedded, ${state}; ${cli}, version ${cliVersion}; database in ${resolve(embeddedDir)}`,
  };
}
