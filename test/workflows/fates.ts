/**
 * A fate for each item of a campaign: how its own requests are answered. So one campaign goes through twenty faults at
 * once, each on its own item.
 */
import type { Answer, GoBetween, Seen } from './go-between.ts';

/**
 * The step of an item's life that a request belongs to. On the prediction service a poll and a download are the same
 * request.
 */
export type Step = 'submit' | 'poll' | 'result' | 'history' | 'csv' | 'metadata' | 'distributions';

export type Passed = Answer & { readonly body: string };

/** Changes the service's answer to one step; `nth` counts the item's requests of this step, from 1. */
export type Spoil = (answer: Passed, nth: number) => Answer;

export type Fate = Readonly<Partial<Record<Step, Spoil>>>;

/** Applies its outcome to each item. Items are recognised by the job name or file name in their submission. */
export function inflict(between: GoBetween, fates: ReadonlyMap<string, Fate>): void {
  const itemOf = new Map<string, string>();
  const counts = new Map<string, number>();
  const finished = new Set<string>();

  between.rewrite = (request, answer) => {
    const id = /results\/([^/]+)\/|api\/(?:queue\/)?(\w+)\/$/
      .exec(request.path)
      ?.slice(1)
      .find(Boolean);
    const item = request.method === 'POST' ? submitted(request, fates) : itemOf.get(id ?? '');
    if (item === undefined) return answer;
    if (request.method === 'POST') {
      const { request_id, hash_id } = parse(answer.body);
      itemOf.set(String(request_id ?? hash_id), item);
    }
    const step = stepOf(request, finished.has(item));
    const key = `${item} ${step}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    const spoilt = fates.get(item)?.[step]?.(answer, nth) ?? answer;
    if (step === 'poll' && isFinished(spoilt)) finished.add(item);
    return spoilt;
  };
}

function submitted({ body }: Seen, fates: ReadonlyMap<string, Fate>): string | undefined {
  const { job_name: job, file_name: file } = parse(body);
  const name = typeof job === 'string' ? job : typeof file === 'string' ? file : body;
  // The longest match: an id may be the prefix of another.
  const known = [...fates.keys()].filter((id) => name.includes(`${id}.`) || name === id);
  return known.sort((a, b) => b.length - a.length)[0];
}

function stepOf({ method, path }: Seen, finished: boolean): Step {
  if (method === 'POST') return 'submit';
  if (path.includes('/history/')) return 'history';
  const format = /[?&]format=(csv|metadata|distributions)/.exec(path)?.[1];
  if (format !== undefined) return format as Step;
  if (path.includes('/queue/')) return 'poll';
  return path.includes('/results/') && !finished ? 'poll' : 'result';
}

function isFinished({ status, body, headers = {} }: Answer): boolean {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const isOpen = text === '{"status":"RUNNING"}' || text === '{"status":"PAUSED"}';
  return status === 200 && !isOpen && !/html/.test(headers['content-type'] ?? '');
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/* ---- what can be done to an answer ---- */

export const answering =
  (status: number, body: unknown, headers: Record<string, string> = {}): Spoil =>
  () => ({ status, body, headers });

/** Only the first `n` times; then the service's own answer. */
export const times =
  (n: number, spoil: Spoil): Spoil =>
  (answer, nth) =>
    nth <= n ? spoil(answer, nth) : answer;

/** Only answers with 200: a running job is not affected. */
export const onceDone =
  (spoil: Spoil): Spoil =>
  (answer, nth) =>
    answer.status === 200 ? spoil(answer, nth) : answer;

export const cutInHalf: Spoil = (answer) => ({ ...answer, cut: 'half' });

/** Half of the body with a matching length: not detectable on the wire. */
export const cutUnseen: Spoil = (answer) => ({
  ...answer,
  body: answer.body.slice(0, Math.floor(answer.body.length / 2)),
});

export const labelled =
  (type: string): Spoil =>
  (answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': type } });

export const webPage: Spoil = () => ({
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html><title>Maintenance</title><h1>Back soon</h1>',
});

export const encoded: Spoil = (answer) => ({
  ...answer,
  headers: { ...answer.headers, 'content-encoding': 'gzip' },
});

/** Changes the JSON of an answer. */
export const withJson =
  (change: (json: unknown) => unknown): Spoil =>
  (answer) => ({ ...answer, body: JSON.stringify(change(JSON.parse(answer.body))) });

/** The same with every object in it, however deep, that has the key. */
export const withoutKey = (key: string): Spoil =>
  withJson((json) =>
    JSON.parse(JSON.stringify(json, (name, value: unknown) => (name === key ? undefined : value))),
  );

export const withKey = (key: string, value: unknown): Spoil =>
  withJson((json) =>
    JSON.parse(JSON.stringify(json, (name, old: unknown) => (name === key ? value : old))),
  );

export const withText =
  (change: (text: string) => string): Spoil =>
  (answer) => ({ ...answer, body: change(answer.body) });
