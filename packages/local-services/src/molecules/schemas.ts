/** Requests to the molecule service (its contract, 2): the checks. */
import { z } from 'zod';
import { ATOM_TYPES, CHARGE_METHODS } from '../contract.ts';
import { characters } from '../checked.ts';

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
  inputFile: text('inputFile').nullable(),
  file_name: text('file_name').regex(/\S/, 'file_name must not be empty.'),
  token: characters(
    text('token'),
    TOKEN_LENGTH,
    TOKEN_LENGTH,
    `token must have ${String(TOKEN_LENGTH)} characters.`,
  ),
  charge_method: oneOf('charge_method', CHARGE_METHODS, spelling),
  net_charge: text('net_charge')
    .regex(/^[+-]?\d{1,3}$/, 'net_charge must be null or an integer in a string, such as "-1".')
    .nullable(),
  atom_type: oneOf('atom_type', ATOM_TYPES),
  email: text('email').nullable(),
  smiles: text('smiles').regex(/\S/, 'smiles must not be empty.').nullable(),
  /** Lists the job on the public page. Beyond the contract's eight keys. */
  public: z.boolean().optional(),
});

const isOneInput = ({ smiles, inputFile }: Pick<z.infer<typeof fields>, 'smiles' | 'inputFile'>) =>
  (smiles === null) !== (inputFile === null);
const ONE_INPUT = 'Give exactly one of smiles and inputFile; the other one is null.';

/** Either a SMILES or a coordinate file (2.1, rules 1 and 2); null, not absence, marks the other one. */
export const submissionSchema = fields.refine(isOneInput, ONE_INPUT);
