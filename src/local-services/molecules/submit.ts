/** Submitting a molecule (contract of the molecule service, 2.1, 2.2, 4.1, 4.2). */
import type { FastifyInstance } from 'fastify';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { CheckedSubmission, Draft } from '../admission.ts';
import { json, RATE_LIMIT_HEADERS, SUBMISSION_REFUSALS } from '../answers.ts';
import { checked } from '../checked.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';
import { COORDINATE_ENDINGS, countAtoms } from './atoms.ts';
import {
  abcg2SubmissionSchema,
  acknowledgementSchema,
  SMILES_EXAMPLE,
  submissionSchema,
  type Acknowledgement,
} from './schemas.ts';

const ATOM_LIMIT = 200;

type SubmissionSchema = typeof submissionSchema | typeof abcg2SubmissionSchema;

const operationOf = (schema: SubmissionSchema): ZodOpenApiOperationObject => ({
  operationId: 'submitMolecule',
  tags: ['submissions'],
  summary: 'Submit a molecule (4.1, 4.2)',
  requestBody: {
    required: true,
    content: { 'application/json': { schema, example: SMILES_EXAMPLE } },
  },
  responses: {
    200: {
      ...json(
        'Accepted: the job waits for a worker',
        acknowledgementSchema,
        RATE_LIMIT_HEADERS.partial(),
      ),
      links: {
        status: { operationId: 'getStatus', parameters: { id: '$response.body#/hash_id' } },
        results: { operationId: 'getResults', parameters: { id: '$response.body#/hash_id' } },
        page: { operationId: 'viewJob', parameters: { id: '$response.body#/hash_id' } },
      },
    },
    ...SUBMISSION_REFUSALS,
  },
});

function checkAtoms(fileName: string, inputFile: string): void {
  const atoms = countAtoms(fileName, inputFile);
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

function readSubmission(
  received: unknown,
  draft: Draft,
  schema: SubmissionSchema,
): CheckedSubmission {
  note(received, draft);
  const { token, email, smiles, inputFile, ...body } = checked(schema, received);
  if (inputFile !== null) checkAtoms(body.file_name, inputFile);
  return {
    token,
    uniqueName: null,
    public: body.public ?? false,
    input: {
      job: {
        kind: 'molecule',
        smiles,
        inputFile,
        fileName: body.file_name,
        chargeMethod: body.charge_method,
        netCharge: body.net_charge === null ? null : Number(body.net_charge),
        atomType: body.atom_type,
      },
      original: smiles ?? inputFile ?? '',
      // The finished record repeats the token (2.4), so it is stored.
      details: { token, email },
    },
  };
}

/** For the journal, which also has refused submissions. */
function note(received: unknown, draft: Draft): void {
  if (typeof received !== 'object' || received === null) return;
  const { token, file_name: fileName } = received as Readonly<Record<string, unknown>>;
  if (typeof token === 'string') draft.token = token;
  if (typeof fileName === 'string') draft.jobName = fileName;
}

export function submitRoute(app: FastifyInstance, base: string, services: Services): void {
  const schema = services.offersAbcg2 ? abcg2SubmissionSchema : submissionSchema;
  const config = {
    service: 'molecules',
    endpoint: 'submit',
    requestType: 'molecule',
    operation: operationOf(schema),
  } as const;
  app.post(`${base}/api`, { config }, async (request, reply): Promise<Acknowledgement> => {
    const draft: Draft = {
      service: 'molecules',
      requestType: 'molecule',
      address: request.ip,
      token: null,
      jobName: null,
    };
    const accepted = await services.admission.receive(draft, () =>
      readSubmission(request.body, draft, schema),
    );
    void reply.headers(accepted.headers);
    return {
      Location: `/api/queue/${accepted.id}/`,
      hash_id: accepted.id,
      message: 'Your request is being processed. Check the queue for its status.',
    };
  });
}
