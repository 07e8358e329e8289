/**
 * The checks of `doctor`, in order: runtime, configuration, Temporal, services, output store, surroundings, ledger,
 * engines.
 */
import { type ConfigurationOptions, readEnvironment, readSettings } from './session.ts';
import { access, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  ACPYPE,
  B2BTOOLS,
  check,
  findEnginesFolder,
  type State,
} from '../../packages/local-services/src/engines/install.ts';
import type { ServiceSettings, UnreadyService } from '../config/services.ts';
import type { Settings } from '../config/settings.ts';
import type { Environment } from '../domain/process.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { ServiceName } from '../domain/item.ts';
import { isObjectAddress } from '../domain/addresses.ts';
import { formatDuration, formatSize } from '../domain/units.ts';
import type { Recognition } from '../services/recognise.ts';
import { findService } from '../services/registry.ts';
import { listUsedLocals } from '../temporal/host/local.ts';
import { checkOpenFiles } from '../temporal/host/session.ts';
import { readRecord } from '../temporal/host/folder.ts';
import { readProgramVersion } from '../program.ts';
import { resolveAddress } from '../store/layout.ts';
import { openStore, probe } from '../store/open-store.ts';
import { toStoreError } from '../store/store-error.ts';
import { findTemporalCli, readTemporalCliVersion } from '../temporal/cli.ts';
import { connectClient, toTemporalAddress, type TemporalAddress } from '../temporal/connection.ts';
import { describeDeployment } from '../temporal/deployment.ts';
import { isRunning, isServerAlive } from '../temporal/dev-server.ts';
import { DEFAULT_TASK_QUEUE } from '../workflows/names.ts';
import { checkTemporal, checkWorkflows } from './doctor-temporal.ts';
import { type Finding, toProblem } from './finding.ts';
import { formatAccounts, viewLedger } from './logs.ts';
import { findAdvice, findDiskLacking } from './obstacles.ts';
import { chooseRemedy, recogniseService } from './services.ts';

/** What is checked. */
export interface DoctorOptions extends ConfigurationOptions {
  /** The services of this project are used. */
  readonly services?: 'local' | 'synthetic';
  /** True: only the checks of Temporal. */
  readonly temporal?: boolean;
}

/**
 * Checks runtime, configuration, Temporal, services, output store, surroundings, ledger and engines. An unusable
 * configuration is a finding, too.
 */
export async function doctor(options: DoctorOptions = {}): Promise<readonly Finding[]> {
  const { services, temporal: temporalOnly = false } = options;
  const [environment, local] = [readEnvironment(options), services !== undefined];
  const { settings, findings: configured } = checkConfiguration(() =>
    readSettings(options, { tokens: 'optional' }),
  );
  const temporalThere = settings ? await checkTemporalOrHost(settings, temporalOnly) : [];
  if (temporalOnly) return [...configured, ...temporalThere];
  return [
    checkRuntime(),
    ...configured,
    ...temporalThere,
    ...(settings ? await checkAroundCampaigns(settings, environment, local) : []),
    ...(settings === null || local || isWithoutServices(settings) ? checkEngines() : []),
  ];
}

async function checkAroundCampaigns(
  settings: Settings,
  environment: Environment,
  local: boolean,
): Promise<Finding[]> {
  return [
    ...(await checkServices(settings, local)),
    await checkOutputStore(settings),
    ...findUnusedVariables(settings, environment),
    checkLedger(environment),
  ];
}

interface Configured {
  /** Null if it cannot be used. */
  readonly settings: Settings | null;
  readonly findings: readonly Finding[];
}

function checkConfiguration(load: () => Settings): Configured {
  const check = 'configuration and credentials';
  try {
    const settings = load();
    const found = settings.file ?? 'no hundredfold.yaml here: defaults and environment variables';
    const unready = settings.unready.map(({ reason }) => toProblem(check, reason));
    return { settings, findings: unready.length > 0 ? unready : [{ check, ok: true, found }] };
  } catch (error) {
    return { settings: null, findings: [toProblem(check, error)] };
  }
}

