/** A running pair of local services, and the calls of their tests. Real HTTP throughout. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach } from 'vitest';
import {
  startLocalServices,
  type LocalServices,
} from '../../packages/local-services/src/server.ts';
import type { JournalEntry } from '../../packages/local-services/src/journal.ts';
import type { LocalServicesOptions } from '../../packages/local-services/src/options.ts';

const open: LocalServices[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((services) => services.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Services that end with the test. Jobs take no time unless the test sets one. */
export async function start(options: LocalServicesOptions = {}): Promise<LocalServices> {
  const services = await startLocalServices({ jobMs: 0, engine: 'synthetic', ...options });
  open.push(services);
  return services;
}

/** Services for all tests of a file. */
export async function startForFile(options: LocalServicesOptions = {}): Promise<LocalServices> {
  const services = await startLocalServices({ jobMs: 0, engine: 'synthetic', ...options });
  afterAll(() => services.close());
  return services;
}

/** The same as `start`, and all that they have logged. */
export async function startLogging(
  options: LocalServicesOptions,
): Promise<{ services: LocalServices; log: () => string }> {
  let text = '';
  const write = (line: string): void => void (text += line);
  const services = await start({ ...options, log: pino({ level: 'trace' }, { write }) });
  return { services, log: () => text };
}

/** A path for a database file that is removed after the test. */
export function databaseFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'local-services-'));
  folders.push(folder);
  return join(folder, 'jobs.sqlite');
}

/** A protein of a prediction: the parts that the tests check. */
export type Protein = Readonly<Record<string, readonly (number | string | null)[]>>;

/** Everything that a body of either service may contain; which parts are present is checked by the tests. */
export interface Body {
  readonly request_id: string;
  readonly task_id: string;
  readonly request_type: string;
  readonly hash_id: string;
  readonly Location: string;
  readonly message: string;
  readonly status: string;
  readonly error: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly attempt: number;
  readonly history_url: string;
  readonly timing: {
    readonly queued_at: string;
    readonly heartbeat_age_seconds: number | null;
    readonly wall_seconds: number;
  };
  readonly timeline: readonly Entry[];
  readonly history: readonly Entry[];
  readonly messages: readonly Entry[];
  readonly job_name: string | null;
  readonly reset_after: number;
  readonly left: number | null;
  readonly id: number;
  readonly log: string;
  readonly result_request: { readonly status: number; readonly request_text: string };
  readonly results: readonly Readonly<Record<string, string>>[];
  readonly proteins: Readonly<Record<string, Protein>>;
  readonly sequences: Readonly<Record<string, readonly string[]>>;
  readonly sequence: readonly string[];
  readonly seqCodes: readonly number[];
}

/** An entry of the processing log. */
interface Entry {
  readonly timestamp: string;
  readonly state: string;
  readonly progress: number;
  readonly message: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when it is not JSON. */
  readonly body: Body;
  /** The same, if it is a list. */
  readonly list: readonly Body[];
}

async function answer(response: Response): Promise<Answer> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: body as Body,
    list: body as readonly Body[],
  };
}

export async function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return answer(await fetch(url, { headers }));
}

export async function postJson(url: string, value: unknown): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' };
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  return answer(await fetch(url, { method: 'POST', headers, body }));
}

/** Strings become fields, `{ file }` an uploaded file. */
export async function postForm(
  url: string,
  fields: Record<string, string | { readonly file: string | Uint8Array<ArrayBuffer> }>,
): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.set(name, value);
    else form.set(name, new Blob([value.file]), `${name}.txt`);
  }
  return answer(await fetch(url, { method: 'POST', body: form }));
}

/** `{api_base}` of the prediction service. */
export function api(services: LocalServices): string {
  return `${services.url}/online_predictors/api`;
}

/** The result endpoint of an accepted submission. */
export function resultsUrl(services: LocalServices, { body }: Pick<Answer, 'body'>): string {
  return `${api(services)}/results/${body.request_id}/`;
}

