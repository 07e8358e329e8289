/** Submitting a molecule (contract of the molecule service, 2.1, 2.2, 4.1, 4.2). */
import type { FastifyInstance } from 'fastify';
import { ATOM_TYPES, CHARGE_METHODS } from '../../domain/item.ts';
import type { Draft, Submission } from '../admission.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';
import { COORDINATE_ENDINGS, countAtoms } from './atoms.ts';

const TOKEN_LENGTH = 10;
const ATOM_LIMIT = 200;

/** All eight keys are always present (2.1). */
const KEYS = [
  'inputFile',
  'file_name',
  'token',
  'charge_method',
  'net_charge',
  'atom_type',
  'email',
  'smiles',
] as const;
type Body = Readonly<Record<(typeof KEYS)[number], unknown>>;

function readBody(body: unknown): Body {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Refusal(400, 'The body must be a JSON object.');
  }
  const missing = KEYS.filter((key) => !Object.hasOwn(body, key));
  if (missing.length > 0) {
    throw new Refusal(400, `The body lacks ${missing.join(', ')}; unused keys are sent as null.`);
  }
  return body as Body;
}

function text(body: Body, key: keyof Body): string {
  const value = body[key];
  if (typeof value !== 'string') throw new Refusal(400, `${key} must be a string.`);
  return value;
}

function textOrNull(body: Body, key: keyof Body): string | null {
  return body[key] === null ? null : text(body, key);
}

function oneOf(body: Body, key: keyof Body, allowed: readonly string[], hint = ''): string {
  const value = text(body, key);
  if (!allowed.includes(value)) {
    throw new Refusal(400, `${key} must be one of ${allowed.join(', ')}${hint}.`);
  }
  return value;
}

/** An integer in a string; null is automatic. The format is not shown: signs are taken, fractions are not. */
function readNetCharge(body: Body): number | null {
  const value = textOrNull(body, 'net_charge');
  if (value === null) return null;
  if (!/^[+-]?\d{1,3}$/.test(value)) {
    throw new Refusal(400, 'net_charge must be null or an integer in a string, such as "-1".');
  }
  return Number(value);
}

/** Either a SMILES or a coordinate file (2.1, rules 1 and 2). */
function readStructure(body: Body): { smiles: string | null; inputFile: string | null } {
  const smiles = textOrNull(body, 'smiles');
  const inputFile = textOrNull(body, 'inputFile');
  if ((smiles === null) === (inputFile === null)) {
    throw new Refusal(400, 'Give exactly one of smiles and inputFile; the other one is null.');
  }
  if (smiles !== null && smiles.trim() === '') throw new Refusal(400, 'smiles must not be empty.');
  if (inputFile !== null) {
    const atoms = countAtoms(text(body, 'file_name'), inputFile);
    if (atoms === null) {
      throw new Refusal(
        400,
        `file_name must carry the extension of a coordinate file: ${COORDINATE_ENDINGS.join(', ')}.`,
      );
    }
    if (atoms > ATOM_LIMIT) {
      throw new Refusal(
        400,
        `The molecule has ${String(atoms)} atoms; coordinate files may have up to ${String(ATOM_LIMIT)}.`,
      );
    }
  }
  return { smiles, inputFile };
}

function readSubmission(received: unknown, draft: Draft): Submission {
  const body = readBody(received);
  const token = text(body, 'token');
  draft.token = token;
  const fileName = text(body, 'file_name');
  draft.jobName = fileName;
  if (token.length !== TOKEN_LENGTH) {
    throw new Refusal(400, `token must have ${String(TOKEN_LENGTH)} characters.`);
  }
  if (fileName.trim() === '') throw new Refusal(400, 'file_name must not be empty.');
  const hint = body.charge_method === 'bbc' ? ' (bbc is a misspelling of bcc)' : '';
  const chargeMethod = oneOf(body, 'charge_method', CHARGE_METHODS, hint);
  const atomType = oneOf(body, 'atom_type', ATOM_TYPES);
  const netCharge = readNetCharge(body);
  const email = textOrNull(body, 'email');
  const { smiles, inputFile } = readStructure(body);
  return {
    token,
    uniqueName: null,
    input: {
      job: { kind: 'molecule', smiles, inputFile, fileName, chargeMethod, netCharge, atomType },
      original: smiles ?? inputFile ?? '',
      // The finished record repeats the token (2.4), so this one is kept.
      details: { token, email },
    },
  };
}

export function submitRoute(app: FastifyInstance, base: string, services: Services): void {
  const config = { service: 'molecules', endpoint: 'submit', requestType: 'molecule' } as const;
  app.post(`${base}/api`, { config }, async (request, reply) => {
    const draft: Draft = {
      service: 'molecules',
      requestType: 'molecule',
      address: request.ip,
      token: null,
      jobName: null,
    };
    const accepted = await services.admission.receive(draft, () =>
      readSubmission(request.body, draft),
    );
    void reply.headers(accepted.headers);
    return {
      Location: `/api/queue/${accepted.id}/`,
      hash_id: accepted.id,
      message: 'Your request is being processed. Check the queue for its status.',
    };
  });
}
