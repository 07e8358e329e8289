/**
 * Charge models beyond the contract's list (2.1). The contract has no way to query them: a service announces them in
 * its OpenAPI document, `{mol_base_url}/docs/json`. Models that are not announced are never sent.
 */
import { CONTRACT_CHARGE_METHODS } from '../../domain/item.ts';
import type { OfferOutcome } from '../../domain/outcomes.ts';
import { asObject } from '../../results/json.ts';
import { isAnswered } from '../availability.ts';
import { parseBoundedJson } from '../bounded-json.ts';
import type { RequestOptions, Job } from '../client.ts';
import { SMALL_JSON_LIMIT } from '../http-body.ts';
import { ping } from '../ping.ts';
import { below } from '../target.ts';
import type { MoleculesAccess } from './access.ts';
import { noJob } from './submit.ts';

/** A service may be restarted with another engine: its announcement is cached for this long (ms). */
const BELIEVED_MS = 60_000;

/** The content of the document; `why`: there is none, or it does not mention charge models. */
type Announced = { readonly methods: readonly string[] } | { readonly why: string };

export class Offers {
  readonly #access: MoleculesAccess;
  readonly #now: () => number;
  /** One request at a time for all rows. */
  #asked: { readonly answer: Promise<Announced>; readonly until: number } | null = null;

  constructor(access: MoleculesAccess, now: () => number = () => performance.now()) {
    this.#access = access;
    this.#now = now;
  }

  async offer({ options }: Job, call: RequestOptions): Promise<OfferOutcome> {
    if (options.kind !== 'molecule') return { type: 'offered' };
    const wanted = options.chargeMethod;
    if (CONTRACT_CHARGE_METHODS.some((method) => method === wanted)) return { type: 'offered' };
    const announced = await this.#announced(call);
    if ('methods' in announced && announced.methods.includes(wanted)) return { type: 'offered' };
    if (!('methods' in announced)) {
      this.#asked = null;
      // An unavailable service announces nothing either, but the row can wait for it.
      const there = await ping(this.#access.http, noJob(this.#access), call);
      if (there.type === 'unavailable') return there;
    }
    const { origin, pathname } = this.#access.base;
    const why = 'why' in announced ? announced.why : `it announces ${announced.methods.join(', ')}`;
    const message = `charge_method ${wanted} is not offered by the service molecules at ${origin}${pathname}: ${why}`;
    return { type: 'notOffered', code: 'CHARGE_METHOD_NOT_OFFERED', message, remedy: REMEDY };
  }

  #announced(call: RequestOptions): Promise<Announced> {
    const asked = this.#asked;
    if (asked !== null && this.#now() < asked.until) return asked.answer;
    const answer = announcedBy(this.#access, call);
    this.#asked = { answer, until: this.#now() + BELIEVED_MS };
    return answer;
  }
}

const REMEDY = `Write ${CONTRACT_CHARGE_METHODS.join(' or ')} into the row, or configure a service that offers it, such as: hundredfold services --acpype 2026.10.15.`;

async function announcedBy(
  { http, base }: MoleculesAccess,
  { signal }: RequestOptions,
): Promise<Announced> {
  const url = below(base, 'docs', 'json');
  const where = `its OpenAPI document (GET ${url.pathname})`;
  const answer = await http.send({ method: 'GET', url, signal });
  if (!isAnswered(answer)) return { why: `${where} cannot be read: ${answer.message}` };
  if (answer.status !== 200) {
    await answer.body.discard();
    return { why: `${where} is missing: HTTP ${answer.status}` };
  }
  const body = await answer.body.text(SMALL_JSON_LIMIT);
  const document = body.type === 'whole' ? asObject(parseBoundedJson(body.text)) : null;
  const methods = document && chargeMethodsIn(document);
  return methods === null ? { why: `${where} lists no values of charge_method` } : { methods };
}

/** The values of `charge_method` that `POST /api` accepts; null if the document does not list them. */
export function chargeMethodsIn(
  document: Readonly<Record<string, unknown>>,
): readonly string[] | null {
  const schema = resolved(
    document,
    at(document, 'paths', '/api', 'post', 'requestBody', 'content', 'application/json', 'schema'),
  );
  const values = asObject(resolved(document, at(schema, 'properties', 'charge_method')))?.['enum'];
  if (!Array.isArray(values)) return null;
  return values.filter((value): value is string => typeof value === 'string');
}

function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => asObject(inner)?.[key], value);
}

/** The target of a `$ref` into the same document; other values unchanged. */
function resolved(document: unknown, value: unknown): unknown {
  const reference = asObject(value)?.['$ref'];
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return value;
  const keys = reference.slice(2).split('/');
  return at(document, ...keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')));
}