/** The submissions that were accepted. */
export function acceptedBy(services: LocalServices): JournalEntry[] {
  return services.journal().filter(({ accepted }) => accepted);
}

export const TOKEN = 'a token of a test';
/** The header that gives access to the downloads and past results of `TOKEN`. */
export const OWNER = { 'X-Service-Token': TOKEN };
export const FASTA = '>one\nMKVLAAGIVGLCAKAYLEQW\n';
export const ALIGNMENT = '>one\nMKVLAA--\n>two\nMK-LAAGI\n';
export const NEF = `data_test
save_nef_molecular_system
   loop_
      _nef_sequence.index
      _nef_sequence.chain_code
      _nef_sequence.sequence_code
      _nef_sequence.residue_name
      1 A 11 MET
      2 A 12 LYS
      3 A 13 VAL
   stop_
save_
`;

export async function submitSequence(
  services: LocalServices,
  more: Record<string, unknown> = {},
): Promise<Answer> {
  const body = { token: TOKEN, predictor_type: 'dynamine', sequence: FASTA, ...more };
  return postJson(`${api(services)}/submit/single-sequence/`, body);
}

export async function submitAlignment(
  services: LocalServices,
  more: Record<string, unknown> = {},
): Promise<Answer> {
  return postJson(`${api(services)}/submit/msa/`, { token: TOKEN, msa_data: ALIGNMENT, ...more });
}

export async function submitShifts(
  services: LocalServices,
  more: Record<string, unknown> = {},
): Promise<Answer> {
  return postJson(`${api(services)}/submit/shiftcrypt/`, {
    token: TOKEN,
    chemical_shifts: NEF,
    ...more,
  });
}

/** The body of a molecule submission, all eight keys (contract of the molecule service, 2.1). */
export const MOLECULE = {
  inputFile: null,
  file_name: 'ethanol',
  token: 'tokenof10c',
  charge_method: 'bcc',
  net_charge: null,
  atom_type: 'gaff2',
  email: null,
  smiles: 'CCO',
} as const;

export async function submitMolecule(
  services: LocalServices,
  more: Record<string, unknown> = {},
): Promise<Answer> {
  return postJson(`${services.moleculesUrl}/api`, { ...MOLECULE, ...more });
}

/** A protein of a finished prediction; the test fails if it is missing. */
export function protein({ body, text }: Answer, id = 'one'): Protein {
  const found = body.proteins[id];
  if (found === undefined) throw new Error(`no protein ${id} in ${text}`);
  return found;
}

export function residues(result: Answer, id = 'one'): string {
  return protein(result, id)['seq']?.join('') ?? '';
}

/** The single file set of a finished molecule record. */
export function fileSet({ body, text }: Answer): Readonly<Record<string, string>> {
  const [set] = body.results;
  if (set === undefined || body.results.length !== 1) throw new Error(`not one file set: ${text}`);
  return set;
}

/** Polls until the answer is not 202; throws after ten seconds. */
export async function until(url: string): Promise<Answer> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const seen = await get(url);
    if (seen.status !== 202) return seen;
    if (Date.now() > deadline) throw new Error(`still 202 after 10 s: ${url} ${seen.text}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Submits a sequence and waits for its end: returns the id and the last answer of the result endpoint. */
export async function runSequence(
  services: LocalServices,
  more: Record<string, unknown> = {},
): Promise<{ id: string; url: string; result: Answer }> {
  const ack = await submitSequence(services, more);
  const url = resultsUrl(services, ack);
  return { id: ack.body.request_id, url, result: await until(url) };
}

/** The same for a molecule: the last answer of its status endpoint. */
export async function runMolecule(
  services: LocalServices,
  more: Record<string, unknown> = {},
): Promise<{ id: string; result: Answer }> {
  const { body } = await submitMolecule(services, more);
  return { id: body.hash_id, result: await until(services.moleculesUrl + body.Location) };
}