/** @param alone everything about Temporal is shown as it is, not as advice for others */
async function checkTemporalOrHost(settings: Settings, alone: boolean): Promise<Finding[]> {
  if (settings.temporal) {
    const target = toTemporalAddress(settings.temporal, settings.codec);
    const found = await checkTemporal(target, settings.taskQueue ?? DEFAULT_TASK_QUEUE);
    // If the server cannot be reached or has no such namespace, no other check makes sense.
    const usable = found.every(({ check, ok }) => ok || !/^Temporal( namespace)?$/.test(check));
    const { deployment } = settings;
    if (usable && deployment !== null) found.push(await checkDeployment(target, deployment));
    const shown = alone ? found : found.map(toAdvice);
    return [...shown, ...(usable ? await checkWorkflows(target, 'remote') : [])];
  }
  const server = readRecord(settings.embeddedDir, 'server');
  const found = await checkEmbedded(settings);
  if (!server || !isServerAlive(server)) return [found];
  return [
    found,
    ...(await checkWorkflows(
      { address: server.address, namespace: 'default', codec: settings.codec },
      'joined',
    )),
  ];
}

/** Campaigns run with a short retention: a problem for the operator of the server, only advice for everyone else. */
function toAdvice(finding: Finding): Finding {
  return finding.code === 'TEMPORAL_RETENTION_SHORT'
    ? { ...finding, ok: true, warning: true }
    : finding;
}

/** What `doctor` reports about this process: its Node, and what the system permits it. */
function checkRuntime(): Finding {
  const check = 'runtime';
  try {
    checkOpenFiles();
  } catch (error) {
    return toProblem(check, error);
  }
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 22 || (major === 22 && minor >= 23);
  const found = `hundredfold ${readProgramVersion()}, Node ${process.version}, ${process.platform} ${process.arch}`;
  return ok
    ? { check, ok, found }
    : { check, ok, found, remedy: 'Install Node 26 (at least 22.23).' };
}

/** How long the damage of a ledger is reported (ms). */
const DAMAGE_SHOWN_MS = 24 * 3_600_000;

/** What `doctor` reports about the ledger of this machine. */
function checkLedger(environment: Environment): Finding {
  const check = 'ledger of submissions';
  try {
    const view = viewLedger(environment);
    if (!view) return { check, ok: true, found: 'nothing was sent from this machine yet' };
    if (view.begunAgain !== null && view.begunAgain < DAMAGE_SHOWN_MS) {
      const found = `${view.path} was damaged and recreated: earlier submissions are not known`;
      const wait =
        'Nothing is sent until one window has passed. If nothing was sent before, remove the file.';
      return { check, ok: false, found, remedy: wait };
    }
    return { check, ok: true, found: [view.path, ...formatAccounts(view)].join('; ') };
  } catch (error) {
    return toProblem(check, error);
  }
}

/** Whoever uses real services needs no engines. */
function isWithoutServices({ services, unready }: Settings): boolean {
  return Object.keys(services).length + unready.length === 0;
}

/** The real engines of the local services are optional: one that is installed but does not run is a problem. */
function checkEngines(): Finding[] {
  return [ACPYPE, B2BTOOLS].map((recipe) => toFinding(check(recipe, findEnginesFolder())));
}

function toFinding({ engine, installed, problem, remedy }: State): Finding {
  const name = `engine ${engine}`;
  if (installed === null) {
    const found = 'not installed, and not needed: the local services answer from recordings';
    return { check: name, ok: true, found };
  }
  const found = `${installed.version} in ${installed.folder}`;
  if (problem === null) return { check: name, ok: true, found };
  return { check: name, ok: false, found: `${found}: ${problem}`, remedy: remedy ?? '' };
}

