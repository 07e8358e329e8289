/**
 * The words for the problems of manifests: code → severity, what is wrong, what to do. The facts of a problem are what
 * its words need. The words for the content of an input are those of its kind.
 */
import { list, suggestOr, formatShown } from '../domain/plain-text.ts';
import { error, warning } from '../domain/problem.ts';
import { listKinds, listKindNames } from '../kinds/registry.ts';

const UTF8 = 'Save it as UTF-8 (in a spreadsheet: "CSV UTF-8"; on a command line: iconv -t UTF-8).';

const listCellNames = (): string[] => listKinds().flatMap(({ input }) => input.column?.name ?? []);

function describeFormats(): string {
  return 'tables (.csv, .tsv, .jsonl, .json, .yaml, .yml), libraries (.smi, .sdf, .fasta) and single inputs (.pdb, .mol2, .mol, .nef, .str), each also as .gz';
}

export const MANIFEST_PROBLEMS = {
  MANIFEST_NOT_FOUND: error(
    'There is no such manifest.',
    'Check the path; it is relative to the current folder.',
  ),
  MANIFEST_UNREADABLE: error(
    ({ reason }: { reason: string }) => `The manifest cannot be read (${reason}).`,
    'Check that it is a regular file and that you can read it.',
  ),
  MANIFEST_FOLDER_EMPTY: error(
    ({ tables }: { tables: readonly string[] }) =>
      tables.length === 0
        ? 'The folder contains neither a manifest nor an input file.'
        : `The folder contains no manifest.*, but other tables: ${list(tables)}.`,
    ({ tables }) =>
      tables.length === 0
        ? 'Give a manifest file, or a folder that contains a manifest.csv or input files.'
        : "Give the tables that you mean as files, or all of them with a pattern: 'FOLDER/*.csv'.",
  ),
  MANIFEST_FOLDER_SKIPPED: warning(
    ({ count, names }: { count: number; names: readonly string[] }) =>
      count === 1
        ? `One entry of the folder is not an input and is skipped: ${list(names)}.`
        : `${String(count)} entries of the folder are not inputs and are skipped: ${list(names)}${count > names.length ? ', …' : '.'}`,
    'No action is needed if they are not inputs. Subfolders are not searched: name them, or use a pattern.',
  ),
  MANIFEST_FOLDER_AMBIGUOUS: error(
    ({ names }: { names: readonly string[] }) =>
      `The folder contains several manifests: ${list(names)}.`,
    'Give the one that you mean, or several of them, as files.',
  ),
  MANIFEST_PATTERN_EMPTY: error(
    'There is no such file, and as a pattern it matches nothing.',
    'Check the pattern; it is relative to the current folder, and case matters.',
  ),
  MANIFEST_FORMAT: error(
    ({ extension }: { extension: string }) =>
      extension === ''
        ? 'The file has no extension, so its format is unknown.'
        : `A file ending in ${formatShown(extension)} is neither a manifest nor an input.`,
    () => `Supported are ${describeFormats()}.`,
  ),
  MANIFEST_REPEATED: error(
    'The same file is given twice.',
    'Name each file once, by its name or by a pattern.',
  ),
  MANIFEST_EMPTY: error(
    'The manifest has no rows.',
    () =>
      `Write one row for each ${listKinds()
        .map(({ words }) => words.one)
        .join(', ')
        .replace(/, ([^,]*)$/, ' or $1')}.`,
  ),
  MANIFEST_TOO_LARGE: error(
    ({ format, limitMegabytes }: { format: string; limitMegabytes: number }) =>
      `A ${format} manifest may have up to ${String(limitMegabytes)} MB.`,
    'Divide it into several files, or write YAML and JSON as CSV or JSONL, which may be larger.',
  ),
  MANIFEST_NOT_UTF8: error(
    ({ encoding }: { encoding: string | null }) =>
      encoding === null
        ? 'This line has bytes that are neither UTF-8 nor a text in windows-1252.'
        : `The file is encoded in ${encoding}, not in UTF-8, and cannot be read completely.`,
    UTF8,
  ),
  MANIFEST_TRANSCODED: warning(
    ({ encoding }: { encoding: string }, value: string) =>
      value === ''
        ? `The file is encoded in ${encoding} instead of UTF-8; it was converted.`
        : `The file is not in UTF-8; it is read as ${encoding}, as in \`${value}\`.`,
    `If that looks wrong: ${UTF8.charAt(0).toLowerCase()}${UTF8.slice(1)}`,
  ),
  MANIFEST_GZIP: error(
    ({ reason }: { reason: string }) => `The gzip data are damaged (${reason}).`,
    'Download the file again; `gzip -t` checks it.',
  ),
  MANIFEST_SYNTAX: error(
    ({ format, reason }: { format: string; reason: string }) =>
      `This is not valid ${format}: ${formatShown(reason)}.`,
    ({ format }) =>
      format === 'CSV' || format === 'TSV'
        ? 'Close every double quote, and write a quote inside a quoted cell twice.'
        : `Correct the ${format}; what follows could not be read.`,
  ),
  MANIFEST_COLUMNS_MISSING: error(
    ({ found }: { found: readonly string[] }) =>
      `The first line names none of the columns ${list(['file', ...listCellNames()])} and \`remote_id\`; it has ${list(found)}.`,
    'The first line contains the column names, separated by commas or semicolons in .csv and by tabs in .tsv; one of these is needed.',
  ),
  MANIFEST_COLUMNS_TOO_MANY: error(
    ({ columns, limit }: { columns: number; limit: number }) =>
      `The first line names ${String(columns)} columns; a table may have up to ${String(limit)}.`,
    'Keep the columns that you need; the table may be transposed.',
  ),
  MANIFEST_COLUMN_REPEATED: error(
    ({ column }: { column: string }) => `The column \`${formatShown(column)}\` appears twice.`,
    'Give every column a unique name.',
  ),
  MANIFEST_COLUMN_TYPO: warning(
    ({ column }: { column: string; suggestion: string }) =>
      `The column \`${formatShown(column)}\` is unknown and kept as your own data.`,
    ({ suggestion }) => `Did you mean \`${suggestion}\`? If so, rename the column.`,
  ),
  MANIFEST_ROWS_TOO_MANY: error(
    ({ limit }: { limit: number }) => `There are more than ${limit.toLocaleString('en')} rows.`,
    'Run them as several campaigns: `split -l 50000 ligands.smi part-` cuts a list; the parts of a table each need its header line.',
  ),
  MANIFEST_ROW_LONG: error(
    ({ cells, columns }: { cells: number; columns: number }) =>
      `The row has ${String(cells)} cells, but the header has ${String(columns)} columns.`,
    'Put cells that contain a comma in double quotes, or separate predictors with `;`.',
  ),
  MANIFEST_ROW_SHIFTED: warning(
    (
      { cells, columns, cut, last }: { cells: number; columns: number; cut: string; last: string },
      value: string,
    ) =>
      `The row has ${String(cells)} cells, but the header has ${String(columns)} columns, and the last cell is empty: a comma in a cell without quotes moves all that follow it${cut === '' ? '' : `, perhaps after \`${formatShown(cut)}\``}; \`${formatShown(last)}\` is \`${value}\`.`,
    'Put a cell that contains a comma in double quotes, or remove the last comma of the row.',
  ),
  MANIFEST_ROW_SHORT: warning(
    ({ cells, columns }: { cells: number; columns: number }) =>
      `The row has ${String(cells)} cells, but the header has ${String(columns)} columns; the missing ones count as empty.`,
    'Check that the row is complete, and write an empty cell for each value that you leave out.',
  ),
  MANIFEST_ROW_QUOTES: error(
    (_: unknown, value: string) => `The quotes in this row are not balanced: ${value}`,
    'Close every double quote before the comma, write a quote inside a quoted cell twice, and put no space before the first one.',
  ),
  MANIFEST_ROW_NOT_OBJECT: error(
    ({ found }: { found: string }) =>
      `A row is a mapping of column names to values; this is ${found}.`,
    'Write rows like {"id": "ethanol", "smiles": "CCO"}.',
  ),
  MANIFEST_VALUE_NESTED: error(
    ({ column }: { column: string }) => `\`${column}\` contains a list or a mapping, not text.`,
    'Write a single text; in YAML, quote a value that begins with [ or {, as in "[NH4+]".',
  ),
  MANIFEST_ROW_CHANGED: error(
    ({
      column,
      was,
      is,
      place,
      state,
    }: {
      column: string;
      was: string;
      is: string;
      place: string;
      state: string;
    }) =>
      `This campaign already has the row, with another \`${formatShown(column)}\`: it was \`${formatShown(was)}\` (${formatShown(place)}; ${state}), now it is \`${formatShown(is)}\`.`,
    'Give the changed row a new id, restore the previous value, or start another campaign with --name.',
  ),
  MANIFEST_ID_INVALID: error(
    (_: unknown, value: string) => `\`${value}\` cannot be an id: it becomes the name of a folder.`,
    'Use 1 to 64 letters, digits, dots, dashes and underscores, without a leading dot; or leave it empty.',
  ),
  MANIFEST_ID_DUPLICATE: error(
    ({ first }: { first: string }, value: string) =>
      `The id \`${value}\` is already used at ${first}.`,
    'Ids must be unique in all manifests of a campaign: rename one of the two.',
  ),
  MANIFEST_ID_CASE: warning(
    ({ first }: { first: string }, value: string) =>
      `The id \`${value}\` differs from the one at ${first} only in case.`,
    'Rename one of them if the output may be stored on a case-insensitive disk (macOS, Windows).',
  ),
  MANIFEST_KIND_UNKNOWN: error(
    (_: { suggestion: string | null }, value: string) => `\`${value}\` is not a kind.`,
    ({ suggestion }) => suggestOr(suggestion, `Kinds are ${list(listKindNames())}.`),
  ),
  MANIFEST_KIND_UNCLEAR: error(
    ({ reason }: { reason: string }) => `The kind cannot be inferred from the input: ${reason}.`,
    () => `Set \`kind\` to one of ${list(listKindNames())}.`,
  ),
  MANIFEST_INPUT_MISSING: error(
    (_: { kind: string | null }) => 'The row has no input.',
    ({ kind }) => {
      if (kind === null) return `Fill in one of ${list(['file', ...listCellNames()])}.`;
      const own = listKinds().find(({ name }) => name === kind)?.input.column?.name;
      return own === undefined ? 'Fill in `file`.' : `Fill in \`${own}\` or \`file\`.`;
    },
  ),
  MANIFEST_REMOTE_ID_INVALID: error(
    (_: unknown, value: string) => `\`${value}\` cannot be the id of a job.`,
    'Write only the `request_id` or `hash_id`, without the rest of its URL: up to 200 letters, digits, dashes, dots, underscores and tildes.',
  ),
  MANIFEST_REMOTE_ID_DUPLICATE: error(
    ({ first }: { first: string }, value: string) =>
      `The job \`${value}\` is already adopted at ${first}.`,
    'Keep one of the two rows: a job becomes one item.',
  ),
  MANIFEST_INPUT_REPEATED: error(
    ({ columns }: { columns: readonly string[] }) =>
      `The row has several inputs: ${list(columns)}.`,
    'Keep one of them; a row is one job.',
  ),
  MANIFEST_INPUT_OF_OTHER_KIND: error(
    ({ column, kind }: { column: string; kind: string }) =>
      `\`${column}\` is not an input of the kind \`${kind}\`.`,
    ({ column }) => {
      const kind =
        listKinds().find(({ input }) => input.column?.name === column)?.name ?? 'another kind';
      return `Set \`kind\` to \`${kind}\`, or use another input.`;
    },
  ),
  MANIFEST_OPTION_UNUSED: warning(
    ({ column, kind }: { column: string; kind: string }) =>
      `\`${column}\` does not apply to the kind \`${kind}\` and is ignored.`,
    'Leave the cell empty.',
  ),
  MANIFEST_OPTION_INVALID: error(
    (
      { column }: { column: string; allowed: readonly string[]; suggestion: string | null },
      value: string,
    ) => `\`${value}\` is not a value of \`${column}\`.`,
    ({ allowed, suggestion }) =>
      suggestOr(suggestion, `Allowed are ${list(allowed)}, or an empty cell for the default.`),
  ),
  MANIFEST_EMAIL_INVALID: error(
    (_: unknown, value: string) => `\`${value}\` is not an e-mail address.`,
    'Write one address like name@example.org, or leave the cell empty.',
  ),
  MANIFEST_FILE_OUTSIDE: error(
    (_: unknown, value: string) => `\`${value}\` is outside the folder of the manifest.`,
    'Copy the file beside the manifest, or pass --allow-outside if you trust it.',
  ),
  MANIFEST_FILE_NOT_FOUND: error(
    (_: unknown, value: string) => `There is no file \`${value}\`.`,
    'Paths are relative to the folder of the manifest and use `/`; case matters.',
  ),
  MANIFEST_FILE_UNREADABLE: error(
    ({ reason }: { reason: string }, value: string) => `\`${value}\` cannot be read (${reason}).`,
    'Check the permissions of the file, and that its disk works.',
  ),
  MANIFEST_FILE_NOT_REGULAR: error(
    (_: unknown, value: string) => `\`${value}\` is not a regular file.`,
    'Use a regular file: a folder or a device cannot be an input.',
  ),
  MANIFEST_FILE_EMPTY: error(
    (_: unknown, value: string) => `\`${value}\` is empty.`,
    'Download or export the file again.',
  ),
  MANIFEST_FILE_TOO_LARGE: error(
    ({ bytes, limitMegabytes }: { bytes: number; limitMegabytes: number }, value: string) =>
      `\`${value}\` has ${String(Math.ceil(bytes / 1e6))} MB; an input may have up to ${String(limitMegabytes)} MB.`,
    'Keep only the one input that you mean.',
  ),
  MANIFEST_FILE_NOT_UTF8: error(
    ({ line }: { line: number }, value: string) =>
      `\`${value}\` has bytes in line ${String(line)} that are not UTF-8.`,
    UTF8,
  ),
  MANIFEST_FILE_TYPE: error(
    ({ extension }: { extension: string; allowed: readonly string[] }, value: string) =>
      extension === ''
        ? `\`${value}\` has no extension, so its format is not known.`
        : `\`${value}\` ends in \`${formatShown(extension)}\`, which is not an input of this kind.`,
    ({ allowed }) => `Convert it to one of ${list(allowed)}.`,
  ),
};
