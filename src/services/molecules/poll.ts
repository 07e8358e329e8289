/** Polls a job (contract 4.3). A job is finished only if it has files: the engine reports failures as done too. */
import type { PollOutcome } from '../../domain/outcomes.ts';
import { connectionFailed, isAnswered, unavailable } from '../availability.ts';
import { complexity, parseBoundedJson } from '../bounded-json.ts';
import type { RequestOptions } from '../client.ts';
import { SMALL_JSON_LIMIT } from '../http-body.ts';
import type { HttpResponse } from '../http-answer.ts';
import { ordered, retryAfterMs } from '../retry-after.ts';
import { below } from '../target.ts';
import { isWebPage, serviceWords, shorten } from '../words.ts';
import type { MoleculesAccess } from './access.ts';
import { fileSets, innerStatus, missingKeys, parseRecord, type MoleculeRecord } from './schemas.ts';

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
export function meaningfulLines(log: string): string | null {
  const lines = log
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => !NOISE.some((noise) => noise.test(line)));
  return lines.length === 0 ? null : lines.slice(-LINES).join('\n');
}

/** Bytes: the 19 files of a 200-atom molecule are about 0.6 MB, and there may be several sets. */
const RECORD_LIMIT = 8 * 1024 * 1024;

export async function poll(
  access: MoleculesAccess,
  remoteId: string,
  { signal }: RequestOptions,
): Promise<PollOutcome> {
  const answer = await access.http.send({
    method: 'GET',
    url: below(access.base, 'api', 'queue', remoteId, ''),
    signal,
  });
  if (!isAnswered(answer)) return connectionFailed(answer);
  switch (answer.status) {
    case 200:
      return finishedOrNot(answer);
    case 202: {
      const body = await answer.body.text(SMALL_JSON_LIMIT);
      const json = body.type === 'whole' ? parseBoundedJson(body.text) : undefined;
      return running(answer, parseRecord(json));
    }
    case 404:
    case 410:
      return ended(answer, 'lost');
    case 422:
      // The contract does not show how a failure is signalled (section 3); this is how its sister service does it.
      return ended(answer, 'failed');
    default:
      return unavailable(answer);
  }
}

async function finishedOrNot(answer: HttpResponse): Promise<PollOutcome> {
  const body = await answer.body.text(RECORD_LIMIT);
  if (body.type === 'broken') {
    return { type: 'unavailable', message: body.message, retryAfterMs: null };
  }
  // Larger than any record of an open job. The download has its own bounds and codes; polling again would not help.
  if (body.type === 'tooLong' || complexity(body.text) !== null) return finished(answer);
  const json = parseBoundedJson(body.text);
  if (json === undefined) {
    if (!isWebPage(body.text)) return unavailable(answer, 'the record is not JSON');
    return { ...(await unavailable(answer, 'a web page instead of a record')), refusesUs: true };
  }
  const record = parseRecord(json);
  if (fileSets(record).some((set) => missingKeys(set).length === 0)) return finished(answer);
  if (innerStatus(record) === 202) return running(answer, record);
  return { type: 'failed', message: failureMessage(record), timing: null };
}

function finished(answer: HttpResponse): PollOutcome {
  return { type: 'finished', ...ordered(answer) };
}

function failureMessage(record: MoleculeRecord): string {
  const first = fileSets(record)[0];
  const gap = first === undefined ? [] : [`Missing or empty: ${missingKeys(first).join(', ')}.`];
  const words =
    meaningfulLines(record.log ?? '') ??
    record.result_request?.request_text ??
    'The job left no files and no log.';
  return shorten([...gap, words].join('\n'));
}

function running(answer: HttpResponse, record: MoleculeRecord): PollOutcome {
  const message = record.request_text ?? record.result_request?.request_text ?? null;
  return {
    type: 'running',
    retryAfterMs: retryAfterMs(answer.headers, Date.now()),
    progress: null,
    statusMessage: message === null ? null : shorten(message),
    timing: null,
  };
}

async function ended(answer: HttpResponse, type: 'lost' | 'failed'): Promise<PollOutcome> {
  const body = await answer.body.text(SMALL_JSON_LIMIT);
  const words = body.type === 'broken' ? null : serviceWords(body.text);
  const message = shorten(words ?? `${answer.where}: HTTP ${answer.status}`);
  if (type === 'lost') return { type, message, ...ordered(answer) };
  return { type, message, timing: null };
}
