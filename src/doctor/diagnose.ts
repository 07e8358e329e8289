/**
 * The checks of `doctor`, in order: runtime, configuration, Temporal, services, output store, surroundings, ledger,
 * engines. The checks of one subject are in one file.
 */
import type { Environment } from '../domain/environment.ts';
import type { Settings } from '../config/settings.ts';
import { readRecord } from '../host/record.ts';
import { temporalAddress } from '../host/temporal-address.ts';
import { lives } from '../temporal/dev-server.ts';
import { DEFAULT_TASK_QUEUE } from '../workflows/names.ts';
import { deploymentFinding } from './deployment.ts';
import { embeddedFinding } from './embedded.ts';
import { engines } from './engines.ts';
import { problem, type Finding } from './finding.ts';
import { ledgerFinding } from './ledger.ts';
import { outputStoreFinding } from './output-store.ts';
import { runtimeFinding } from './runtime.ts';
import { serviceFindings } from './services.ts';
import { surroundings } from './surroundings.ts';
import { temporalFindings } from './temporal.ts';
import { workflowFindings } from './workflows.ts';

interface DiagnoseOptions {
  /** Reads the configuration: an error in it is a finding. */
  readonly load: () => Settings;
  readonly environment: Environment;
  /** The local services are requested. */
  readonly local: boolean;
  /** Only the checks of Temporal. */
  readonly temporalOnly: boolean;
}

export async function diagnose(options: DiagnoseOptions): Promise<Finding[]> {
  const { environment, local, temporalOnly } = options;
  const { settings, findings: configured } = configuration(options.load);
  const temporalThere = settings ? await temporal(settings, temporalOnly) : [];
  if (temporalOnly) return [...configured, ...temporalThere];
  return [
    runtimeFinding(),
    ...configured,
    ...temporalThere,
    ...(settings ? await aroundCampaigns(settings, environment, local) : []),
    ...engines(),
  ];
}

async function aroundCampaigns(
  settings: Settings,
  environment: Environment,
  local: boolean,
): Promise<Finding[]> {
  return [
    ...(await serviceFindings(settings, local)),
    await outputStoreFinding(settings),
    ...surroundings(settings, environment),
    ledgerFinding(environment),
  ];
}

interface Configured {
  /** Null if it cannot be used. */
  readonly settings: Settings | null;
  readonly findings: readonly Finding[];
}

function configuration(load: () => Settings): Configured {
  const check = 'configuration and credentials';
  try {
    const settings = load();
    const found = settings.file ?? 'no hundredfold.yaml here: defaults and environment variables';
    const unready = settings.unready.map(({ reason }) => problem(check, reason));
    return { settings, findings: unready.length > 0 ? unready : [{ check, ok: true, found }] };
  } catch (error) {
    return { settings: null, findings: [problem(check, error)] };
  }
}

/** @param alone everything about Temporal is shown as it is, not as advice for others */
async function temporal(settings: Settings, alone: boolean): Promise<Finding[]> {
  if (settings.temporal) {
    const target = temporalAddress(settings.temporal, settings.codec);
    const found = await temporalFindings(target, settings.taskQueue ?? DEFAULT_TASK_QUEUE);
    // If the server cannot be reached or has no such namespace, no other check makes sense.
    const usable = found.every(({ check, ok }) => ok || !/^Temporal( namespace)?$/.test(check));
    const { deployment } = settings;
    if (usable && deployment !== null) found.push(await deploymentFinding(target, deployment));
    const shown = alone ? found : found.map(asAdvice);
    return [...shown, ...(usable ? await workflowFindings(target, 'remote') : [])];
  }
  const server = readRecord(settings.embeddedDir, 'server');
  const found = await embeddedFinding(settings);
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
