/** The fault `echo-token`: a service that repeats the token of a submission in all its responses. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from './services.ts';

/** The last token that a service received: it stores none with its jobs, and status requests have none. */
const seen = new WeakMap<Services, string>();

/** The token of the request; without one, that of the last request that had one. */
export function tokenOf(request: FastifyRequest, services: Services): string | null {
  const { token } = (request.body ?? {}) as { readonly token?: unknown };
  const sent = token ?? request.headers['x-service-token'];
  if (typeof sent === 'string' && sent !== '') seen.set(services, sent);
  return seen.get(services) ?? null;
}

/** A token in the forms of frameworks, proxies and logs. */
function spellings(token: string): readonly string[] {
  const codes = Array.from(token, (one) => one.charCodeAt(0).toString(16).padStart(2, '0'));
  const spelled = (before: string, behind = ''): string =>
    codes.map((code) => `${before}${code}${behind}`).join('');
  return [
    token,
    JSON.stringify(token),
    encodeURIComponent(token),
    spelled('%'),
    spelled('%').toUpperCase(),
    spelled('&#x', ';'),
    spelled('\\u00'),
    ...['', 'u:', 'me:', 'you:'].map((user) => Buffer.from(user + token).toString('base64')),
    Buffer.from(`>>${token}`).toString('base64url'),
  ];
}

const WORDS = /"(?:error|message|status_message|request_text|log|detail)":\s*"/g;

/**
 * The response with the token in its headers, in additional keys, and in all texts that a client stores: once as plain
 * JSON text, and once with each of its characters escaped in JSON.
 * @param key of the JSON whose values begin with the token: an id that contains it
 */
export function echoToken(token: string, reply: FastifyReply, body: Buffer, key = ''): Buffer {
  const all = spellings(token).join(' ; ');
  void reply.header('X-Request-Echo', all);
  if (reply.statusCode >= 300) void reply.header('Location', `/elsewhere/${token}?token=${token}`);
  const text = body.toString();
  if (!/^\s*[[{]/.test(text)) return Buffer.from(`${text.replace(/\n*$/, '')}\n# ${all}\n`);
  const escaped = Array.from(token, (one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('');
  const words = `${JSON.stringify(all).slice(1, -1)} ${escaped}`;
  return Buffer.from(
    text
      .replace(/^\s*\{(?=\s*")/, `{"echo":"${words}",`)
      .replace(WORDS, (found) => `${found}${words} `)
      .replaceAll(`"${key}":"`, `"${key}":"${token}`),
  );
}
