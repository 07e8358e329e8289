/**
 * Registers the search attributes of our workflows, and waits until the server accepts them. The list of attributes is
 * read from the database, but a server on SQL checks every start against a copy of the namespace in memory, which it
 * refreshes every few seconds (2 s by default): a workflow that is started before that is refused.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { codedError, type HundredfoldError } from '../domain/errors.ts';
import { isTemporalAway } from './grpc-status.ts';
import { createAttributes } from './cluster-commands.ts';
import {
  ATTRIBUTE_NAMES,
  attributesAreKnown,
  isClosedPart,
  KEYWORD,
  readAttributes,
} from './cluster-state.ts';
import { Deadline } from '../domain/deadline.ts';

const LOOK_AGAIN_MS = 200;
const TIMEOUT_MS = 60_000;
/**
 * Frontend and history each have a copy, refreshed at different moments; we can only query the frontend. Workflows that
 * start children are checked by history, so if we had to wait for the frontend, history gets one more interval.
 */
const OTHER_COPIES_MS = 2_000;

/**
 * Done at each start: the dev server's start flag for attributes is silently ignored if its database already exists.
 * Throws TEMPORAL_ATTRIBUTES_REFUSED when the namespace accepts no more attributes, or the server does not load them.
 */
export async function registerSearchAttributes(client: Client): Promise<void> {
  const missing = await missingFrom(client);
  if (missing.length > 0) await add(client, missing);
  if ((await attributesAreKnown(client)) !== false) return;
  const deadline = new Deadline(TIMEOUT_MS);
  while ((await attributesAreKnown(client)) === false) {
    if (deadline.hasPassed) {
      throw refused(client, `it does not know them ${TIMEOUT_MS / 1_000} s after they were added`);
    }
    await delay(LOOK_AGAIN_MS);
  }
  await delay(OTHER_COPIES_MS);
}

/** If the operator service is closed (Temporal Cloud), nothing can be added: that needs an administrator. */
async function missingFrom(client: Client): Promise<string[]> {
  const found = await readAttributes(client);
  if (!isClosedPart(found)) return ATTRIBUTE_NAMES.filter((name) => !(name in found));
  if ((await attributesAreKnown(client)) !== false) return [];
  throw refused(client, `they are missing, and its operator service is closed (${found.words})`);
}

/** A server that dies meanwhile is back within seconds. */
const TRIES = 3;

async function add(client: Client, missing: readonly string[], tries = TRIES): Promise<void> {
  try {
    await client.connection.operatorService.addSearchAttributes({
      namespace: client.options.namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
    });
  } catch (error) {
    const left = await missingFrom(client);
    // Another command was faster.
    if (left.length === 0) return;
    if (isTemporalAway(error) && tries > 1) return add(client, left, tries - 1);
    // The namespace has no free Keyword attribute, or we have no permission to add one.
    throw refused(client, reasonOf(error), error);
  }
}

function reasonOf(error: unknown): string {
  const { details, message } = error as { details?: unknown; message?: unknown };
  return String(details ?? message);
}

function refused(client: Client, why: string, cause?: unknown): HundredfoldError {
  const { namespace } = client.options;
  const command = createAttributes({ address: 'HOST:PORT', namespace });
  return codedError(
    'TEMPORAL_ATTRIBUTES_REFUSED',
    { case: 'not added', namespace, reason: why, command },
    cause,
  );
}
