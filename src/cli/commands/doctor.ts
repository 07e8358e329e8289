/**
 * `hundredfold doctor`: checks runtime, Temporal, services, credentials, output store and engines, each with a remedy.
 */
import { diagnose } from '../../doctor/diagnose.ts';
import type { Finding } from '../../doctor/finding.ts';
import { WRONG_ADDRESS } from '../../doctor/services.ts';
import { EXIT } from '../../domain/errors.ts';
import type { ServiceFlags } from '../command-line/flags.ts';
import { commandSettings } from '../session/command-settings.ts';
import { printDocument, printLine } from '../text/output.ts';

interface DoctorFlags extends ServiceFlags {
  /** Only the checks of Temporal. */
  readonly temporal?: boolean;
}

export async function doctor(flags: DoctorFlags): Promise<number> {
  const findings = await diagnose({
    load: () => commandSettings(flags, { tokens: 'optional' }),
    environment: process.env,
    local: flags.services !== undefined,
    temporalOnly: flags.temporal ?? false,
  });
  if (flags.json) printDocument(findings);
  else {
    printLine('STATE    CHECK: FOUND');
    findings.forEach(print);
  }
  return exitCode(findings);
}

/** A wrong address gives the exit code of `run`, which refuses to start with it. */
function exitCode(findings: readonly Finding[]): number {
  if (findings.every(({ ok }) => ok)) return EXIT.ok;
  return findings.some(({ code }) => code === WRONG_ADDRESS) ? EXIT.refused : EXIT.usage;
}

function print({ check, ok, warning, found, remedy }: Finding): void {
  const standing = warning ? 'WARNING' : ok ? 'ok     ' : 'PROBLEM';
  printLine(`${standing}  ${check}: ${found}`);
  if (remedy) printLine(`         ${remedy}`);
}
