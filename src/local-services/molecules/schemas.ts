/** Requests and responses of the molecule service (its contract, 2): the checks, and the OpenAPI document. */
import { z } from 'zod';
import { ATOM_TYPES, CHARGE_METHODS, CONTRACT_CHARGE_METHODS } from '../../domain/item.ts';
import { characters } from '../checked.ts';
import { COORDINATE_ENDINGS } from './atoms.ts';

const TOKEN_LENGTH = 10;

type Input = Readonly<{ input?: unknown }>;

/** All eight keys are always present (2.1). */
function words(name: string, otherwise: string) {
  return ({ input }: Input): string =>
    input === undefined ? `The body lacks ${name}; unused keys are sent as null.` : otherwise;
}

function text(name: string): z.ZodString {
  return z.string({ error: words(name, `${name} must be a string.`) });
}

function oneOf<T extends readonly string[]>(
  name: string,
  allowed: T,
  hint: (input: unknown) => string = () => '',
) {
  const error = (issue: Input): string =>
    words(name, `${name} must be one of ${allowed.join(', ')}${hint(issue.input)}.`)(issue);
  return z.enum(allowed, { error });
}

const spelling = (input: unknown): string =>
  input === 'bbc' ? ' (bbc is a misspelling of bcc)' : '';

const fields = z.object({
  inputFile: text('inputFile')
    .nullable()
    .meta({ description: 'The whole coordinate file, up to 200 atoms; null with a SMILES' }),
  file_name: text('file_name')
    .regex(/\S/, 'file_name must not be empty.')
    .meta({
      description: `Title; of a coordinate file with its extension: ${COORDINATE_ENDINGS.join(', ')}`,
    }),
  token: characters(
    text('token'),
    TOKEN_LENGTH,
    TOKEN_LENGTH,
    `token must have ${String(TOKEN_LENGTH)} characters.`,
  ),
  charge_method: oneOf('charge_method', CONTRACT_CHARGE_METHODS, spelling),
  net_charge: text('net_charge')
    .regex(/^[+-]?\d{1,3}$/, 'net_charge must be null or an integer in a string, such as "-1".')
    .nullable()
    .meta({ description: 'An integer in units of the elementary charge; null is automatic' }),
  atom_type: oneOf('atom_type', ATOM_TYPES),
  email: text('email')
    .nullable()
    .meta({ description: 'Gets one message when the job has ended, where mail is configured' }),
  smiles: text('smiles')
    .regex(/\S/, 'smiles must not be empty.')
    .nullable()
    .meta({ description: 'null with a coordinate file' }),
  public: z.boolean().optional().meta({
    description: 'List the job on the public page; default false. Beyond the contract’s eight keys',
  }),
});

const isOneInput = ({ smiles, inputFile }: Pick<z.infer<typeof fields>, 'smiles' | 'inputFile'>) =>
  (smiles === null) !== (inputFile === null);
const ONE_INPUT = 'Give exactly one of smiles and inputFile; the other one is null.';

/** For the OpenAPI document; a service has one of the two. */
const SUBMISSION = {
  id: 'Submission',
  override: {
    oneOf: ['smiles', 'inputFile'].map((name) => ({
      properties: { [name]: { type: 'null' as const } },
    })),
  },
};

/** With the charge model of the newer ACPYPE, which is not in the contract but in the OpenAPI document. */
export const abcg2SubmissionSchema = fields
  .extend({ charge_method: oneOf('charge_method', CHARGE_METHODS, spelling) })
  .refine(isOneInput, ONE_INPUT)
  .meta(SUBMISSION);

/** Either a SMILES or a coordinate file (2.1, rules 1 and 2); null, not absence, marks the other one. */
export const submissionSchema = fields.refine(isOneInput, ONE_INPUT).meta(SUBMISSION);
type MoleculeSubmission = z.infer<typeof submissionSchema>;

export const SMILES_EXAMPLE: MoleculeSubmission = {
  inputFile: null,
  file_name: 'ethanol',
  token: 'tokenof10c',
  charge_method: 'bcc',
  net_charge: null,
  atom_type: 'gaff2',
  email: null,
  smiles: 'CCO',
};

/** 2.2 */
export const acknowledgementSchema = z
  .strictObject({ Location: z.string(), hash_id: z.string(), message: z.string() })
  .meta({ id: 'Acknowledgement' });
export type Acknowledgement = z.infer<typeof acknowledgementSchema>;

/** 2.3, and `result_request` of 2.4 */
export const requestRecordSchema = z
  .strictObject({
    id: z.int(),
    request_text: z.string(),
    location: z.string().meta({ description: '`not_available` while the job is unfinished' }),
    status: z.int().meta({ description: '202 unfinished, 200 done, 422 failed' }),
    hash_id: z.string(),
    public: z.boolean(),
  })
  .meta({ id: 'RequestRecord' });
export type RequestRecord = z.infer<typeof requestRecordSchema>;

/** 2.4. The 19 files of 2.5 are texts; a failed job has none of them. */
export const finishedRecordSchema = z
  .strictObject({
    id: z.int(),
    creation_date: z.string().meta({ override: { format: 'date-time' } }),
    token: z.string().meta({ description: 'Of a public job ten asterisks' }),
    hash_id: z.string(),
    log: z.string(),
    views: z.int().meta({ description: 'Looks at the job on the public page' }),
    result_request: requestRecordSchema,
    results: z.array(z.record(z.string(), z.string())),
  })
  .meta({ id: 'FinishedRecord' });
export type FinishedRecord = z.infer<typeof finishedRecordSchema>;
