/** The common parts of the four kinds: an item as in the manifest, and the result of its job. */
import type { Item, Kind } from '../../src/domain/campaign.ts';

/** A file of a result, by its name in the item's folder. */
export type FinishedFile = readonly [name: string, text: string | Uint8Array];

export interface Finished {
  readonly item: Item;
  /** Created only on demand: they are megabytes. */
  readonly files: (job: FinishedJob) => readonly FinishedFile[];
  /** How long the job ran, in seconds. */
  readonly runSeconds: number;
}

export interface FinishedJob {
  readonly remoteId: string;
  readonly queuedAt: string;
  readonly startedAt: string;
  readonly finishedAt: string;
}

/** The nth item of a kind, counted from 0: always the same one. */
export type Maker = (n: number) => Finished;

const PROJECTS = ['kinases', 'solubility', 'fragments', 'controls', 'antibodies'] as const;

type Made = Pick<Item, 'input' | 'options' | 'title'> & { readonly row: Item['row'] };

export function finishedItem(kind: Kind, n: number, made: Made): Item {
  const id = `${kind}-${String(n).padStart(5, '0')}`;
  const user = {
    project: PROJECTS[n % PROJECTS.length] ?? '',
    batch: String(1 + Math.floor(n / 96)),
    priority: n % 7 === 0 ? 'high' : 'normal',
  };
  return {
    ...made,
    id,
    kind,
    canonical: `${kind} ${n}`,
    email: null,
    source: { file: `${kind}s.csv`, line: n + 2 },
    row: { id, kind, ...made.row, title: made.title ?? '', ...user },
    user,
  };
}

/** A pseudo-random number from 0 to 1, the same for the same words (FNV-1a, mixed as in murmur3). */
export function chance(...words: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const letter of words.join(' ')) {
    hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** The processing log of a prediction, as the service gives it. */
export function historyOf({ queuedAt, startedAt, finishedAt }: FinishedJob): string {
  const timeline = [
    { kind: 'state', timestamp: queuedAt, state: 'ENQUEUED', message: 'Request received.' },
    { kind: 'state', timestamp: startedAt, state: 'RUNNING', message: 'The job was started.' },
    { kind: 'message', timestamp: startedAt, progress: 10, message: 'Reading the input.' },
    { kind: 'state', timestamp: finishedAt, state: 'FINISHED', message: 'The job has ended.' },
  ];
  const history = timeline.filter(({ kind }) => kind === 'state');
  const messages = timeline.filter(({ kind }) => kind === 'message');
  return JSON.stringify({ timeline, history, messages });
}
