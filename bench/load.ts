/**
 * Load on the local services: 300 keep-alive connections and 500 requests a second while jobs run. Loopback only,
 * and bounded in time and count.
 */
import autocannon from 'autocannon';
import { setTimeout as sleep } from 'node:timers/promises';
import { Bench } from './command.ts';

interface Load {
  readonly connections: number;
  /** Requests a second, over all connections. */
  readonly rate: number;
  readonly seconds: number;
}

/**
 * autocannon sends all requests of a second at its beginning. This number of instances, started one after the other
 * over a second, send evenly.
 */
const INSTANCES = 20;

const MOLECULE = {
  inputFile: null,
  file_name: 'load',
  token: 'benchmark1',
  charge_method: 'bcc',
  net_charge: null,
  atom_type: 'gaff2',
  email: null,
  smiles: 'CC(=O)Oc1ccccc1C(=O)O',
};
const SEQUENCE = {
  token: 'benchmark1',
  predictor_type: 'dynamine,disomine',
  sequence: `>load\n${'MKTAYIAKQRQISFVKSHFS'.repeat(10)}\n`,
};

/** A submitted job of a connection, which it then polls. */
interface Context {
  poll?: string;
}

/** The requests of a client: one submission, six polls of the job, two results of jobs that have ended. */
function requests(service: 'molecules' | 'predictions', ended: readonly string[]) {
  const molecules = service === 'molecules';
  const submit = {
    method: 'POST' as const,
    path: molecules ? '/acpype/api' : '/online_predictors/api/submit/single-sequence/',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(molecules ? MOLECULE : SEQUENCE),
    onResponse: (status: number, body: string, context: object) => {
      if (status !== 200) return;
      const { Location, request_id: id } = JSON.parse(body) as Record<string, string>;
      (context as Context).poll = molecules
        ? `/acpype${String(Location)}`
        : `/online_predictors/api/results/${String(id)}/`;
    },
  };
  const look = {
    setupRequest: (request: autocannon.Request, context: object) => ({
      ...request,
      path: (context as Context).poll ?? ended[0],
    }),
  };
  const results = ended.map((path) => ({ path }));
  return [submit, look, look, look, look, look, look, ...results];
}

/** Submits one job and waits for its result, to have paths of finished jobs for all to read. */
async function finishedJob(url: string, path: string, body: object): Promise<string> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { hash_id: hash, request_id: id } = (await answer.json()) as Record<string, string>;
  const result = hash ? `/acpype/api/${hash}/` : `/online_predictors/api/results/${String(id)}/`;
  for (;;) {
    const { status } = await fetch(`${url}${result}`);
    if (status === 200) return result;
    if (status !== 202) throw new Error(`${result} answered ${String(status)}`);
    await sleep(100);
  }
}

interface Sample {
  readonly status: number;
  readonly ms: number;
}

async function fire(url: string, load: Load, ended: readonly string[]) {
  const samples: Sample[] = [];
  const instance = (n: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const options = {
        url,
        connections: load.connections / INSTANCES,
        overallRate: load.rate / INSTANCES,
        duration: load.seconds,
        timeout: 10,
        requests: requests(n % 2 === 0 ? 'molecules' : 'predictions', ended),
      };
      autocannon(options, (error: Error | null, { errors }) => {
        if (error === null) resolve(errors);
        else reject(error);
      }).on('response', (_client, status, _bytes, ms) => samples.push({ status, ms }));
    });
  const runs = Array.from({ length: INSTANCES }, async (_, n) => {
    await sleep((1000 / INSTANCES) * n);
    return await instance(n);
  });
  const errors = (await Promise.all(runs)).reduce((sum, n) => sum + n, 0);
  return { samples, errors };
}

/** CPU seconds that the services have used, by their own metrics. */
async function cpuSeconds(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
}

export async function load(wanted: Load): Promise<string> {
  const bench = await Bench.open();
  try {
    const open = ['--limit', '0', '--address-limit', '0', '--max-queued', '0'];
    const engine = ['--engine', 'synthetic', '--job-time', '200ms', '--concurrency', '8'];
    const url = await bench.serve([...open, ...engine], 'none');
    const ended = [
      await finishedJob(url, '/acpype/api', MOLECULE),
      await finishedJob(url, '/online_predictors/api/submit/single-sequence/', SEQUENCE),
    ];
    const before = await cpuSeconds(url);
    const { samples, errors } = await fire(url, wanted, ended);
    const cpu = (await cpuSeconds(url)) - before;
    return report(samples, { errors, cpu, wanted });
  } finally {
    await bench.close();
  }
}

function report(
  samples: readonly Sample[],
  run: { errors: number; cpu: number; wanted: Load },
): string {
  const times = samples.map(({ ms }) => ms).sort((a, b) => a - b);
  const quantile = (share: number): string =>
    (times[Math.floor(share * (times.length - 1))] ?? Number.NaN).toFixed(1);
  const byStatus = Map.groupBy(samples, ({ status }) => status);
  const statuses = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, { length }]) => `${String(length)} x ${String(status)}`);
  const { errors, cpu, wanted } = run;
  return [
    `${(samples.length / wanted.seconds).toFixed(0)} requests/s of ${String(wanted.rate)} over ${String(wanted.connections)} connections, ${String(wanted.seconds)} s`,
    `p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, longest ${quantile(1)} ms`,
    `${statuses.join(', ')}, ${String(errors)} errors`,
    `${((1000 * cpu) / samples.length).toFixed(2)} ms CPU of the services a request (jobs and logs included)`,
  ].join('; ');
}
