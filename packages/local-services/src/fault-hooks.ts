/** Applies the faults of `faults.ts` to requests and responses. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceName } from './contract.ts';
import { newDraft, note } from './admission.ts';
import type { Services } from './app.ts';
import { FAULTS, type Endpoint, type FaultRule } from './faults.ts';
import type { RequestType } from './jobs.ts';
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

/** The prediction service has one path for both: `status` while the job is open, `results` once it has ended. */
function placeOf(request: FastifyRequest, services: Services): Place | null {
  const { service, endpoint } = request.routeOptions.config;
  if (service === undefined || endpoint === undefined) return null;
  if (service === 'predictions' && endpoint === 'results') {
    const state = services.jobs.get(String((request.params as { id?: unknown }).id))?.state;
    return {
      service,
      endpoint: state === 'enqueued' || state === 'RUNNING' ? 'status' : 'results',
    };
  }
  return { service, endpoint };
}

/** Answers in place of the services: nothing of the request reaches them. */
function addGatewayHook(app: FastifyInstance, { faults }: Services): void {
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
}

export function addFaultHooks(app: FastifyInstance, services: Services): void {
  const { faults } = services;
  addGatewayHook(app, services);
  /** Connections without a response: a stop of the service does not wait for them. */
  const silenced = new Set<Socket>();
  app.addHook('preClose', async () => {
    for (const socket of silenced) socket.destroy();
  });
  app.addHook('preHandler', async (request) => {
    const place = faults.active ? placeOf(request, services) : null;
    if (place === null) return;
    const applies = (rule: FaultRule): boolean => knows(rule, request, services);
    for (const rule of faults.strike('before', place.service, place.endpoint, applies)) {
      if (rule.name === 'slow') await sleep(rule.ms ?? 1000);
      else await strikeBefore(rule, request, services, silenced);
    }
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const place = faults.active ? placeOf(request, services) : null;
    if (place === null) return payload;
    const skew = faults.standing('skew')?.ms;
    if (skew !== undefined) void reply.header('Date', new Date(Date.now() + skew).toUTCString());
    let body = await bytes(payload);
    const applies = (rule: FaultRule): boolean => appliesTo(rule, place, reply.statusCode);
    for (const rule of faults.strike('after', place.service, place.endpoint, applies)) {
      const token = rule.name === 'echo-token' ? tokenOf(request, services) : null;
      body = await strikeAfter(rule, place, reply, body, silenced, token);
    }
    return body;
  });
}

/** Whether `unknown` can apply: to a job that exists, and with `ms` only while it is younger. */
function knows({ name, ms }: FaultRule, request: FastifyRequest, services: Services): boolean {
  if (name !== 'unknown') return true;
  const job = services.jobs.get(String((request.params as { id?: unknown }).id));
  return job !== undefined && services.clock.now() - job.queuedAt < (ms ?? Infinity);
}

/** Records a submission that a fault refused: it arrived, regardless of the answer. */
function recordRefused(request: FastifyRequest, services: Services, status: number): void {
  if (request.routeOptions.config.endpoint !== 'submit') return;
  const draft = newDraft(request);
  note(request.body, draft);
  services.admission.turnAway(draft, status);
}

async function strikeBefore(
  rule: FaultRule,
  request: FastifyRequest,
  services: Services,
  silenced: Set<Socket>,
): Promise<void> {
  const error = `The fault "${rule.name}" is on.`;
  const retryAfter = (fallback: number | null): Record<string, string> => {
    const seconds = rule.retryAfter === undefined ? fallback : rule.retryAfter;
    return seconds === null ? {} : { 'Retry-After': String(seconds) };
  };
  const refuse = (refusal: Refusal): never => {
    recordRefused(request, services, refusal.status);
    throw refusal;
  };
  switch (rule.name) {
    case 'hang':
      recordRefused(request, services, 0);
      return await silence(request, rule.ms, silenced);
    case 'reset':
      recordRefused(request, services, 0);
      request.raw.socket.resetAndDestroy();
      return await never();
    case 'accept-late':
      // Its address counts as well, and a connection tells it only once, before it is closed.
      assert.ok(request.ip);
      request.raw.socket.resetAndDestroy();
      await sleep(rule.ms ?? 1000);
      return;
    case 'rate-limit': {
      const { limit } = services.settings;
      const more = { limit, remaining: 0, reset_after: rule.retryAfter ?? 1 };
      return refuse(new Refusal(429, error, more, retryAfter(1)));
    }
    case 'unknown':
      throw new Refusal(404, 'Request not found');
    case 'reject':
      return refuse(new Refusal(rule.status ?? 400, error, {}, retryAfter(null)));
    default:
      return refuse(new Refusal(rule.status ?? 503, error, {}, retryAfter(null)));
  }
}

/** Whether a fault can apply: some only to an acceptance, some only to a result. */
function appliesTo({ name }: FaultRule, place: Place, status: number): boolean {
  if (name === 'echo-token') return true;
  if (place.endpoint === 'submit') return status < 300;
  return name === 'truncate' || name === 'hang-after' || name === 'reset-after' || status < 300;
}

