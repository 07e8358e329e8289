/** Applies the faults of `faults.ts` to requests and responses. */
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createDraft, noteSender, type Services } from './admission.ts';
import type { ServiceName } from './contract.ts';
import { FAULTS, type Endpoint, type FaultRule } from './faults.ts';
import type { Job, RequestType } from './jobs.ts';
import { MOLECULES } from './molecules.ts';
import { Refusal } from './refusal.ts';

/** Rules are read and set here, whatever the faults are. */
export const FAULT_CONTROL = '/_faults';

declare module 'fastify' {
  interface FastifyContextConfig {
    service?: ServiceName;
    endpoint?: Endpoint;
    /** Of a submit endpoint. */
    requestType?: RequestType;
  }
}

interface Place {
  readonly service: ServiceName;
  readonly endpoint: Endpoint;
}

/** The job of a request, if it names one that exists. */
function findJob({ params }: FastifyRequest, { jobs }: Services): Job | undefined {
  return jobs.get(String((params as { id?: unknown }).id));
}

/** The prediction service has one path for both: `status` while the job is open, `results` once it has ended. */
function findPlace(request: FastifyRequest, services: Services): Place | null {
  const { service, endpoint } = request.routeOptions.config;
  if (!services.faults.active || service === undefined || endpoint === undefined) return null;
  if (service !== 'predictions' || endpoint !== 'results') return { service, endpoint };
  const isOpen = /enqueued|RUNNING/.test(findJob(request, services)?.state ?? '');
  return { service, endpoint: isOpen ? 'status' : 'results' };
}

export function addFaultHooks(app: FastifyInstance, services: Services): void {
  const { faults, clock } = services;
  /** Connections without a response: a stop of the service does not wait for them. */
  const silenced = new Set<Socket>();
  app.addHook('preClose', async () => {
    for (const socket of silenced) socket.destroy();
  });
  // A gateway answers in place of the services: nothing of the request reaches them.
  app.addHook('onRequest', async (request, reply) => {
    const { method, url } = request;
    if (!faults.active || url.startsWith(FAULT_CONTROL)) return;
    const service = url.startsWith(MOLECULES) ? 'molecules' : 'predictions';
    const { endpoint = null } = request.routeOptions.config;
    for (const { name } of faults.strike('gateway', service, endpoint)) {
      const fault = FAULTS[name];
      if (fault.stage !== 'gateway') continue;
      const host = request.headers.host ?? '';
      const { status, headers, body } = fault.answer({ method, url, host });
      return await reply.code(status).headers(headers).send(body);
    }
  });
  app.addHook('preHandler', async (request) => {
    const place = findPlace(request, services);
    if (place === null) return;
    // `unknown` applies to a job that exists, and with `ms` only while it is younger.
    const isYoung = ({ ms = Infinity }: FaultRule): boolean =>
      clock.now() - (findJob(request, services)?.queuedAt ?? -Infinity) < ms;
    const applies = (rule: FaultRule): boolean => rule.name !== 'unknown' || isYoung(rule);
    for (const rule of faults.strike('before', place.service, place.endpoint, applies))
      await applyFaultBefore(rule, request, services, silenced);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const place = findPlace(request, services);
    if (place === null) return payload;
    const skew = faults.findActive('skew')?.ms;
    if (skew !== undefined) void reply.header('Date', new Date(Date.now() + skew).toUTCString());
    let body = await readBytes(payload);
    const applies = (rule: FaultRule): boolean => appliesTo(rule, place, reply.statusCode);
    for (const rule of faults.strike('after', place.service, place.endpoint, applies))
      body =
        rule.name === 'echo-token'
          ? echoToken(findToken(request, services), reply, body, rule.key)
          : await applyFaultAfter(rule, place, reply, body, silenced);
    return body;
  });
}

/** Records a submission that a fault refused: it arrived, regardless of the answer. */
function recordRefused(request: FastifyRequest, services: Services, status: number): void {
  if (request.routeOptions.config.endpoint !== 'submit') return;
  const draft = createDraft(request);
  noteSender(request.body, draft);
  services.admission.turnAway(draft, status);
}

async function applyFaultBefore(
  { name, ms, status, retryAfter }: FaultRule,
  request: FastifyRequest,
  services: Services,
  silenced: Set<Socket>,
): Promise<void> {
  const error = `The fault "${name}" is on.`;
  const { socket } = request.raw;
  const refuse = (code: number, wait: number | null | undefined, more = {}): never => {
    recordRefused(request, services, code);
    const headers = wait == null ? {} : { 'Retry-After': String(wait) };
    throw new Refusal(code, error, more, headers);
  };
  switch (name) {
    case 'slow':
      await sleep(ms ?? 1000);
      return;
    case 'hang':
      recordRefused(request, services, 0);
      return await silenceSocket(socket, ms, silenced);
    case 'reset':
      recordRefused(request, services, 0);
      return await reset(socket);
    case 'accept-late':
      // Its address counts as well, and a connection tells it only once, before it is closed.
      if (!request.ip) throw new Error('A request has no address.');
      socket.resetAndDestroy();
      await sleep(ms ?? 1000);
      return;
    case 'rate-limit': {
      const more = { limit: services.settings.limit, remaining: 0, reset_after: retryAfter ?? 1 };
      return refuse(429, retryAfter === undefined ? 1 : retryAfter, more);
    }
    case 'unknown':
      throw new Refusal(404, 'Request not found');
    default:
      return refuse(status ?? (name === 'reject' ? 400 : 503), retryAfter);
  }
}

/** Whether a fault can apply: some only to an acceptance, some only to a result. */
function appliesTo({ name }: FaultRule, place: Place, status: number): boolean {
  if (name === 'echo-token' || status < 300) return true;
  const anyway = ['truncate', 'hang-after', 'reset-after'];
  return place.endpoint !== 'submit' && anyway.includes(name);
}

