/**
 * Metrics for a Prometheus server at `/metrics`: requests, jobs and runs of the engine. Labels are routes and states,
 * never a token, an id or an address.
 */
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { SERVICES } from '../domain/item.ts';
import type { Engine } from './engines/engine.ts';
import type { JobState } from './job.ts';
import type { JobStore } from './jobs.ts';

const STATES: readonly JobState[] = ['enqueued', 'RUNNING', 'FINISHED', 'FAILED'];

/** Process metrics, shared by all servers in the process. */
const PROCESS = new Registry();
collectDefaultMetrics({ register: PROCESS });

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by route pattern and status',
    labelNames: ['method', 'route', 'status'],
    registers: [this.#registry],
  });
  readonly #seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.#registry],
  });
  readonly #runs = new Counter({
    name: 'engine_runs_total',
    help: 'Runs of the engine that ended, by outcome: ok, failed (the job) or broken off',
    labelNames: ['engine', 'version', 'kind', 'outcome'],
    registers: [this.#registry],
  });
  readonly #runSeconds = new Counter({
    name: 'engine_run_seconds_total',
    help: 'Time that these runs took, the wait of none included',
    labelNames: ['engine', 'version', 'kind'],
    registers: [this.#registry],
  });

  constructor(jobs: JobStore) {
    new Gauge({
      name: 'jobs',
      help: 'Jobs in the database, by service and state',
      labelNames: ['service', 'state'],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const service of SERVICES) for (const state of STATES) this.set({ service, state }, 0);
        for (const { service, state, jobs: n } of jobs.census()) this.set({ service, state }, n);
      },
    });
    new Gauge({
      name: 'queue_length',
      help: 'Jobs that wait for a worker, by service',
      labelNames: ['service'],
      registers: [this.#registry],
      collect() {
        for (const service of SERVICES) this.set({ service }, jobs.waiting(service));
      },
    });
  }

  /** Counts every request of the app, and answers `/metrics`. */
  serve(app: FastifyInstance): void {
    app.addHook('onResponse', async (request, reply) => {
      await Promise.resolve();
      const { method } = request;
      const route = request.routeOptions.url ?? 'none';
      this.#requests.inc({ method, route, status: reply.statusCode });
      this.#seconds.observe({ method, route }, reply.elapsedTime / 1000);
    });
    app.get('/metrics', async (_request, reply) => {
      void reply.type(this.#registry.contentType);
      return await Registry.merge([PROCESS, this.#registry]).metrics();
    });
  }

  /** Wraps the engine to count its runs. */
  counting(engine: Engine): Engine {
    const { name, version } = engine;
    return {
      name,
      version,
      run: async (job, context) => {
        const labels = { engine: name, version, kind: job.kind };
        const began = performance.now();
        let outcome = 'broken off';
        try {
          const ended = await engine.run(job, context);
          outcome = ended.ok ? 'ok' : 'failed';
          return ended;
        } finally {
          this.#runs.inc({ ...labels, outcome });
          this.#runSeconds.inc(labels, (performance.now() - began) / 1000);
        }
      },
    };
  }
}