/** `doctor`: checks the Worker Deployment that the configuration names. */
async function checkDeployment(target: TemporalAddress, deployment: string): Promise<Finding> {
  const check = 'Temporal deployment';
  const client = await connectClient(target);
  try {
    const builds = await describeDeployment(client, deployment);
    const current = builds?.find(({ isCurrent }) => isCurrent);
    if (current) {
      return { check, ok: true, found: `${deployment}: ${current.id} is current` };
    }
    const found = `${deployment}: no version is current, so new campaigns have no worker`;
    const remedy =
      builds === null
        ? 'Start a worker with the same temporal.deployment, then make its version current: temporal worker deployment set-current-version.'
        : 'Make one current: temporal worker deployment set-current-version.';
    return { check, ok: true, warning: true, found, remedy };
  } catch (error) {
    if (!(error instanceof HundredfoldError)) throw error;
    const { code, message, remedy } = error;
    const found = `${message}; workers run without a version`;
    return { check, ok: true, warning: true, code, found, remedy };
  } finally {
    await client.connection.close();
  }
}

/** What `doctor` reports about the folder or bucket of the output trees. */
async function checkOutputStore({ storeUrl }: Settings): Promise<Finding> {
  const check = 'output store';
  if (isObjectAddress(storeUrl)) return checkObjectStore(check, storeUrl);
  const folder = resolve(storeUrl);
  const remedy = 'Make it writable, or choose another folder with --out or store.url.';
  const unwritable = await explainUnwritable(folder);
  if (unwritable !== null) return { check, ok: false, found: unwritable, remedy };
  const disk = await statfs(await findFirstExisting(folder));
  const { bavail, bsize } = disk;
  const lacking = findDiskLacking(disk);
  if (lacking !== null) {
    const full = `the disk of ${folder} is full${lacking}`;
    const space = 'Free some space there, or choose another with --out or store.url.';
    return { check, ok: false, found: full, remedy: space };
  }
  return { check, ok: true, found: `${folder}, ${formatSize(bavail * bsize)} free` };
}

async function checkObjectStore(check: string, address: string): Promise<Finding> {
  try {
    await probe(await openStore(address));
    const found = `${resolveAddress(address)}: written, read, listed, removed; conditional writes work`;
    return { check, ok: true, found };
  } catch (error) {
    return toProblem(check, error);
  }
}

