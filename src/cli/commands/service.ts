/**
 * `hundredfold service print`: systemd units for a worker, and for a campaign that survives a reboot of the machine.
 */
import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { codedError, EXIT } from '../../domain/errors.ts';
import { campaignName } from '../../manifest/name.ts';
import { COMMAND } from '../../program/files.ts';
import { say } from '../text/explain.ts';
import { systemdUnit } from '../text/systemd-unit.ts';

export interface UnitFlags {
  readonly config?: string;
  /** A system unit, not a user unit. */
  readonly system?: boolean;
}

export interface CampaignServiceFlags extends UnitFlags {
  readonly name?: string;
  readonly out?: string;
  readonly services?: 'local';
}

/** A worker ends within 45 s (docs/workers.md); the Temporal server of a campaign takes at most 10 s more. */
const STOP_WITHIN_S = 90;

export async function printWorkerService(flags: UnitFlags): Promise<number> {
  return print('worker', flags, {
    description: 'hundredfold worker',
    args: ['worker', ...configOf(flags)],
    // A configuration that was refused would be refused again.
    final: [EXIT.refused],
  });
}

/** @throws HundredfoldError `SERVICE_MANIFEST_MISSING` if a manifest does not exist: the unit would fail forever */
export async function printCampaignService(
  manifests: readonly string[],
  flags: CampaignServiceFlags,
): Promise<number> {
  for (const manifest of manifests) {
    if (existsSync(manifest)) continue;
    throw codedError('SERVICE_MANIFEST_MISSING', { path: resolve(manifest) });
  }
  const name = flags.name ?? campaignName(manifests);
  const args = [
    ...['run', ...manifests, '--name', name, '--yes'],
    ...(flags.services ? ['--services', flags.services] : []),
    ...(flags.out !== undefined ? ['--out', flags.out] : []),
    ...configOf(flags),
  ];
  const description = `hundredfold campaign ${name}`;
  const final = [EXIT.refused, EXIT.incomplete, EXIT.cancelled];
  return print(name, flags, { description, args, final });
}

function configOf({ config }: UnitFlags): string[] {
  return config === undefined ? [] : ['--config', config];
}

interface Work {
  readonly description: string;
  readonly args: readonly string[];
  readonly final: readonly number[];
}

function print(name: string, flags: UnitFlags, { description, args, final }: Work): number {
  const system = flags.system === true;
  const unit = `hundredfold-${name}.service`;
  process.stdout.write(
    systemdUnit({
      description,
      final,
      folder: process.cwd(),
      stopWithin: STOP_WITHIN_S,
      command: [process.execPath, COMMAND, ...args],
      environmentFile: system
        ? `/etc/hundredfold/${name}.env`
        : `%h/.config/hundredfold/${name}.env`,
      user: system ? userInfo().username : null,
    }),
  );
  for (const line of system ? forTheMachine(name, unit) : forTheUser(name, unit)) say(line);
  return EXIT.ok;
}

function forTheUser(name: string, unit: string): string[] {
  return [
    `Save it as ${join(homedir(), '.config', 'systemd', 'user', unit)}; put tokens into`,
    `${join(homedir(), '.config', 'hundredfold', `${name}.env`)} (NAME=value lines, chmod 600). Then:`,
    `  systemctl --user enable --now ${unit}`,
    '  loginctl enable-linger    # so that it starts with the machine, before any login',
  ];
}

function forTheMachine(name: string, unit: string): string[] {
  return [
    `Save it as /etc/systemd/system/${unit}; put tokens into /etc/hundredfold/${name}.env`,
    '(NAME=value lines, owned by root, chmod 600). Then:',
    `  sudo systemctl enable --now ${unit}`,
  ];
}
