/** `hundredfold doctor`: checks runtime, Temporal, services, credentials, output store and ledger, each with a remedy. */
import { Command } from 'commander';
import {
  doctor as check,
  type Finding,
  loadConformanceKit,
  type Row,
  type Conformance,
} from '../../runner/command-line.ts';
import { resolve } from 'node:path';
import { EXIT } from '../../domain/errors.ts';
import { loadCommandSettings } from '../session.ts';
import { formatCount, printDocument, printLine, printTable } from '../terminal.ts';
import { formatDuration } from '../../domain/units.ts';
import { loadPlugins } from '../../services/plugins/load.ts';
import { listServiceNames, findService } from '../../services/registry.ts';
import type { Service } from '../../services/service.ts';
import { call, checkKnown, type Flags } from '../options.ts';

export const commands = [
  new Command('doctor')
    .description('check runtime, Temporal, services, credentials, output store and ledger')
    .option('--service <name>', 'try a service, or a plugin file, with every kind of answer')
    .action(call(diagnose)),
];

async function diagnose(flags: Flags): Promise<number> {
  const { service } = flags;
  if (service !== undefined) return tryService({ ...flags, service });
  const findings = await check(flags);
  if (flags.json) printDocument(findings);
  else {
    printLine('STATE    CHECK: FOUND');
    findings.forEach(print);
  }
  return chooseExitCode(findings);
}

/** A wrong address gives the exit code of `run`, which refuses to start with it. */
function chooseExitCode(findings: readonly Finding[]): number {
  if (findings.every(({ ok }) => ok)) return EXIT.ok;
  return findings.some(({ code }) => code === 'SERVICE_URL_WRONG') ? EXIT.refused : EXIT.usage;
}

function print({ check, ok, warning, found, remedy }: Finding): void {
  const state = warning ? 'WARNING' : ok ? 'ok     ' : 'PROBLEM';
  printLine(`${state}  ${check}: ${found}`);
  if (remedy) printLine(`         ${remedy}`);
}

async function tryService(flags: Flags & { readonly service: string }): Promise<number> {
  const { json } = flags;
  const settings = loadCommandSettings(flags);
  const { checkConformance } = await loadConformanceKit();
  const tried: Conformance[] = [];
  for (const service of findServices(flags.service)) {
    const sites = [...Object.values(settings.services), ...settings.unready];
    const site = sites.find(({ reference }) => reference.service === service.name);
    tried.push(...(await checkConformance(service, site?.config ?? {})));
  }
  if (json) printDocument(tried);
  else tried.forEach(printConformance);
  return tried.every(({ faults }) => faults.length === 0) ? EXIT.ok : EXIT.usage;
}

/** By its name, or all of a plugin's file. */
function findServices(name: string): readonly Service[] {
  if (/[./\\]/.test(name))
    return loadPlugins([resolve(name)], process.cwd()).flatMap(({ services }) => services);
  checkKnown('service', [name], [...listServiceNames(), './FILE of a plugin']);
  return [findService(name)];
}

function printConformance({ service, variant, faults, ...table }: Conformance): void {
  const keys = Object.entries(variant).map(([key, value]) => `, ${key}: ${String(value)}`);
  printLine(`${service}${keys.join('')}`);
  printLine('');
  printAnswers(table);
  printLine('');
  for (const { code, where, found, remedy } of faults) {
    printLine(`FAULT ${code}  ${where}`);
    for (const one of found) printLine(`  ${one}`);
    printLine(`  ${remedy}`);
  }
  printLine(
    faults.length === 0 ? 'ok: no answer breaks a promise' : formatCount(faults.length, 'fault'),
  );
}

function formatAnswer(row: Row | undefined): string {
  if (row === undefined) return '';
  const { outcome, afterMs, isClaim, fault } = row;
  const wait = afterMs === null ? '' : `, ${formatDuration(afterMs)}`;
  return outcome + wait + (fault !== null ? ' !' : isClaim ? ' *' : '');
}

/** What happens after each answer, and what the words mean. */
function printAnswers({ rows, meanings }: Pick<Conformance, 'rows' | 'meanings'>): void {
  const answers = [...new Set(rows.map(({ answer }) => answer))];
  // Kinds with equal columns share the first one.
  const columns = new Map<string, readonly string[]>();
  for (const [step, cells] of Map.groupBy(rows, (row) => row.step)) {
    const texts = answers.map((answer) => formatAnswer(cells.find((row) => row.answer === answer)));
    const [head = ''] = step.split(' ');
    const column = [head.toUpperCase(), ...texts];
    if (!columns.has(column.join('|'))) columns.set(column.join('|'), column);
  }
  const [header = [], ...table] = ['ANSWER', ...answers].map((answer, n) => [
    answer,
    ...[...columns.values()].map((column) => column[n] ?? ''),
  ]);
  printTable(header, table);
  printLine('');
  for (const [word, meaning] of Object.entries(meanings))
    printLine(`${word.padEnd(12)} ${meaning}`);
  printLine('');
  printLine('* as the definition says, ! a fault; others mean this for any service');
  printLine('2xx: where the definition reads answers, mostly 200');
}
