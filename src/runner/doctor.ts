/** What `doctor` finds: what is wrong with this machine, its configuration, Temporal and the services, and what to do. */
import { resolve } from 'node:path';
import type { Client } from '@temporalio/client';
import { readBudget } from '../activities/budget-run.ts';
import type { ServiceSettings, UnreadyService } from '../config/services.ts';
import type { Settings } from '../config/settings.ts';
import { buildCampaignAddress, isObjectAddress, resolveAddress } from '../store/layout.ts';
import { HundredfoldError, type ErrorCode } from '../domain/errors.ts';
import { formatDuration, formatSize } from '../domain/units.ts';
import { readProgramVersion } from '../program.ts';
import { findService } from '../services/registry.ts';
import { openStore, probe } from '../store/open-store.ts';
import { findTemporalCli, readTemporalCliVersion } from '../temporal/cli.ts';
import { connectClient, toTemporalAddress, type TemporalAddress } from '../temporal/connection.ts';
import { isRunning, isServerAlive } from '../temporal/dev-server.ts';
import { nullIfClosed, toRefusal } from '../temporal/grpc-status.ts';
import { createFolderError, readRecord } from '../temporal/host/folder.ts';
import { listUsedLocals } from '../temporal/host/local.ts';
import type { Session } from '../temporal/host/session.ts';
import {
  createAttributes,
  hasAttributes,
  isClosedPart,
  isRecent,
  readHeartbeats,
} from '../temporal/namespace.ts';
import { type Stuck, findStuck } from '../temporal/stuck.ts';
import { buildRunningQuery, DEFAULT_TASK_QUEUE } from '../workflows/names.ts';
import { readCampaignLine } from './find.ts';
import { listNotices } from './follow.ts';
import { findHindrance } from './items.ts';
import { checkFolder, describeRefusals, findObstacle } from './obstacles.ts';
import { chooseRemedy, nameUrlKey, recogniseService } from './intake.ts';
import { checkLanes, describeLanes, readEarlierResults } from './lanes.ts';
import {
  type ConfigurationOptions,
  formatAccounts,
  readEnvironment,
  readSettings,
  viewLedger,
  waitForAnswer,
} from './session.ts';

/** What a check has found. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** The code of the error; only if not ok, or a warning. */
  readonly code?: ErrorCode;
  /** It works, but the user should know. */
  readonly warning?: true;
  readonly found: string;
  /** What to do; only if not ok, or a warning. */
  readonly remedy?: string;
}

/** What is checked. */
export interface DoctorOptions extends ConfigurationOptions {
  /** The services of this project are used. */
  readonly services?: 'local' | 'synthetic';
}

/**
 * Checks runtime, configuration, Temporal, services, output store and ledger. An unusable configuration is a finding,
 * too.
 */
export async function doctor(options: DoctorOptions = {}): Promise<readonly Finding[]> {
  const findings = [await tryCheck('runtime', describeRuntime)];
  const settings = checkConfiguration(options, findings);
  if (settings !== null)
    findings.push(
      ...(await checkTemporal(settings)),
      ...(await checkServices(settings, options.services !== undefined)),
      await tryCheck('output store', () => describeOutputStore(settings)),
    );
  const lookAtLedger = () => describeLedger(readEnvironment(options));
  return [...findings, await tryCheck('ledger of submissions', lookAtLedger)];
}

/** `look` says what is there, or throws a coded error, which is a problem. */
async function tryCheck(check: string, look: () => string | Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, found: await look() };
  } catch (error) {
    return toProblem(check, error);
  }
}

/** @throws any error without a code: a bug */
function toProblem(check: string, error: unknown): Finding {
  if (!(error instanceof HundredfoldError)) throw error;
  const { code, message, remedy } = error;
  return { check, ok: false, code, found: `${message} [${code}]`, remedy };
}

function describeRuntime(): string {
  return `hundredfold ${readProgramVersion()}, Node ${process.version}, ${process.platform} ${process.arch}`;
}

