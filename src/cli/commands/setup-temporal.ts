/** `hundredfold setup temporal`: creates what a Temporal server lacks, or prints the commands for it. */
import { loadSettings } from '../../config/settings.ts';
import { codedError, EXIT } from '../../domain/errors.ts';
import { temporalAddress } from '../../host/temporal-address.ts';
import { setUpCluster, type Step } from '../../temporal/cluster-setup.ts';
import { connectClient } from '../../temporal/connection.ts';
import { say } from '../text/explain.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { printDocument, printLine } from '../text/output.ts';

export interface SetupFlags extends CommonFlags {
  readonly namespace?: string;
  /** ms */
  readonly retention: number;
  readonly dryRun?: boolean;
}

export async function setupTemporal(flags: SetupFlags): Promise<number> {
  const { temporal } = loadSettings(flags.config, process.env, { tokens: 'optional' });
  if (!temporal) throw codedError('CONFIG_NO_TEMPORAL', { case: 'setup' });
  const target = temporalAddress(temporal, null);
  const namespace = flags.namespace ?? target.namespace;
  const client = await connectClient({ ...target, namespace });
  const { address } = target;
  const dryRun = flags.dryRun ?? false;
  try {
    const steps = await setUpCluster({ client, address, retentionMs: flags.retention, dryRun });
    const ok = steps.every(({ state }) => state !== 'refused');
    if (flags.json) printDocument({ address, namespace, dryRun, ok, steps });
    else print(steps, namespace, temporal.namespace);
    return ok ? EXIT.ok : EXIT.usage;
  } finally {
    await client.connection.close();
  }
}

const STANDING: Readonly<Record<Step['state'], string>> = {
  present: 'ok     ',
  done: 'done   ',
  planned: 'to do  ',
  refused: 'REFUSED',
  unknown: 'unknown',
};

function print(steps: readonly Step[], namespace: string, configured: string): void {
  for (const { step, state, message, permission } of steps) {
    printLine(`${STANDING[state]}  ${step}: ${message}`);
    if (permission) printLine(`         missing permission: ${permission}`);
  }
  const commands = steps.map(({ command }) => command).filter((command) => command !== null);
  if (commands.length > 0) {
    printLine(
      '\nThe same, for an administrator (with the --tls-… or --api-key options that apply):',
    );
    for (const command of commands) printLine(`  ${command}`);
  }
  if (namespace !== configured) say(`To use it, set temporal.namespace: ${namespace}.`);
}
