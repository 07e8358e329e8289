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
import { printTable } from '../text/table.ts';
import type { Conformance } from '../../doctor/conformance/conform.ts';
import { serviceOf } from '../../services/registry.ts';

interface DoctorFlags extends ServiceFlags {
  /** Only the checks of Temporal. */
  readonly temporal?: boolean;
  /** Its name. */
  readonly service?: string;
}

export async function doctor(flags: DoctorFlags): Promise<number> {
  if (flags.service !== undefined) return tryService(flags.service, flags);
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

async function tryService(name: string, { json }: DoctorFlags): Promise<number> {
  const { conform } = await import('../../doctor/conformance/conform.ts');
  const tried = await conform(serviceOf(name), {});
  if (json) printDocument(tried);
  else tried.forEach(printConformance);
  return tried.every(({ faults }) => faults.length === 0) ? EXIT.ok : EXIT.usage;
}

function printConformance({ service, variant, rows, faults }: Conformance): void {
  const keys = Object.entries(variant).map(([key, value]) => `, ${key}: ${String(value)}`);
  printLine(`${service}${keys.join('')}`);
  printTable(
    ['STEP', 'ANSWER', 'BY', 'WHAT HAPPENS'],
    rows.map(({ step, answer, outcome, isClaim, fault }) => [
      step,
      answer,
      isClaim ? service : 'any service',
      fault === null ? outcome : `${fault}: ${outcome}`,
    ]),
  );
  for (const { code, where, message } of faults) printLine(`${code}  ${where}: ${message}`);
  printLine(faults.length === 0 ? 'ok' : `${faults.length} faults`);
}
