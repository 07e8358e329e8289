/** The molecule service (its contract: sections 2 to 8): one kind, one file a job, and no list of jobs. */
import { toAscii } from '../domain/name.ts';
import { toObject, readLooseText } from '../kinds/json.ts';
import { readFileSets, listMissingKeys } from '../kinds/molecule/files.ts';
import { molecule } from '../kinds/molecule/index.ts';
import type { MoleculeOptions } from '../kinds/vocabulary.ts';
import { defineService, type Answer, type Job, type PollMeaning } from './service.ts';

/** The job's id in an acknowledgement (contract 2.2): `hash_id`, or the last part of the status path. */
function readHashId(json: unknown): string | null {
  const object = toObject(json);
  const id = readLooseText(object?.['hash_id'])?.trim() ?? '';
  const path = readLooseText(object?.['Location']) ?? '';
  return id === '' ? (/\/api\/queue\/([^/?#]+)\/?$/.exec(path)?.[1] ?? null) : id;
}

/** The id of no job: a UUID without dashes is also alphanumeric. */
const NO_JOB = '0'.repeat(32);

export const molecules = defineService({
  name: 'molecules',
  title: 'the molecule service',
  software: {
    name: 'ACPYPE, behind the molecule service',
    url: 'https://github.com/alanwilter/acpype',
    citation: 'https://doi.org/10.1186/1756-0500-5-367',
    version: /created by acpype \(v: ([\w.]+)\)/,
  },
  kinds: [molecule],
  url: {
    description: 'Address of the service (mol_base_url in its contract)',
    example: 'https://molecules.example.org/acpype',
  },
  secrets: {
    token: {
      description: 'Source of your 10-character identifier at the service.',
      env: 'HUNDREDFOLD_MOLECULE_TOKEN',
      example: 'secrets/molecule-token',
      // Contract section 8. It does not say that a service refuses others, so that an adopted one may be longer.
      length: 10,
      maxLength: 100,
    },
  },
  variants: [{}],
  budget: {
    description: 'Maximum number of jobs in a rolling window; the contract states no limit.',
    windows: [],
    maxOpen: 20,
  },
  pace: { every: '5s', atMost: '60s' },
  // The contract has no job names (2.1).
  identity: { by: 'nothing' },
  submit: {
    request: {
      molecule: (job) => ({
        path: ['api'],
        auth: [{ secret: 'token', in: 'body', name: 'token' }],
        body: { json: describeMolecule(job, job.options) },
      }),
    },
    answers: {
      '2xx': ({ json }) => {
        const id = readHashId(json);
        return id === null ? null : { type: 'accepted', id };
      },
    },
  },
  poll: {
    request: (id) => ({ path: ['api', 'queue', id, ''] }),
    answers: {
      200: readRecord,
      202: readRunning,
      // The contract does not show how a failure is signalled (section 3); this is how its sister service does it.
      422: { type: 'failed' },
    },
    // The 19 files of a 200-atom molecule are about 0.6 MB, and there may be several sets.
    maxBytes: 8 * 1024 * 1024,
  },
  fetch: { record: { request: (id) => ({ path: ['api', id, ''] }) } },
  list: {
    missing:
      'the molecule service has no list of the jobs of a token; its page of public jobs shows those of all users',
  },
  probe: {
    request: () => ({ path: ['api', 'queue', NO_JOB, ''] }),
    // The contract does not show its answer for an unknown job.
    answers: {},
    submitPath: () => ({ path: ['api'] }),
  },
});

/** Contract 2.1: all eight keys are always present; the token is the eighth. */
function describeMolecule(job: Job, options: MoleculeOptions) {
  const { input } = job;
  const isSmiles = input.name.endsWith('.smi');
  const extension = isSmiles ? '' : (/\.\w+$/.exec(input.name)?.[0] ?? '');
  return {
    inputFile: isSmiles ? null : input.text,
    file_name: `${chooseMoleculeName(job.title ?? '', job.name)}${extension}`,
    charge_method: options.chargeMethod,
    net_charge: options.netCharge === null ? null : String(options.netCharge),
    atom_type: options.atomType,
    email: job.email,
    // A .smi line may contain a name after the SMILES.
    smiles: isSmiles ? (/\S+/.exec(input.text)?.[0] ?? '') : null,
  };
}

/** Maximum characters of a molecule name: it begins the name of every file and is used in fixed-width columns. */
const NAME_LIMIT = 60;

/**
 * The name that ACPYPE gives to the molecule and to all its files. It takes it from `file_name` and puts it on the
 * command lines of its tools, so blanks, quotes and accents break it.
 */
export function chooseMoleculeName(title: string, fallback: string): string {
  for (const text of [title, fallback]) {
    const name = toAscii(text)
      .replace(/[^A-Za-z0-9_-]+/g, '_')
      .replace(/^[_-]+/, '')
      .slice(0, NAME_LIMIT)
      .replace(/[_-]+$/, '');
    if (name !== '') return name;
  }
  return 'molecule';
}

/**
 * A job is finished only if it has files. The engine reports failures as done too: with a log, or with empty results.
 * Anything else says nothing of a job that was paid for.
 */
function readRecord({ json, isTooLarge }: Answer): PollMeaning | null {
  // Larger than any record of an open job. The download has its own bounds and codes; polling again would not help.
  if (isTooLarge) return { type: 'finished' };
  const record = toObject(json);
  const sets = readFileSets(record);
  if (sets.some((set) => listMissingKeys(set).length === 0)) return { type: 'finished' };
  const status = readLooseText(
    record?.['status'] ?? toObject(record?.['result_request'])?.['status'],
  );
  if (Number(status) === 202) return { type: 'running', message: requestText(json) };
  const log = readLooseText(record?.['log'])?.trim() ?? '';
  const isDone = Number(status) === 200 || Number(status) >= 400;
  const isEnd =
    status === null ? log !== '' : isDone && (log !== '' || record?.['results'] != null);
  if (!isEnd) return null;
  const [first] = sets;
  const gap =
    first === undefined ? [] : [`Missing or empty: ${listMissingKeys(first).join(', ')}.`];
  const words = filterMeaningful(log) ?? requestText(json) ?? 'The job left no files and no log.';
  return { type: 'failed', message: [...gap, words].join('\n') };
}

function readRunning({ json, isPage }: Answer): PollMeaning | null {
  return isPage ? null : { type: 'running', message: requestText(json) };
}

/** Contract 2.3, and `result_request` of 2.4. */
function requestText(json: unknown): string | null {
  const record = toObject(json);
  const request = toObject(record?.['result_request']);
  return readLooseText(record?.['request_text'] ?? request?.['request_text']);
}

/** Lines kept: the engine reports the cause some lines before the end. */
const LINES = 8;

/** Frame, progress, and consequences of an earlier error. */
const NOISE: readonly RegExp[] = [
  /^\W*$/,
  /^\| ACPYPE: /,
  // Of this project's own services.
  /^engine: /,
  /^=+>? ?\*? ?(?:Babel|Antechamber|Parmchk|Tleap) OK/,
  /^==> (?:Executing|Removing temporary files|Using OpenBabel|Writing|\.\.\. converting)/,
  /^ERROR: \++(?:start|end)_quote\++$/,
  /^(?:ERROR: )?$/,
  /^Total time of execution:/,
  /^DEBUG: /,
  /^Running: /,
  /^Info: (?!The number of electrons is odd)/,
  /^(?:ERROR: )?Welcome to antechamber/,
  /^gaff, gaff2, amber, bcc, and sybyl\.$/,
  /: Fatal Error!$/,
  /^Cannot properly run /,
  /^ERROR: Cannot open file \(.*\) with mode \(r\)\.$/,
  /^No such file or directory$/,
  /^ERROR: (?:Parmchk|Tleap) failed$/,
];

/**
 * The last meaningful lines of a job's log, unchanged; null when it has none.
 * @param log as the service sends it: what ACPYPE printed
 */
export function filterMeaningful(log: string): string | null {
  const lines = log
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => !NOISE.some((noise) => noise.test(line)));
  return lines.length === 0 ? null : lines.slice(-LINES).join('\n');
}
