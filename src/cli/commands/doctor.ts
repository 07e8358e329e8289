/**
 * `hundredfold doctor`: checks runtime, Temporal, services, credentials, output store and engines, each with a remedy.
 */
import { access, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { temporalCliVersion } from '../../program/temporal-cli.js';
import { fullness } from '../../campaigns/obstacle.ts';
import type { Settings } from '../../config/settings.ts';
import { everyCredential } from '../../config/services.ts';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { isObjectAddress } from '../../domain/object-store.ts';
import { checkOpenFiles } from '../../host/open-files.ts';
import { wereUsed } from '../../host/local-settings.ts';
import { readRecord } from '../../host/record.ts';
import { temporalAddress } from '../../host/temporal-address.ts';
import { absoluteAddress } from '../../store/address.ts';
import { openStore } from '../../store/open-store.ts';
import { probe } from '../../store/probe.ts';
import { storeErrorOf } from '../../store/store-error.ts';
import { temporalCli } from '../../temporal/cli.ts';
import { isRunning, lives } from '../../temporal/dev-server.ts';
import { programVersion } from '../../program/files.ts';
import { DEFAULT_TASK_QUEUE } from '../../workflows/names.ts';
import { deploymentFinding } from '../doctor/deployment.ts';
import { engines } from '../doctor/engines.ts';
import { temporalFindings } from '../doctor/temporal.ts';
import { workflowFindings } from '../doctor/workflows.ts';
import { surroundings } from '../doctor/surroundings.ts';
import type { Finding } from '../doctor/finding.ts';
import type { CommonFlags, ServiceFlags } from '../command-line/flags.ts';
import { serviceFinding, WRONG_ADDRESS } from '../doctor/services.ts';
import { accountLines, rejectionLines, viewLedger } from '../text/ledger-lines.ts';
import { commandSettings } from '../session/command-settings.ts';
import { printDocument, printLine } from '../text/output.ts';

interface DoctorFlags extends ServiceFlags {
  /** Only the checks of Temporal. */
  readonly temporal?: boolean;
}

export async function doctor(flags: DoctorFlags): Promise<number> {
  const findings: Finding[] = flags.temporal ? [] : [runtime()];
  const settings = configuration(flags, findings);
  if (settings) {
    findings.push(...(await temporal(settings, flags)));
  }
  if (settings && !flags.temporal) {
    findings.push(...(await services(settings, flags.services === 'local')));
    findings.push(await outputStore(settings));
    findings.push(...surroundings(settings, process.env));
    findings.push(ledger());
  }
  if (!flags.temporal) findings.push(...engines());
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

function runtime(): Finding {
  const check = 'runtime';
  try {
    checkOpenFiles();
  } catch (error) {
    return problem(check, error);
  }
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 22 || (major === 22 && minor >= 19);
  const found = `hundredfold ${programVersion()}, Node ${process.version}, ${process.platform} ${process.arch}`;
  return ok
    ? { check, ok, found }
    : { check, ok, found, remedy: 'Install Node 24 (at least 22.19).' };
}

function configuration(flags: CommonFlags, findings: Finding[]): Settings | null {
  try {
    const settings = commandSettings(flags, { tokens: 'optional' });
    const found = settings.file ?? 'no hundredfold.yaml here: defaults and environment variables';
    const check = 'configuration and credentials';
    if (settings.unready.length === 0) findings.push({ check, ok: true, found });
    for (const { reason } of settings.unready) findings.push(problem(check, reason));
    return settings;
  } catch (error) {
    findings.push(problem('configuration and credentials', error));
    return null;
  }
}

async function temporal(settings: Settings, flags: DoctorFlags): Promise<Finding[]> {
  if (settings.temporal) {
    const target = temporalAddress(settings.temporal, settings.codec);
    const found = await temporalFindings(target, settings.taskQueue ?? DEFAULT_TASK_QUEUE);
    // If the server cannot be reached or has no such namespace, no other check makes sense.
    const usable = found.every(({ check, ok }) => ok || !/^Temporal( namespace)?$/.test(check));
    const { deployment } = settings;
    if (usable && deployment !== null) found.push(await deploymentFinding(target, deployment));
    const shown = flags.temporal ? found : found.map(asAdvice);
    return [...shown, ...(usable ? await workflowFindings(target, 'remote') : [])];
  }
  const server = readRecord(settings.embeddedDir, 'server');
  const found = await embeddedTemporal(settings);
  if (!server || !lives(server)) return [found];
  return [
    found,
    ...(await workflowFindings(
      { address: server.address, namespace: 'default', codec: settings.codec },
      'joined',
    )),
  ];
}

/** Campaigns run with a short retention: a problem for the operator of the server, only advice for everyone else. */
function asAdvice(finding: Finding): Finding {
  return finding.code === 'TEMPORAL_RETENTION_SHORT'
    ? { ...finding, ok: true, warning: true }
    : finding;
}

function problem(check: string, error: unknown): Finding {
  if (!(error instanceof HundredfoldError)) throw error;
  return { check, ok: false, found: error.message, remedy: error.remedy };
}

async function embeddedTemporal({ embeddedDir }: Settings): Promise<Finding> {
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

async function services(settings: Settings, local: boolean): Promise<Finding[]> {
  const configured = [...everyCredential(Object.values(settings.services)), ...settings.unready];
  if (configured.length > 0) return Promise.all(configured.map(serviceFinding));
  if (local || wereUsed(settings.embeddedDir)) {
    return [{ check: 'services', ok: true, found: 'the local ones (--services local)' }];
  }
  const remedy = 'Use --services local, or name them under services: (docs/configuration.md).';
  return [{ check: 'services', ok: false, found: 'none configured', remedy }];
}

function ledger(): Finding {
  const check = 'ledger of submissions';
  try {
    const view = viewLedger(process.env);
    if (!view) return { check, ok: true, found: 'nothing was sent from this machine yet' };
    const [worst] = rejectionLines(view);
    const remedy = 'Give each user their own token, or set the budget to your share of it.';
    if (worst !== undefined) return { check, ok: false, found: worst, remedy };
    if (view.begunAgain !== null) {
      const found = `${view.path} was damaged and recreated: earlier submissions are not known`;
      const wait =
        'Nothing is sent until one window has passed. If nothing was sent before, remove the file.';
      return { check, ok: false, found, remedy: wait };
    }
    return { check, ok: true, found: [view.path, ...accountLines(view)].join('; ') };
  } catch (error) {
    return problem(check, error);
  }
}

async function outputStore({ storeUrl }: Settings): Promise<Finding> {
  const check = 'output store';
  if (isObjectAddress(storeUrl)) return objectStore(check, storeUrl);
  const folder = resolve(storeUrl);
  const remedy = 'Make it writable, or choose another folder with --out or store.url.';
  const unwritable = await whyUnwritable(folder);
  if (unwritable !== null) return { check, ok: false, found: unwritable, remedy };
  const disk = await statfs(await firstExisting(folder));
  const { bavail, bsize } = disk;
  const lacking = fullness(disk);
  if (lacking !== null) {
    const full = `the disk of ${folder} is full${lacking}`;
    const space = 'Free some space there, or choose another with --out or store.url.';
    return { check, ok: false, found: full, remedy: space };
  }
  return { check, ok: true, found: `${folder}, ${((bavail * bsize) / 1e9).toFixed(1)} GB free` };
}

async function objectStore(check: string, address: string): Promise<Finding> {
  try {
    await probe(await openStore(address));
    const found = `${absoluteAddress(address)}: written, read, listed, removed; conditional writes work`;
    return { check, ok: true, found };
  } catch (error) {
    return problem(check, error);
  }
}

/**
 * Creates a test folder in it or its nearest existing parent, because permissions alone are not reliable. null when it
 * works.
 */
async function whyUnwritable(folder: string): Promise<string | null> {
  const existing = await firstExisting(folder);
  try {
    const probe = await mkdtemp(join(existing, '.hundredfold-doctor-'));
    await rm(probe, { recursive: true });
    return null;
  } catch (error) {
    return storeErrorOf(error, `write in ${existing}`).message;
  }
}

async function firstExisting(folder: string): Promise<string> {
  const there = await access(folder, constants.F_OK).then(
    () => true,
    () => false,
  );
  return there ? folder : firstExisting(dirname(folder));
}
