/**
 * The schema of a row, for editors: schemas/ is generated from it. It checks the form of a row; the content of an
 * input, and whether an option fits the kind, is checked only by the program.
 *
 * It is as tolerant as the reader (docs/manifest.md): words in any case with spaces around them, numbers and booleans
 * as text, null for an empty cell. In YAML, where the reader keeps every value as written, an editor sees numbers and
 * booleans.
 */
import { z } from 'zod';
import {
  ATOM_TYPES,
  CHARGE_METHODS,
  DEFAULT_PREDICTORS,
  KINDS,
  MODEL_CLASSES,
  PREDICTORS,
} from '../domain/item.ts';
import { INPUT_FIELDS, type Field } from './columns.ts';
import { FALSE, TRUE } from './options.ts';

const BLANK = '^\\s*$';

/** A whole cell, or an empty one. */
function cell(pattern: string): RegExp {
  return new RegExp(`^\\s*(?:${pattern})?\\s*$`);
}

/** JSON Schema has no flag for it. */
function anyCase(words: readonly string[]): string {
  const spelt = words.map((word) =>
    word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`),
  );
  return `(?:${spelt.join('|')})`;
}

/** The words are listed one by one, so that an editor suggests them. */
function oneOf<const T extends readonly [string, ...string[]]>(words: T) {
  return z.union([z.enum(words), z.string().regex(cell(anyCase(words))), z.null()]);
}

const text = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Numbers are never a SMILES or a sequence; `FALSE` is a sequence that an editor reads as a boolean. */
const letters = z.union([z.string(), z.boolean(), z.null()]);

const SEPARATOR = '[,;\\s]';
const predictorNames = z.union([
  z.enum(PREDICTORS),
  z.string().regex(new RegExp(`^(?:${SEPARATOR}|${anyCase(PREDICTORS)}(?=${SEPARATOR}|$))*$`)),
  z.null(),
]);

/** Spreadsheet programs write integers like this. */
const POINT_ZERO = '(?:\\.0*)?';

const FIELD_SCHEMAS = {
  id: z
    .union([
      z.string().regex(cell('(?!\\.)[A-Za-z0-9._-]{1,64}')),
      z.number(),
      z.boolean(),
      z.null(),
    ])
    .meta({
      description:
        'Unique in the campaign: 1 to 64 characters of A-Z a-z 0-9 . _ - without a leading dot. If empty, it is generated from the name of the file, or from the row.',
      examples: ['aspirin'],
    }),
  kind: oneOf(KINDS).meta({
    description: 'Kind of the input; inferred if empty.',
    examples: ['molecule'],
  }),
  file: text.meta({
    description:
      'The input, as a path relative to the manifest. Fill exactly one of file, smiles and sequence, or none if remote_id is filled.',
    examples: ['files/caffeine.pdb', 'files/ubiquitin.nef'],
  }),
  smiles: letters.meta({
    description: 'A molecule, instead of a file. In YAML, quote one that begins with [ or *.',
    examples: ['CC(=O)Oc1ccccc1C(=O)O'],
  }),
  sequence: letters.meta({
    description: 'A protein sequence, plain or as FASTA text, instead of a file.',
    examples: ['MKVLAAGIVGLCAKAYWDEF', '>p1\nMKVLAAGIVGLCAKAYWDEF\n'],
  }),
  remote_id: z
    .union([z.string().regex(cell('(?!\\.+\\s*$)[\\w.~-]{1,200}')), z.number(), z.null()])
    .meta({
      description:
        'The id of a job that already exists at the service (request_id, hash_id): it is polled and never submitted. The input may then be empty, but kind is required.',
      examples: ['3f1c2a9e-5d0b-4c57-9a55-0d8f5f3c9b11'],
    }),
  predictors: z.union([predictorNames, z.array(predictorNames)]).meta({
    description: 'For sequences: a list, or names separated by commas, semicolons or blanks.',
    default: DEFAULT_PREDICTORS,
    examples: ['dynamine,psper', ['dynamine', 'psper']],
  }),
  charge_method: oneOf(CHARGE_METHODS).meta({
    description: 'For molecules: how partial charges are computed.',
    default: 'bcc',
    examples: ['gas'],
  }),
  net_charge: z
    .union([
      z.int().min(-999).max(999),
      z.string().regex(cell(`[-+\\u2212]?\\d{1,3}${POINT_ZERO}`)),
      z.null(),
    ])
    .meta({
      description: 'For molecules: an integer; if empty, the engine determines it.',
      default: null,
      examples: [0, -1, '+1'],
    }),
  atom_type: oneOf(ATOM_TYPES).meta({
    description: 'For molecules: the force field of the atom types.',
    default: 'gaff2',
    examples: ['amber'],
  }),
  model_class: z
    .union([
      z.enum(MODEL_CLASSES),
      z.literal(MODEL_CLASSES.map(Number)),
      z.string().regex(cell(`${anyCase(MODEL_CLASSES)}?${POINT_ZERO}`)),
      z.null(),
    ])
    .meta({
      description: 'For shifts: the model that is used.',
      default: '1',
      examples: ['2', 3],
    }),
  original_numbering: z
    .union([
      z.boolean(),
      z.literal([0, 1]),
      z.string().regex(cell(`${anyCase([...TRUE, ...FALSE])}?${POINT_ZERO}`)),
      z.null(),
    ])
    .meta({
      description: 'For shifts: keep the residue numbers of the file.',
      default: true,
      examples: [false, 'no'],
    }),
  email: z.union([z.string().regex(cell('[^\\s@,;]+@[^\\s@,;]+')), z.null()]).meta({
    description: 'For molecules: the service sends mail about the job to this address.',
    examples: ['me@example.org'],
  }),
  title: text.meta({
    description: "The job's display name at the service.",
    examples: ['Aspirin'],
  }),
} as const satisfies Record<Field, z.ZodType>;

const filled = (field: Field) => ({
  required: [field],
  properties: { [field]: { not: EMPTY } },
});

const EMPTY = { anyOf: [{ type: 'null' }, { type: 'string', pattern: BLANK }] };

/** Any other column is the user's own data. */
export const rowSchema = z
  .looseObject(FIELD_SCHEMAS)
  .partial()
  .meta({
    id: 'row',
    title: 'Row of a manifest of hundredfold',
    description: 'One input, one job. Columns with other names are your own data.',
    examples: [
      { id: 'aspirin', kind: 'molecule', smiles: 'CC(=O)Oc1ccccc1C(=O)O', project: 'analgesics' },
    ],
    // Exactly one input, or none if the row names a job.
    oneOf: [
      ...INPUT_FIELDS.map(filled),
      { ...filled('remote_id'), not: { anyOf: INPUT_FIELDS.map(filled) } },
    ],
  });

const rows = z.array(rowSchema).min(1);

export const manifestSchema = z
  .union([
    rows,
    z.looseObject({ items: rows.meta({ description: 'The rows.' }) }).meta({
      description: 'In YAML the rows may be under `items`.',
    }),
  ])
  .meta({
    title: 'Manifest of hundredfold',
    description: 'A list of rows; docs/manifest.md describes them.',
    examples: [[{ id: 'aspirin', smiles: 'CC(=O)Oc1ccccc1C(=O)O' }]],
  });