/** Null if the settings cannot be used. @param findings gets what is wrong with them */
function checkConfiguration(options: DoctorOptions, findings: Finding[]): Settings | null {
  const check = 'configuration and credentials';
  try {
    const settings = readSettings(options, { tokens: 'optional' });
    const found = settings.file ?? 'no hundredfold.yaml here: defaults';
    if (settings.unready.length === 0) findings.push({ check, ok: true, found });
    for (const { reason } of settings.unready) findings.push(toProblem(check, reason));
    return settings;
  } catch (error) {
    findings.push(toProblem(check, error));
    return null;
  }
}

async function describeOutputStore({ storeUrl }: Settings): Promise<string> {
  if (!isObjectAddress(storeUrl))
    return `${resolve(storeUrl)}, ${formatSize(await checkFolder(resolve(storeUrl)))} free`;
  await probe(await openStore(storeUrl));
  return `${resolveAddress(storeUrl)}: written, read, listed, removed; conditional writes work`;
}

/** How long the damage of a ledger is reported (ms). */
const DAMAGE_SHOWN_MS = 24 * 3_600_000;

function describeLedger(environment: NodeJS.ProcessEnv): string {
  const view = viewLedger(environment);
  if (!view) return 'nothing was sent from this machine yet';
  if (view.recreatedAgoMs === null || view.recreatedAgoMs >= DAMAGE_SHOWN_MS)
    return [view.path, ...formatAccounts(view)].join('; ');
  throw new HundredfoldError(
    'LEDGER_DAMAGED',
    `${view.path} was damaged and recreated: earlier submissions are not known`,
    'Nothing is sent until one window has passed. If nothing was sent before, remove the file.',
  );
}

/* Services */

type Site = ServiceSettings | UnreadyService;

/** @param isLocal the services of this project are requested */
async function checkServices(settings: Settings, isLocal: boolean): Promise<Finding[]> {
  const main = [...Object.values(settings.services), ...settings.unready];
  const configured = [...main, ...settings.lanes];
  if (main.length > 0)
    return [
      ...(await Promise.all(configured.map(checkService))),
      ...(await checkEngines(settings)),
    ];
  if (isLocal || listUsedLocals(settings.embeddedDir).length > 0)
    return [{ check: 'services', ok: true, found: 'the local ones (--services local)' }];
  const remedy = 'Use --services local, or name them under services: (docs/configuration.md).';
  return [{ check: 'services', ok: false, found: 'none configured', remedy }];
}

/** Whether lanes have the engine of their service, by results in the output folder. */
async function checkEngines({ services, unready, lanes, storeUrl }: Settings): Promise<Finding[]> {
  if (lanes.length === 0) return [];
  const feeds = [...Object.values(services), ...unready, ...lanes];
  const earlier = await readEarlierResults(feeds, buildCampaignAddress(storeUrl, 'lanes'));
  const look = () => {
    checkLanes(feeds, earlier);
    return describeLanes(feeds, earlier);
  };
  return [await tryCheck('engines of lanes', look)];
}

/** What an answer that is neither right nor wrong says, and what to do with URL or KEY of the configuration. */
const ANSWERS = {
  away: ['does not answer', 'Check URL, and that the service is up.'],
  refused: [
    'refuses access',
    // The check sends no token, so a login is requested by something in front of the service.
    'Ask the operators of the service or of your network: KEY.headers are for the login of a gateway in front of it.',
  ],
  unclear: [
    'answers, but not as the service',
    'Check URL. If it is a login or maintenance page, wait; nothing is sent to it.',
  ],
} as const;

async function checkService(site: Site): Promise<Finding> {
  const { service, address } = site.reference;
  const lane = 'lane' in site ? site.lane : undefined;
  const check = `service ${service}${lane ? `, lane ${lane.name}` : ''}`;
  if (site.network === null) {
    const found = `${address} was not checked, because the configuration of the service is incomplete`;
    return { check, ok: false, found, remedy: 'reason' in site ? site.reason.remedy : '' };
  }
  const seen = await recogniseService(site, site.network);
  if (seen.type === 'right') {
    const found = `${address} is ${findService(service).title}, ${describeSite(site)}`;
    return { check, ok: true, found };
  }
  if (seen.type === 'wrong') {
    const remedy = chooseRemedy(site, seen);
    return { check, ok: false, code: 'SERVICE_URL_WRONG', found: seen.message, remedy };
  }
  const [answers, advice] = ANSWERS[seen.type];
  const key = `services.${service}`;
  const remedy = advice.replace('URL', nameUrlKey(site)).replace('KEY', key);
  return { check, ok: false, found: `${address} ${answers}: ${seen.message}`, remedy };
}

