/**
 * Why CSV manifests have their own reader (docs/decisions.md): what csv-parse returns for tables that users write. If a
 * test fails after an upgrade of csv-parse, the reader may no longer be needed.
 */
import { parse, type Options } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { DelimitedRows, type DelimitedRow } from '../../src/manifest/readers/delimited-rows.ts';

/** Its result with the options `info` and `raw`. */
interface Parsed {
  readonly info: { readonly lines: number };
  readonly raw: string;
  readonly record: readonly string[];
}

function byCsvParse(text: string, options: Options = {}): readonly Parsed[] {
  const known = { info: true, raw: true, bom: true, relax_column_count: true };
  const rows: unknown = parse(text, { ...known, record_delimiter: ['\r\n', '\n'], ...options });
  return rows as readonly Parsed[];
}

function byOurReader(text: string): readonly DelimitedRow[] {
  const rows = new DelimitedRows(',');
  return [...rows.take(text), ...rows.end()];
}

describe('a quote that closes before the end of its cell', () => {
  const text = 'id,smiles\na,C\nb,"CC"O\nc,CCC\nd,CCCC\n';

  test('stops csv-parse, so that later rows are not checked', () => {
    expect(() => byCsvParse(text)).toThrow('Invalid Closing Quote');
  });

  test('makes csv-parse lose rows with skip_records_with_error', () => {
    const ids = byCsvParse(text, { skip_records_with_error: true }).map(({ record }) => record[0]);
    expect(ids).not.toContain('c');
  });

  test('is accepted by csv-parse with relax_quotes, as if it were correctly quoted', () => {
    const correct = text.replace('"CC"O', '"""CC""O"');
    const records = (table: string) =>
      byCsvParse(table, { relax_quotes: true }).map(({ record }) => record);
    expect(records(text)).toEqual(records(correct));
  });

  test('is reported by our reader, which continues with the next row', () => {
    const rows = byOurReader(text);
    expect(rows.map(({ misquoted }) => misquoted)).toEqual([null, null, '"CC"O', null, null]);
    expect(rows.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('a CRLF inside quotes', () => {
  const text = 'id,note\r\na,"x\r\ny"\r\nb,z\r\n';

  test('counts as two lines in csv-parse, so that the row after it gets a wrong line number', () => {
    expect(byCsvParse(text).at(-1)).toMatchObject({ record: ['b', 'z'], info: { lines: 5 } });
  });

  test('counts as one line in our reader', () => {
    expect(byOurReader(text).at(-1)).toMatchObject({ cells: ['b', 'z'], line: 4 });
  });
});