async function applyFaultAfter(
  rule: FaultRule,
  place: Place,
  reply: FastifyReply,
  body: Buffer,
  silenced: Set<Socket>,
): Promise<Buffer> {
  const { socket } = reply.request.raw;
  switch (rule.name) {
    case 'slow-after':
      await sleep(rule.ms ?? 1000);
      return body;
    case 'hang-after':
      return await silenceSocket(socket, rule.ms, silenced);
    case 'reset-after':
      return await reset(socket);
    case 'error-after':
      return send(reply.code(rule.status ?? 502), { error: `The fault "${rule.name}" is on.` });
    case 'truncate': {
      const headers = { ...reply.getHeaders(), 'content-length': String(body.length) };
      reply.raw.writeHead(reply.statusCode, headers as Record<string, string>);
      reply.raw.write(body.subarray(0, Math.floor(body.length / 2)), () => socket.destroy());
      return await waitForever();
    }
    case 'wrong-type':
      return send(reply.type('text/html; charset=utf-8'), body);
    case 'garble': {
      const page = '<html><body><h1>Service temporarily unavailable</h1></body></html>';
      return send(reply.code(200).type('text/html; charset=utf-8'), Buffer.from(page));
    }
    case 'nan':
      return send(reply, Buffer.from(body.toString().replace(/([[:,]\s*)-?\d+\.\d+/, '$1NaN')));
    case 'missing-key':
      return send(reply, omit(JSON.parse(body.toString()), rule.key ?? chooseKey(place, body)));
    case 'forget-past-results':
      return send(reply, []);
    default:
      throw new Error(`${rule.name} does not strike answers.`);
  }
}

/** Bytes as they are, all else as JSON. */
function send(reply: FastifyReply, value: unknown): Buffer {
  const isJson = !Buffer.isBuffer(value);
  const body = isJson ? Buffer.from(JSON.stringify(value)) : value;
  if (isJson) void reply.type('application/json; charset=utf-8');
  void reply.header('content-length', String(body.length));
  return body;
}

/** The most important keys for a client; the first one in the body is left out. */
const NEEDED_KEYS: Readonly<Partial<Record<Endpoint, readonly string[]>>> = {
  submit: ['request_id', 'hash_id'],
  results: ['GMX_top', 'proteins', 'shiftCrypt', 'results'],
};

function chooseKey({ endpoint }: Place, body: Buffer): string {
  return NEEDED_KEYS[endpoint]?.find((key) => body.includes(`"${key}":`)) ?? 'status';
}

function omit(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => omit(entry, key));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => name !== key);
  return Object.fromEntries(kept.map(([name, entry]) => [name, omit(entry, key)]));
}

async function readBytes(payload: unknown): Promise<Buffer> {
  if (typeof payload === 'string') return Buffer.from(payload);
  if (payload instanceof Readable) return Buffer.from(await text(payload));
  return payload instanceof Uint8Array ? Buffer.from(payload) : Buffer.alloc(0);
}

/** Sends nothing until the client gives up, or cuts the connection after `ms`. */
async function silenceSocket(
  socket: Socket,
  ms: number | undefined,
  silenced: Set<Socket>,
): Promise<never> {
  silenced.add(socket);
  socket.once('close', () => silenced.delete(socket));
  if (ms !== undefined) setTimeout(() => socket.destroy(), ms).unref();
  return await waitForever();
}

async function reset(socket: Socket): Promise<never> {
  socket.resetAndDestroy();
  return await waitForever();
}

/** Never resolves: nothing refers to the promise, so it is freed with its connection. */
async function waitForever(): Promise<never> {
  return await new Promise<never>(() => undefined);
}

/** The last token that a service received: it stores none with its jobs, and status requests have none. */
const seen = new WeakMap<Services, string>();

/** The token of the request; without one, that of the last request that had one. */
function findToken(request: FastifyRequest, services: Services): string | null {
  const { token } = (request.body ?? {}) as { readonly token?: unknown };
  const sent = token ?? request.headers['x-service-token'];
  if (typeof sent === 'string' && sent !== '') seen.set(services, sent);
  return seen.get(services) ?? null;
}

const WORDS = /"(?:error|message|status_message|request_text|log|detail)":\s*"/g;

/**
 * The response with the token, in the forms of frameworks, proxies and logs, in its headers, in additional keys, and in
 * all texts that a client stores.
 * @param key of the JSON whose values begin with the token: an id that contains it
 */
function echoToken(token: string | null, reply: FastifyReply, body: Buffer, key = ''): Buffer {
  if (token === null) return body;
  const encoded = ['', 'u:', 'me:', 'you:'].map((user) => Buffer.from(user + token));
  const forms = [token, JSON.stringify(token), encodeURIComponent(token)];
  const base64 = encoded.map((bytes) => bytes.toString('base64'));
  const all = [...forms, ...base64, Buffer.from(`>>${token}`).toString('base64url')].join(' ; ');
  void reply.header('X-Request-Echo', all);
  if (reply.statusCode >= 300) void reply.header('Location', `/elsewhere/${token}?token=${token}`);
  const words = JSON.stringify(all).slice(1, -1);
  const said = body.toString();
  const echoed = /^\s*[[{]/.test(said)
    ? said
        .replace(/^\s*\{(?=\s*")/, `{"echo":"${words}",`)
        .replace(WORDS, (found) => `${found}${words} `)
        .replaceAll(`"${key}":"`, `"${key}":"${token}`)
    : `${said.replace(/\n*$/, '')}\n# ${all}\n`;
  return send(reply, Buffer.from(echoed));
}