function describeSite(site: Site): string {
  const { reference, policy, network } = site;
  if ('lane' in site) return `${site.lane.maxOpen} jobs at a time`;
  const known = 'credential' in reference ? `credential ${reference.credential}` : 'no token here';
  const windows = policy.windows.map(
    ({ limit, windowMs }) => `${limit} in ${formatDuration(windowMs)}`,
  );
  const budget = windows.length === 0 ? 'no limit' : windows.join(' and ');
  const proxy = network?.proxy ? `, through the proxy ${network.proxy.name}` : '';
  return `${known}, ${budget}${proxy}`;
}

/* Temporal */

async function checkTemporal(settings: Settings): Promise<Finding[]> {
  const { temporal, codec, taskQueue } = settings;
  if (temporal) {
    const target = toTemporalAddress(temporal, codec);
    const found = await lookAt(target, (client) =>
      checkServer(client, target, taskQueue ?? DEFAULT_TASK_QUEUE),
    );
    // If the server cannot be reached or has no such namespace, no other check makes sense.
    const isUsable = found.every(({ check, ok }) => ok || check !== 'Temporal');
    return [...found, ...(isUsable ? await checkWorkflows(target, 'remote') : [])];
  }
  const found = await tryCheck('Temporal', () => describeEmbedded(settings));
  const server = readRecord(settings.embeddedDir, 'server');
  if (!server || !isServerAlive(server)) return [found];
  const target = { address: server.address, namespace: 'default', codec };
  return [found, ...(await checkWorkflows(target, 'joined'))];
}

/** The embedded server: its program, its folder, and whether it runs. */
async function describeEmbedded({ embeddedDir }: Settings): Promise<string> {
  const cli = findTemporalCli();
  if (cli === null)
    return 'embedded, not downloaded yet: the first campaign or `hundredfold setup` downloads it';
  const version = readTemporalCliVersion(cli);
  if (version === null)
    throw new HundredfoldError(
      'TEMPORAL_CLI_UNUSABLE',
      `${cli} is not a working Temporal CLI`,
      'Remove it and run `hundredfold setup` to download it again, or set TEMPORAL_CLI to another one.',
    );
  const folder = resolve(embeddedDir);
  await checkFolder(folder).catch((error: unknown) => {
    throw createFolderError(folder, error);
  });
  const server = readRecord(embeddedDir, 'server');
  const state =
    server !== null && (await isRunning(server))
      ? `running at ${server.address}, UI ${server.ui ?? 'off'}`
      : 'not running now';
  return `embedded, ${state}; ${cli}, version ${version}; database in ${folder}`;
}

const CONNECT_TIMEOUT_MS = 5_000;

/** A server that cannot be reached, or refuses, is a finding. Ends within 15 s. */
async function lookAt(
  target: TemporalAddress,
  look: (client: Client) => Promise<Finding[]>,
): Promise<Finding[]> {
  let client: Client;
  try {
    client = await connectClient({ ...target, timeoutMs: CONNECT_TIMEOUT_MS });
  } catch (error) {
    return [toProblem('Temporal', error)];
  }
  try {
    return await waitForAnswer(look(client));
  } catch (error) {
    return [toProblem('Temporal', toRefusal(error, target.namespace) ?? error)];
  } finally {
    await client.connection.close();
  }
}

/** A server of one's own, and what campaigns need there. */
async function checkServer(
  client: Client,
  target: TemporalAddress,
  taskQueue: string,
): Promise<Finding[]> {
  const { address, tls, apiKey, namespace } = target;
  const how = tls?.cert ? 'mutual TLS' : (tls ?? apiKey) === undefined ? 'plain text' : 'TLS';
  const key = apiKey === undefined ? '' : ', API key';
  const info = await client.workflowService.getSystemInfo({}).catch(nullIfClosed);
  const server = info === null ? 'of an unknown version' : info.serverVersion;
  const found = `${address}, namespace ${namespace}, ${how}${key}; server ${server}`;
  return [
    { check: 'Temporal', ok: true, found },
    await tryCheck('Temporal search attributes', () => describeAttributes(client, target)),
    await checkWorkers(client, taskQueue),
  ];
}

