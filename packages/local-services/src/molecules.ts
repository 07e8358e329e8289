/** The molecule service: submission, status and results (its contract, 2 to 4). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { createDraft, noteSender, type CheckedSubmission, type Services } from './admission.ts';
import { ATOM_TYPES, CHARGE_METHODS } from './contract.ts';
import { COORDINATE_ENDINGS, countAtoms } from './engines/coordinates.ts';
import type { Job } from './jobs.ts';
import { checkInput, limitCharacters, Refusal } from './refusal.ts';

/** The path of the service: `{mol_base_url}` is the server's address and this path. */
export const MOLECULES = '/acpype';

/** Characters. */
const TOKEN_LENGTH = 10;
const TOKEN = `token must have ${String(TOKEN_LENGTH)} characters.`;
const ATOM_LIMIT = 200;

type Input = Readonly<{ input?: unknown }>;

/** All eight keys are always present (2.1). */
function createMessage(name: string, otherwise: string) {
  return ({ input }: Input): string =>
    input === undefined ? `The body lacks ${name}; unused keys are sent as null.` : otherwise;
}

function createTextSchema(name: string): z.ZodString {
  return z.string({ error: createMessage(name, `${name} must be a string.`) });
}

function createChoiceSchema<T extends readonly string[]>(name: string, allowed: T) {
  const error = (issue: Input): string => {
    const hint = issue.input === 'bbc' ? ' (bbc is a misspelling of bcc)' : '';
    return createMessage(name, `${name} must be one of ${allowed.join(', ')}${hint}.`)(issue);
  };
  return z.enum(allowed, { error });
}

/** Either a SMILES or a coordinate file (2.1, rules 1 and 2); null, not absence, marks the other one. */
const submission = z
  .object({
    inputFile: createTextSchema('inputFile').nullable(),
    file_name: createTextSchema('file_name').regex(/\S/, 'file_name must not be empty.'),
    token: limitCharacters(createTextSchema('token'), TOKEN_LENGTH, TOKEN_LENGTH, TOKEN),
    charge_method: createChoiceSchema('charge_method', CHARGE_METHODS),
    net_charge: createTextSchema('net_charge')
      .regex(/^[+-]?\d{1,3}$/, 'net_charge must be null or an integer in a string, such as "-1".')
      .nullable(),
    atom_type: createChoiceSchema('atom_type', ATOM_TYPES),
    email: createTextSchema('email').nullable(),
    smiles: createTextSchema('smiles').regex(/\S/, 'smiles must not be empty.').nullable(),
  })
  .refine(
    ({ smiles, inputFile }) => (smiles === null) !== (inputFile === null),
    'Give exactly one of smiles and inputFile; the other one is null.',
  );

function checkAtoms(fileName: string, inputFile: string): void {
  const atoms = countAtoms(fileName, inputFile);
  const endings = COORDINATE_ENDINGS.join(', ');
  if (atoms === null)
    throw new Refusal(400, `file_name must carry the extension of a coordinate file: ${endings}.`);
  if (atoms <= ATOM_LIMIT) return;
  const limit = `coordinate files may have up to ${String(ATOM_LIMIT)}`;
  throw new Refusal(400, `The molecule has ${String(atoms)} atoms; ${limit}.`);
}

/** @throws Refusal */
export function readMoleculeSubmission(received: unknown): CheckedSubmission {
  const { token, email, smiles, inputFile, ...body } = checkInput(submission, received);
  if (inputFile !== null) checkAtoms(body.file_name, inputFile);
  const job = {
    kind: 'molecule',
    smiles,
    inputFile,
    fileName: body.file_name,
    chargeMethod: body.charge_method,
    netCharge: body.net_charge === null ? null : Number(body.net_charge),
    atomType: body.atom_type,
  } as const;
  // The finished record repeats the token (2.4), so it is stored.
  const input = { job, original: smiles ?? inputFile ?? '', details: { token, email } };
  return { token, uniqueName: null, input };
}

export function addMoleculeRoutes(app: FastifyInstance, services: Services): void {
  const service = 'molecules';
  const submit = { service, endpoint: 'submit', requestType: 'molecule' } as const;
  app.post(`${MOLECULES}/api`, { config: submit }, async (request, reply) => {
    const draft = createDraft(request);
    noteSender(request.body, draft);
    const accepted = await services.admission.receive(draft, () =>
      readMoleculeSubmission(request.body),
    );
    void reply.headers(accepted.headers);
    return {
      Location: `/api/queue/${accepted.id}/`,
      hash_id: accepted.id,
      message: 'Your request is being processed. Check the queue for its status.',
    };
  });
  const read = (request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply) => {
    const job = findMolecule(services, request.params.id);
    if (job.state === 'FINISHED' || job.state === 'FAILED') {
      void reply.type('application/json; charset=utf-8');
      return renderFinishedRecord(job, services);
    }
    // No Retry-After: it is not in the contract of this service.
    void reply.code(202);
    return requestRecord(job, services);
  };
  app.get(`${MOLECULES}/api/queue/:id/`, { config: { service, endpoint: 'status' } }, read);
  app.get(`${MOLECULES}/api/:id/`, { config: { service, endpoint: 'results' } }, read);
}

function findMolecule(services: Services, id: string): Job {
  const job = services.jobs.get(id);
  if (job?.service !== 'molecules') throw new Refusal(404, 'Request not found');
  return job;
}

/** 2.3, and `result_request` of 2.4. */
function requestRecord(job: Job, { jobs }: Services) {
  const { seq: id, id: hash_id, state, error } = job;
  const pending = `Processes still pending: ${String(jobs.countPending('molecules'))}.`;
  const [location, status, request_text] =
    state === 'FINISHED'
      ? [`/api/${hash_id}/`, 200, 'Your request has been processed.']
      : state === 'FAILED'
        ? [`/api/${hash_id}/`, 422, `Your request has failed: ${error ?? ''}`]
        : ['not_available', 202, `Your request is being processed. ${pending}`];
  return { id, hash_id, public: false, location, status, request_text };
}

/**
 * 2.4. A failed job is finished too, with the empty set that the engine's API returns on an exception: `results` is
 * `[{}]`, and `result_request` has the reason (choices.md). The file set is inserted as the stored bytes,
 * because parsing and serialising its megabyte would cost more than the rest of the response.
 */
function renderFinishedRecord(job: Job, services: Services): Buffer {
  const { jobs, clock } = services;
  const head = {
    id: job.seq,
    creation_date: clock.format(job.queuedAt),
    token: jobs.input(job.seq).details['token'] ?? '',
    hash_id: job.id,
    log: jobs.engineLog(job.seq),
    views: 0,
    result_request: requestRecord(job, services),
  };
  const files = jobs.output(job.seq, 'result')?.body ?? Buffer.from('{}');
  const start = `${JSON.stringify(head).slice(0, -1)},"results":[`;
  return Buffer.concat([Buffer.from(start), files, Buffer.from(']}')]);
}