/** What `doctor` reports about the embedded Temporal server: its program, its folder, and whether it runs. */
async function checkEmbedded({ embeddedDir }: Settings): Promise<Finding> {
  const check = 'Temporal';
  let cli: string | undefined;
  try {
    cli = findTemporalCli()?.path;
  } catch (error) {
    return toProblem(check, error);
  }
  if (cli === undefined) {
    const found =
      'embedded, not downloaded yet: the first campaign or `hundredfold setup` downloads it';
    return { check, ok: true, found };
  }
  const cliVersion = readTemporalCliVersion(cli);
  if (cliVersion === null) {
    const remedy =
      'Remove it and run `hundredfold setup` to download it again, or set TEMPORAL_CLI to another one.';
    return { check, ok: false, found: `${cli} is not a working Temporal CLI`, remedy };
  }
  const unwritable = await explainUnwritable(resolve(embeddedDir));
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

/**
 * Creates a test folder in it or its nearest existing parent, because permissions alone are not reliable. null when it
 * works.
 */
async function explainUnwritable(folder: string): Promise<string | null> {
  const existing = await findFirstExisting(folder);
  try {
    const probe = await mkdtemp(join(existing, '.hundredfold-doctor-'));
    await rm(probe, { recursive: true });
    return null;
  } catch (error) {
    return toStoreError(error, `write in ${existing}`).message;
  }
}

async function findFirstExisting(folder: string): Promise<string> {
  const there = await access(folder, constants.F_OK).then(
    () => true,
    () => false,
  );
  return there ? folder : findFirstExisting(dirname(folder));
}

/* Services and variables. */

type Site = ServiceSettings | UnreadyService;

/** @param local the local services are requested */
async function checkServices(settings: Settings, local: boolean): Promise<Finding[]> {
  const configured = [...Object.values(settings.services), ...settings.unready];
  if (configured.length > 0) return Promise.all(configured.map(checkService));
  if (local || listUsedLocals(settings.embeddedDir).length > 0) {
    return [{ check: 'services', ok: true, found: 'the local ones (--services local)' }];
  }
  const remedy = 'Use --services local, or name them under services: (docs/configuration.md).';
  return [{ check: 'services', ok: false, found: 'none configured', remedy }];
}

async function checkService(site: Site): Promise<Finding> {
  const check = `service ${site.reference.service}`;
  const { address } = site.reference;
  if (site.network === null) {
    const found = `${address} was not checked, because the configuration of the service is incomplete`;
    return { check, ok: false, found, remedy: readRemedy(site) };
  }
  try {
    return { check, ...describeRecognition(site, await recogniseService(site, site.network)) };
  } catch (error) {
    return toProblem(check, error);
  }
}

function readRemedy(site: Site): string {
  return 'reason' in site ? site.reason.remedy : '';
}

function describeRecognition(site: Site, recognition: Recognition): Omit<Finding, 'check'> {
  const { service, address } = site.reference;
  const key = `services.${service}.url`;
  switch (recognition.type) {
    case 'right':
      return {
        ok: true,
        found: `${address} is ${findService(service).title}, ${describeSite(site)}`,
      };
    case 'away': {
      const proxy = site.network?.proxy;
      const also = proxy ? ` the proxy ${proxy.name} (HTTPS_PROXY, HTTP_PROXY, NO_PROXY),` : '';
      const remedy = `Check${also} ${key}, and that the service is up.`;
      return { ok: false, found: `${address} does not answer: ${recognition.message}`, remedy };
    }
    case 'refused': {
      const remedy = chooseRefusalRemedy(service, recognition.message);
      return { ok: false, found: `${address} refuses access: ${recognition.message}`, remedy };
    }
    case 'unclear': {
      const remedy = `Check ${key}. If it is a login or maintenance page, wait; nothing is sent to it.`;
      const said = `${address} answers, but not as ${findService(service).title}: ${recognition.message}`;
      return { ok: false, found: said, remedy };
    }
    case 'wrong': {
      const remedy = chooseRemedy(site, recognition);
      return { ok: false, code: 'SERVICE_URL_WRONG', found: recognition.message, remedy };
    }
  }
}

/** The check sends no token, so a login is requested by something in front of the service. */
function chooseRefusalRemedy(service: ServiceName, message: string): string {
  const login = `services.${service}.headers are for the login of a gateway in front of the service.`;
  return /HTTP 401/.test(message)
    ? `Ask the operators how to authenticate: ${login}`
    : `${findAdvice(message)}${/HTTP 403/.test(message) ? ` If they require a login: ${login}` : ''}`;
}

function describeSite({ reference, policy, network }: Site): string {
  const known = 'credential' in reference ? `credential ${reference.credential}` : 'no token here';
  const windows = policy.windows.map(
    ({ limit, windowMs }) => `${limit} in ${formatDuration(windowMs)}`,
  );
  const budget = windows.length === 0 ? 'no limit' : windows.join(' and ');
  const proxy = network?.proxy ? `, through the proxy ${network.proxy.name}` : '';
  return `${known}, ${budget}${proxy}`;
}

const THEIRS = ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_API_KEY', 'TEMPORAL_PROFILE'];

/** The Temporal CLI's variables: users who set them may expect that they apply here too. */
function findUnusedVariables({ temporal }: Settings, environment: Environment): Finding[] {
  // Whoever has configured a server may have used them: `address: ${TEMPORAL_ADDRESS}`.
  const set = THEIRS.filter((name) => environment[name]);
  if (temporal !== null || set.length === 0) return [];
  return [
    {
      check: 'Temporal variables',
      ok: true,
      warning: true,
      found: `${set.join(', ')} ${set.length === 1 ? 'is' : 'are'} set and not used`,
      remedy:
        'To use them, write temporal: { address: "${TEMPORAL_ADDRESS}", apiKey: { env: TEMPORAL_API_KEY } } in hundredfold.yaml.',
    },
  ];
}