async function describeAttributes(client: Client, target: TemporalAddress): Promise<string> {
  if ((await hasAttributes(client)) !== false) return 'can be used';
  throw new HundredfoldError(
    'TEMPORAL_ATTRIBUTES_REFUSED',
    'some are missing, or are of another type than Keyword',
    `The next worker or run adds what is missing, or an administrator: ${createAttributes(target)}`,
  );
}

async function checkWorkers(client: Client, taskQueue: string): Promise<Finding> {
  const check = 'Temporal workers';
  const seen = await readHeartbeats(client, taskQueue);
  if (isClosedPart(seen))
    return { check, ok: true, found: `this server does not tell them (${seen.words})` };
  const names = new Set(seen.filter(isRecent).map(({ identity }) => identity));
  if (names.size > 0)
    return { check, ok: true, found: `${[...names].join(', ')} on the task queue ${taskQueue}` };
  const found = `none works on the task queue ${taskQueue}`;
  const remedy =
    'hundredfold run includes a worker while it runs; hundredfold worker runs permanently.';
  return { check, ok: true, warning: true, found, remedy };
}

/**
 * What keeps campaigns and budgets from making progress; empty if nothing does. Ends within 15 s.
 * @param role `remote`: the workers of a Temporal elsewhere may have trees that this machine does not have
 */
export async function checkWorkflows(
  target: TemporalAddress,
  role: Session['role'],
): Promise<Finding[]> {
  return lookAt(target, async (client) => {
    const found: Finding[] = [];
    const query = buildRunningQuery(['budget', 'campaign']);
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      const description = await client.workflow.getHandle(workflowId, runId).describe();
      const check = workflowId.replace(':', ' ');
      const stuck = await findStuck(client, description, Date.now());
      if (stuck) found.push({ check, ok: false, ...describeStuck(workflowId, stuck, role) });
      if (isBudget(workflowId)) {
        const budget = await readBudget(client, workflowId);
        const budgets = budget === null ? [] : [budget];
        const refusals = describeRefusals(budgets, Date.now()).join(' ');
        if (refusals !== '') found.push({ check, ok: false, found: refusals });
        const notices = budgets.flatMap(listNotices);
        found.push(...notices.map(({ words }) => ({ check, ok: true, found: words })));
      } else {
        const { name, out } = readCampaignLine(description);
        const obstacle = await findObstacle({ client, role }, out, description);
        if (obstacle !== null) found.push({ check, ok: false, found: obstacle });
        const hindrance = await findHindrance(client, name);
        if (hindrance !== null) found.push({ check, ok: false, found: hindrance });
      }
    }
    return found;
  });
}

function isBudget(workflowId: string): boolean {
  return workflowId.startsWith('budget:');
}

function describeStuck(
  workflowId: string,
  stuck: Stuck,
  role: Session['role'],
): Pick<Finding, 'found' | 'remedy'> {
  if (stuck.type === 'unattended')
    return {
      found: `no worker has polled its tasks for ${Math.round(stuck.sinceMs / 1_000)} s`,
      remedy:
        'Run the "hundredfold run" command of an open campaign again, or start a worker: hundredfold worker.',
    };
  const why = stuck.type === 'unreplayable' ? 'its history cannot be replayed' : 'its tasks fail';
  const found = `${why} (${stuck.message})`;
  if (isBudget(workflowId)) {
    const remedy =
      'A worker restarts it within a minute, with everything that may be charged: hundredfold run, watch or worker.';
    return { found, remedy };
  }
  const name = workflowId.slice('campaign:'.length);
  // Workers of another version at a remote Temporal may be able to replay it, so there `cancel` is left to the user.
  const end =
    role === 'remote'
      ? `Terminate ${workflowId} in the Temporal UI`
      : `Run "hundredfold cancel ${name}"`;
  return {
    found,
    remedy: `${end}, then run the "hundredfold run" command of ${name} again: it continues with what is on disk.`,
  };
}