async function strikeAfter(
  rule: FaultRule,
  place: Place,
  reply: FastifyReply,
  body: Buffer,
  silenced: Set<Socket>,
  token: string | null,
): Promise<Buffer> {
  const { socket } = reply.request.raw;
  switch (rule.name) {
    case 'slow-after':
      await sleep(rule.ms ?? 1000);
      return body;
    case 'hang-after':
      await silence(reply.request, rule.ms, silenced);
      return body;
    case 'reset-after':
      socket.resetAndDestroy();
      return await never();
    case 'error-after':
      return json(reply.code(rule.status ?? 502), { error: `The fault "${rule.name}" is on.` });
    case 'truncate': {
      const headers = { ...reply.getHeaders(), 'content-length': String(body.length) };
      reply.raw.writeHead(reply.statusCode, headers as Record<string, string>);
      reply.raw.write(body.subarray(0, Math.floor(body.length / 2)), () => socket.destroy());
      return await never();
    }
    case 'wrong-type':
      return spoilt(reply.type('text/html; charset=utf-8'), body);
    case 'garble':
      return spoilt(
        reply.code(200).type('text/html; charset=utf-8'),
        Buffer.from('<html><body><h1>Service temporarily unavailable</h1></body></html>'),
      );
    case 'nan':
      return spoilt(reply, Buffer.from(body.toString().replace(/([[:,]\s*)-?\d+\.\d+/, '$1NaN')));
    case 'missing-key':
      return json(reply, withoutKey(JSON.parse(body.toString()), keyOf(rule, place, body)));
    case 'forget-past-results':
      return json(reply, []);
    case 'echo-token':
      return token === null ? body : spoilt(reply, echoToken(token, reply, body, rule.key));
    default:
      throw new Error(`${rule.name} does not strike answers.`);
  }
}

function spoilt(reply: FastifyReply, body: Buffer): Buffer {
  void reply.header('content-length', String(body.length));
  return body;
}

function json(reply: FastifyReply, value: unknown): Buffer {
  return spoilt(reply.type('application/json; charset=utf-8'), Buffer.from(JSON.stringify(value)));
}

/** The most important keys for a client; the first one in the body is left out. */
const NEEDED_KEYS: Readonly<Partial<Record<Endpoint, readonly string[]>>> = {
  submit: ['request_id', 'hash_id'],
  results: ['GMX_top', 'proteins', 'shiftCrypt', 'results'],
};

function keyOf(rule: FaultRule, place: Place, body: Buffer): string {
  if (rule.key !== undefined) return rule.key;
  const text = body.toString();
  return (NEEDED_KEYS[place.endpoint] ?? []).find((key) => text.includes(`"${key}":`)) ?? 'status';
}

function withoutKey(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => withoutKey(entry, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== key)
      .map(([name, entry]) => [name, withoutKey(entry, key)]),
  );
}

async function bytes(payload: unknown): Promise<Buffer> {
  if (typeof payload === 'string') return Buffer.from(payload);
  if (payload instanceof Readable) return Buffer.from(await text(payload));
  return payload instanceof Uint8Array ? Buffer.from(payload) : Buffer.alloc(0);
}

/** Sends nothing until the client gives up, or cuts the connection after `ms`. */
async function silence(
  request: FastifyRequest,
  ms: number | undefined,
  silenced: Set<Socket>,
): Promise<never> {
  const { socket } = request.raw;
  silenced.add(socket);
  socket.once('close', () => silenced.delete(socket));
  if (ms !== undefined) setTimeout(() => socket.destroy(), ms).unref();
  return await never();
}

/** Never resolves: nothing refers to the promise, so it is freed with its connection. */
async function never(): Promise<never> {
  return await new Promise<never>(() => undefined);
}

/** The last token that a service received: it stores none with its jobs, and status requests have none. */
const seen = new WeakMap<Services, string>();

/** The token of the request; without one, that of the last request that had one. */
function tokenOf(request: FastifyRequest, services: Services): string | null {
  const { token } = (request.body ?? {}) as { readonly token?: unknown };
  const sent = token ?? request.headers['x-service-token'];
  if (typeof sent === 'string' && sent !== '') seen.set(services, sent);
  return seen.get(services) ?? null;
}

/** A token in the forms of frameworks, proxies and logs. */
function spellings(token: string): readonly string[] {
  return [
    token,
    JSON.stringify(token),
    encodeURIComponent(token),
    ...['', 'u:', 'me:', 'you:'].map((user) => Buffer.from(user + token).toString('base64')),
    Buffer.from(`>>${token}`).toString('base64url'),
  ];
}

const WORDS = /"(?:error|message|status_message|request_text|log|detail)":\s*"/g;

/**
 * The response with the token in its headers, in additional keys, and in all texts that a client stores.
 * @param key of the JSON whose values begin with the token: an id that contains it
 */
function echoToken(token: string, reply: FastifyReply, body: Buffer, key = ''): Buffer {
  const all = spellings(token).join(' ; ');
  void reply.header('X-Request-Echo', all);
  if (reply.statusCode >= 300) void reply.header('Location', `/elsewhere/${token}?token=${token}`);
  const text = body.toString();
  if (!/^\s*[[{]/.test(text)) return Buffer.from(`${text.replace(/\n*$/, '')}\n# ${all}\n`);
  const words = JSON.stringify(all).slice(1, -1);
  return Buffer.from(
    text
      .replace(/^\s*\{(?=\s*")/, `{"echo":"${words}",`)
      .replace(WORDS, (found) => `${found}${words} `)
      .replaceAll(`"${key}":"`, `"${key}":"${token}`),
  );
}
