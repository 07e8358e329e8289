/** Creates what a namespace lacks for us. Repeating it changes nothing; nothing is ever lowered or removed. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { HundredfoldError } from '../domain/errors.ts';
import * as commands from './cluster-commands.ts';
import {
  ATTRIBUTE_NAMES,
  ATTRIBUTE_TYPES,
  attributesAreKnown,
  isClosedPart,
  KEYWORD,
  readAttributes,
  readNamespace,
} from './cluster-state.ts';
import { statusOf } from './grpc-status.ts';
import { isClosed } from './refusals.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { Deadline } from '../domain/deadline.ts';

export interface Step {
  readonly step: 'namespace' | 'retention' | 'search attributes';
  /** `planned`: it would be done without `--dry-run`. `refused`: `message` says why. */
  readonly state: 'present' | 'planned' | 'done' | 'refused' | 'unknown';
  readonly message: string;
  /** The equivalent command for an administrator; null when there is nothing to do. */
  readonly command: string | null;
  /** The missing permission. */
  readonly permission?: string;
}

interface SetupOptions {
  readonly client: Client;
  readonly address: string;
  readonly retentionMs: number;
  readonly dryRun: boolean;
}

const READY_WITHIN_MS = 30_000;

export async function setUpCluster(options: SetupOptions): Promise<Step[]> {
  const namespace = await namespaceStep(options);
  const [first] = namespace;
  // Without the namespace there is nothing to add attributes to.
  if (first?.step === 'namespace' && ['planned', 'refused'].includes(first.state))
    return [...namespace, { ...describedAttributes(options, ATTRIBUTE_NAMES), state: first.state }];
  return [...namespace, await attributesStep(options)];
}

async function namespaceStep(options: SetupOptions): Promise<Step[]> {
  const { client, retentionMs, dryRun } = options;
  const { namespace } = client.options;
  const found = await readNamespace(client);
  const step = 'namespace';
  if (isClosedPart(found)) {
    const message = `cannot be described (${found.words})`;
    return [{ step, state: 'unknown', message, command: null, permission: found.closed }];
  }
  if (found) {
    const present: Step = { step, state: 'present', message: `${namespace} exists`, command: null };
    return [present, await retentionStep(options, found.retentionMs)];
  }
  const command = commands.createNamespace(placeOf(options), retentionMs);
  const kept = `${namespace}, which keeps ended workflows for ${commands.daysOf(retentionMs)}`;
  if (dryRun) return [{ step, state: 'planned', message: `create ${kept}`, command }];
  return [
    await attempt(
      { step, command },
      'RegisterNamespace (administrator of the cluster)',
      async () => {
        await client.workflowService.registerNamespace({
          namespace,
          workflowExecutionRetentionPeriod: msToTs(retentionMs),
        });
        await untilKnown(client);
        return `created ${kept}`;
      },
    ),
  ];
}

async function retentionStep(options: SetupOptions, currentMs: number): Promise<Step> {
  const { client, retentionMs, dryRun } = options;
  const { namespace } = client.options;
  const step = 'retention';
  const current = `ended workflows are kept for ${commands.daysOf(currentMs)}`;
  if (currentMs >= retentionMs) return { step, state: 'present', message: current, command: null };
  const command = commands.updateRetention(placeOf(options), retentionMs);
  const wanted = `${commands.daysOf(retentionMs)} instead of ${commands.daysOf(currentMs)}`;
  if (dryRun)
    return { step, state: 'planned', message: `keep ended workflows for ${wanted}`, command };
  return attempt(
    { step, command },
    'UpdateNamespace (administrator of the namespace)',
    async () => {
      await client.workflowService.updateNamespace({
        namespace,
        config: { workflowExecutionRetentionTtl: msToTs(retentionMs) },
      });
      return `ended workflows are kept for ${wanted}`;
    },
  );
}

async function attributesStep(options: SetupOptions): Promise<Step> {
  const { client, dryRun } = options;
  const step = 'search attributes';
  const found = await readAttributes(client);
  if (isClosedPart(found)) return closedAttributes(options, found.words);
  const wrong = ATTRIBUTE_NAMES.filter((name) => (found[name] ?? KEYWORD) !== KEYWORD);
  if (wrong.length > 0) {
    const list = wrong.map(
      (name) => `${name} is ${ATTRIBUTE_TYPES[found[name] ?? 0] ?? 'of another type'}`,
    );
    const message = `${list.join(', ')} and not Keyword: use another namespace, types cannot be changed`;
    return { step, state: 'refused', message, command: null };
  }
  const missing = ATTRIBUTE_NAMES.filter((name) => !(name in found));
  if (missing.length === 0)
    return { step, state: 'present', message: 'all seven are registered', command: null };
  const wanted = describedAttributes(options, missing);
  if (dryRun) return { ...wanted, state: 'planned' };
  return attempt(wanted, 'AddSearchAttributes (operator service)', async () => {
    await registerSearchAttributes(client);
    return `added ${missing.join(', ')}`;
  });
}

function describedAttributes(
  options: SetupOptions,
  missing: readonly string[],
): Omit<Step, 'state'> {
  return {
    step: 'search attributes',
    message: `add ${missing.join(', ')} (Keyword)`,
    command: commands.createAttributes(placeOf(options), missing),
  };
}

/** Temporal Cloud, or a gateway: it can still be checked whether they exist. */
async function closedAttributes(options: SetupOptions, words: string): Promise<Step> {
  const step = 'search attributes';
  const known = await attributesAreKnown(options.client);
  if (known === true)
    return { step, state: 'present', message: 'all seven are registered', command: null };
  const wanted = describedAttributes(options, ATTRIBUTE_NAMES);
  return {
    ...wanted,
    state: known === null ? 'unknown' : 'refused',
    message: `the operator service is closed (${words}): add them with the tool of the server's provider, each as Keyword: ${ATTRIBUTE_NAMES.join(', ')}`,
    permission: 'AddSearchAttributes (operator service)',
  };
}

async function attempt(
  wanted: Pick<Step, 'step' | 'command'>,
  permission: string,
  act: () => Promise<string>,
): Promise<Step> {
  const { step, command } = wanted;
  try {
    return { step, command: null, state: 'done', message: await act() };
  } catch (error) {
    const cause = error instanceof HundredfoldError ? error.cause : error;
    if (!isClosed(cause)) throw error;
    const words = statusOf(cause)?.details ?? '';
    return { step, command, state: 'refused', message: `not permitted: ${words}`, permission };
  }
}

/** The frontend reads the list of namespaces every few seconds. */
async function untilKnown(client: Client): Promise<void> {
  const { namespace } = client.options;
  const deadline = new Deadline(READY_WITHIN_MS);
  for (;;) {
    try {
      await client.workflowService.countWorkflowExecutions({ namespace });
      return;
    } catch (error) {
      if (deadline.hasPassed || !/not found/i.test(statusOf(error)?.details ?? '')) throw error;
      await delay(200);
    }
  }
}

function placeOf({ client, address }: SetupOptions): commands.CommandPlace {
  return { address, namespace: client.options.namespace };
}
