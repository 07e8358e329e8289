/** What each program in the folders beside this file needs from the prediction service, and its own items. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const api = `${process.env.SERVICE}/online_predictors/api`;
const token = process.env.TOKEN;

/** The limit of the service is reached: retry after this many seconds. */
export class TooManyRequests extends Error {
  constructor(seconds) {
    super(`429: ask again in ${seconds} s`);
    this.name = 'TooManyRequests';
    this.seconds = seconds;
  }
}

/** Returns the id of the item's job. The name is unique, so an item never gets a second job. */
export async function submit({ id, sequence }) {
  const body = { token, job_name: id, predictor_type: 'dynamine', sequence };
  const answer = await fetch(`${api}/submit/single-sequence/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status === 429) throw new TooManyRequests(Number(answer.headers.get('retry-after')));
  // The answer to an earlier attempt was lost with the process.
  if (answer.status === 409) return jobNamed(id);
  if (!answer.ok) throw new Error(`POST: ${answer.status}`);
  return (await answer.json()).request_id;
}

async function jobNamed(name) {
  const headers = { 'x-service-token': token };
  const answer = await fetch(`${api}/past-results/single-sequence/`, { headers });
  const job = (await answer.json()).find(({ job_name }) => job_name === name);
  if (!job) throw new Error(`no job ${name}`);
  return job.request_id;
}

/** Waits for the end of a job, and returns its result. */
export async function resultOf(requestId, onWait = () => undefined) {
  for (;;) {
    const answer = await fetch(`${api}/results/${requestId}/`);
    if (answer.status === 200) return answer.text();
    if (answer.status !== 202) throw new Error(`GET: ${answer.status}`);
    await answer.arrayBuffer();
    onWait();
    await delay(1_000 * Number(answer.headers.get('retry-after')));
  }
}

export const items = readFileSync('items.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

mkdirSync('results', { recursive: true });

export const isDone = ({ id }) => existsSync(`results/${id}.json`);

/** Under its final name only when it is complete. */
export async function save({ id }, result) {
  await writeFile(`results/${id}.part`, result);
  await rename(`results/${id}.part`, `results/${id}.json`);
}
