/**
 * The part of the registry for the manifest itself: its files, rows, columns and values.
 */
import { KINDS, PREDICTORS } from '../../domain/item.ts';
import { ALL_KINDS } from '../../kinds/registry.ts';
import type { FindingCode } from '../../inputs/finding.ts';
import type { Facts, ProblemCode } from './facts.ts';
import { FILE_PROBLEMS, UTF8 } from './file-problems.ts';
import { list, shown } from './show.ts';
import type { ProblemWording } from './wording.ts';

const FORMATS =
  'tables (.csv, .tsv, .jsonl, .json, .yaml, .yml), libraries (.smi, .sdf, .fasta) and single inputs (.pdb, .mol2, .mol, .nef, .str), each also as .gz';

function orSuggest(suggestion: string | null, otherwise: string): string {
  return suggestion === null ? otherwise : `Did you mean \`${suggestion}\`? ${otherwise}`;
}

/** The kinds whose input may stand in a cell of its own. */
const CELLS = ALL_KINDS.flatMap(({ name, input }) =>
  input.column === null ? [] : [{ name, cell: input.column.name }],
);

export const MANIFEST_PROBLEMS: {
  readonly [C in Exclude<ProblemCode, FindingCode>]: ProblemWording<Facts[C]>;
} = {
  MANIFEST_NOT_FOUND: {
    severity: 'error',
    message: () => 'There is no such manifest.',
    remedy: () => 'Check the path; it is relative to the current folder.',
  },
  MANIFEST_UNREADABLE: {
    severity: 'error',
    message: ({ reason }) => `The manifest cannot be read (${reason}).`,
    remedy: () => 'Check that it is a regular file and that you can read it.',
  },
  MANIFEST_FOLDER_EMPTY: {
    severity: 'error',
    message: ({ tables }) =>
      tables.length === 0
        ? 'The folder contains neither a manifest nor an input file.'
        : `The folder contains no manifest.*, but other tables: ${list(tables)}.`,
    remedy: ({ tables }) =>
      tables.length === 0
        ? 'Give a manifest file, or a folder that contains a manifest.csv or input files.'
        : "Give the tables that you mean as files, or all of them with a pattern: 'FOLDER/*.csv'.",
  },
  MANIFEST_FOLDER_SKIPPED: {
    severity: 'warning',
    message: ({ count, names }) =>
      count === 1
        ? `One entry of the folder is not an input and is skipped: ${list(names)}.`
        : `${String(count)} entries of the folder are not inputs and are skipped: ${list(names)}${count > names.length ? ', …' : '.'}`,
    remedy: () =>
      'No action is needed if they are not inputs. Subfolders are not searched: name them, or use a pattern.',
  },
  MANIFEST_FOLDER_AMBIGUOUS: {
    severity: 'error',
    message: ({ names }) => `The folder contains several manifests: ${list(names)}.`,
    remedy: () => 'Give the one that you mean, or several of them, as files.',
  },
  MANIFEST_PATTERN_EMPTY: {
    severity: 'error',
    message: () => 'There is no such file, and as a pattern it matches nothing.',
    remedy: () => 'Check the pattern; it is relative to the current folder, and case matters.',
  },
  MANIFEST_FORMAT: {
    severity: 'error',
    message: ({ extension }) =>
      extension === ''
        ? 'The file has no extension, so its format is unknown.'
        : `A file ending in ${shown(extension)} is neither a manifest nor an input.`,
    remedy: () => `Supported are ${FORMATS}.`,
  },
  MANIFEST_REPEATED: {
    severity: 'error',
    message: () => 'The same file is given twice.',
    remedy: () => 'Name each file once, by its name or by a pattern.',
  },
  MANIFEST_EMPTY: {
    severity: 'error',
    message: () => 'The manifest has no rows.',
    remedy: () => 'Write one row for each molecule, sequence, alignment or shift file.',
  },
  MANIFEST_TOO_LARGE: {
    severity: 'error',
    message: ({ limitMegabytes }) => `A YAML manifest may have up to ${String(limitMegabytes)} MB.`,
    remedy: () => 'Use CSV or JSONL for tables of this size: they are read row by row.',
  },
  MANIFEST_NOT_UTF8: {
    severity: 'error',
    message: ({ encoding }) =>
      encoding === null
        ? 'This line has bytes that are neither UTF-8 nor a text in windows-1252.'
        : `The file is encoded in ${encoding}, not in UTF-8, and cannot be read completely.`,
    remedy: () => UTF8,
  },
  MANIFEST_TRANSCODED: {
    severity: 'warning',
    message: ({ encoding }, value) =>
      value === ''
        ? `The file is in ${encoding}, not in UTF-8, and is read as such.`
        : `The file is not in UTF-8; it is read as ${encoding}, as in \`${value}\`.`,
    remedy: () => `If that looks wrong: ${UTF8.charAt(0).toLowerCase()}${UTF8.slice(1)}`,
  },
  MANIFEST_GZIP: {
    severity: 'error',
    message: ({ reason }) => `The gzip data are damaged (${reason}).`,
    remedy: () => 'Download the file again; `gzip -t` checks it.',
  },
  MANIFEST_GZIP_SWOLLEN: {
    severity: 'error',
    message: ({ megabytes }) =>
      `The gzip data expand more than 200-fold, to ${String(megabytes)} MB or more, which is not usual for a table.`,
    remedy: () => 'If the file is right, unpack it (`gunzip`) and use the unpacked file.',
  },
  MANIFEST_SYNTAX: {
    severity: 'error',
    message: ({ format, reason }) => `This is not valid ${format}: ${shown(reason)}.`,
    remedy: ({ format }) =>
      format === 'CSV' || format === 'TSV'
        ? 'Close every double quote, and write a quote inside a quoted cell twice.'
        : `Correct the ${format}; what follows could not be read.`,
  },
  MANIFEST_COLUMNS_MISSING: {
    severity: 'error',
    message: ({ found }) =>
      `The first line names none of the columns \`file\`, \`smiles\`, \`sequence\` and \`remote_id\`; it has ${list(found)}.`,
    remedy: () =>
      'The first line contains the column names, separated by commas or semicolons in .csv and by tabs in .tsv; one of the four is needed.',
  },
  MANIFEST_COLUMNS_TOO_MANY: {
    severity: 'error',
    message: ({ columns, limit }) =>
      `The first line names ${String(columns)} columns; a table may have up to ${String(limit)}.`,
    remedy: () => 'Keep the columns that you need; the table may be transposed.',
  },
  MANIFEST_COLUMN_REPEATED: {
    severity: 'error',
    message: ({ column }) => `The column \`${shown(column)}\` appears twice.`,
    remedy: () => 'Give every column a unique name.',
  },
  MANIFEST_COLUMN_TYPO: {
    severity: 'warning',
    message: ({ column }) =>
      `The column \`${shown(column)}\` is unknown and kept as your own data.`,
    remedy: ({ suggestion }) => `Did you mean \`${suggestion}\`? If so, rename the column.`,
  },
  MANIFEST_ROWS_TOO_MANY: {
    severity: 'error',
    message: ({ limit }) => `There are more than ${limit.toLocaleString('en')} rows.`,
    remedy: () =>
      'Run them as several campaigns: `split -l 50000 ligands.smi part-` cuts a list; the parts of a table each need its header line.',
  },
  MANIFEST_ROW_LONG: {
    severity: 'error',
    message: ({ cells, columns }) =>
      `The row has ${String(cells)} cells, but the header has ${String(columns)} columns.`,
    remedy: () =>
      'Put cells that contain a comma in double quotes, or separate predictors with `;`.',
  },
  MANIFEST_ROW_SHORT: {
    severity: 'warning',
    message: ({ cells, columns }) =>
      `The row has ${String(cells)} cells, but the header has ${String(columns)} columns; the missing ones count as empty.`,
    remedy: () =>
      'Check that the row is complete, and write an empty cell for each value that you leave out.',
  },
  MANIFEST_ROW_QUOTES: {
    severity: 'error',
    message: (_, value) => `The quotes in this row are not balanced: ${value}`,
    remedy: () =>
      'Close every double quote before the comma, write a quote inside a quoted cell twice, and put no space before the first one.',
  },
  MANIFEST_ROW_NOT_OBJECT: {
    severity: 'error',
    message: ({ found }) => `A row is a mapping of column names to values; this is ${found}.`,
    remedy: () => 'Write rows like {"id": "ethanol", "smiles": "CCO"}.',
  },
  MANIFEST_VALUE_NESTED: {
    severity: 'error',
    message: ({ column }) => `\`${column}\` contains a list or a mapping, not text.`,
    remedy: () =>
      'Write a single text; in YAML, quote a value that begins with [ or {, as in "[NH4+]".',
  },
  MANIFEST_ROW_CHANGED: {
    severity: 'error',
    message: ({ column, was, is, place, state }) =>
      `This campaign already has the row, with another \`${shown(column)}\`: it was \`${shown(was)}\` (${shown(place)}; ${state}), now it is \`${shown(is)}\`.`,
    remedy: () =>
      'Give the changed row a new id, restore the previous value, or start another campaign with --name.',
  },
  MANIFEST_ID_INVALID: {
    severity: 'error',
    message: (_, value) => `\`${value}\` cannot be an id: it becomes the name of a folder.`,
    remedy: () =>
      'Use 1 to 64 letters, digits, dots, dashes and underscores, without a leading dot; or leave it empty.',
  },
  MANIFEST_ID_DUPLICATE: {
    severity: 'error',
    message: ({ first }, value) => `The id \`${value}\` is already used at ${first}.`,
    remedy: () => 'Ids must be unique in all manifests of a campaign: rename one of the two.',
  },
  MANIFEST_ID_CASE: {
    severity: 'warning',
    message: ({ first }, value) =>
      `The id \`${value}\` differs from the one at ${first} only in case.`,
    remedy: () =>
      'Rename one of them if the output may be stored on a case-insensitive disk (macOS, Windows).',
  },
  MANIFEST_KIND_UNKNOWN: {
    severity: 'error',
    message: (_, value) => `\`${value}\` is not a kind.`,
    remedy: ({ suggestion }) => orSuggest(suggestion, `Kinds are ${list(KINDS)}.`),
  },
  MANIFEST_KIND_UNCLEAR: {
    severity: 'error',
    message: ({ reason }) => `The kind cannot be inferred from the input: ${reason}.`,
    remedy: () => `Set \`kind\` to one of ${list(KINDS)}.`,
  },
  MANIFEST_INPUT_MISSING: {
    severity: 'error',
    message: () => 'The row has no input.',
    remedy: ({ kind }) => {
      if (kind === null)
        return `Fill in one of ${list(['file', ...CELLS.map(({ cell }) => cell)])}.`;
      const own = CELLS.find(({ name }) => name === kind)?.cell;
      return own === undefined ? 'Fill in `file`.' : `Fill in \`${own}\` or \`file\`.`;
    },
  },
  MANIFEST_REMOTE_ID_INVALID: {
    severity: 'error',
    message: (_, value) => `\`${value}\` cannot be the id of a job.`,
    remedy: () =>
      'Write only the `request_id` or `hash_id`, without the rest of its URL: up to 200 letters, digits, dashes, dots, underscores and tildes.',
  },
  MANIFEST_REMOTE_ID_DUPLICATE: {
    severity: 'error',
    message: ({ first }, value) => `The job \`${value}\` is already adopted at ${first}.`,
    remedy: () => 'Keep one of the two rows: a job becomes one item.',
  },
  MANIFEST_INPUT_REPEATED: {
    severity: 'error',
    message: ({ columns }) => `The row has several inputs: ${list(columns)}.`,
    remedy: () => 'Keep one of them; a row is one job.',
  },
  MANIFEST_INPUT_OF_OTHER_KIND: {
    severity: 'error',
    message: ({ column, kind }) => `\`${column}\` is not an input of the kind \`${kind}\`.`,
    remedy: ({ column }) => {
      const kind = CELLS.find(({ cell }) => cell === column)?.name ?? 'another kind';
      return `Set \`kind\` to \`${kind}\`, or use another input.`;
    },
  },
  MANIFEST_OPTION_UNUSED: {
    severity: 'warning',
    message: ({ column, kind }) =>
      `\`${column}\` does not apply to the kind \`${kind}\` and is ignored.`,
    remedy: () => 'Leave the cell empty.',
  },
  MANIFEST_OPTION_INVALID: {
    severity: 'error',
    message: ({ column }, value) => `\`${value}\` is not a value of \`${column}\`.`,
    remedy: ({ allowed, suggestion }) =>
      orSuggest(suggestion, `Allowed are ${list(allowed)}, or an empty cell for the default.`),
  },
  MANIFEST_CHARGE_METHOD_BBC: {
    severity: 'error',
    message: () =>
      '`bbc` is not a charge method, but a misspelling of `bcc` in the examples of the service; the job would fail.',
    remedy: () => 'Write `bcc` (AM1-BCC), or leave the cell empty.',
  },
  MANIFEST_NET_CHARGE_INVALID: {
    severity: 'error',
    message: (_, value) => `\`${value}\` is not a net charge.`,
    remedy: () => 'Write a whole number like -1, 0 or +1, or leave the cell empty for automatic.',
  },
  MANIFEST_PREDICTOR_UNKNOWN: {
    severity: 'error',
    message: ({ name }) => `\`${shown(name)}\` is not a predictor.`,
    remedy: ({ suggestion }) => orSuggest(suggestion, `Predictors are ${list(PREDICTORS)}.`),
  },
  MANIFEST_EMAIL_INVALID: {
    severity: 'error',
    message: (_, value) => `\`${value}\` is not an e-mail address.`,
    remedy: () => 'Write one address like name@example.org, or leave the cell empty.',
  },
  ...FILE_PROBLEMS,
};
