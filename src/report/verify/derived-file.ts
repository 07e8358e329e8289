/**
 * Compares a derived file with what the items give now. The same tree gives the same bytes, so such a file is not
 * interpreted.
 */
import { parse } from 'csv-parse/sync';
import type { Store } from '../../store/store.ts';
import {
  differingGroups,
  type GroupDifference,
  lineGroups,
  readable,
  type LineGroup,
} from './compare-groups.ts';

/** A fault of a file; `about` is the key of the lines in question, '' for the whole file. */
export interface FileDifference {
  readonly type: GroupDifference['type'];
  readonly about: string;
  readonly message: string;
}

/** Maximum number of rows that are named. */
const NAMED = 20;

/** A table with a header, whose rows begin with the id of their item. */
export async function compareTable(
  store: Store,
  key: string,
  expected: AsyncIterable<Uint8Array>,
): Promise<readonly FileDifference[]> {
  const [made, found] = [await peeked(expected), await peeked(store.readStream(key))];
  const header = columnsOf(found.firstLine);
  const wanted = columnsOf(made.firstLine);
  if (header.join('\n') !== wanted.join('\n')) {
    await Promise.all([drain(made.all), drain(found.all)]);
    const message = `${key}, line 1: the columns are not those of its items (${header.join(', ')}).`;
    return [{ type: 'differs', about: '', message }];
  }
  const groups = [lineGroups(made.all, idOfRow), lineGroups(found.all, idOfRow)] as const;
  return named(differingGroups(...groups), (difference) => rowMessage(key, header, difference));
}

/** Lines whose subject `keyOf` reads: the crate, the checksums. */
export async function compareLines(
  store: Store,
  key: string,
  expected: AsyncIterable<Uint8Array>,
  { keyOf, message }: LineWords,
): Promise<readonly FileDifference[]> {
  const groups = [lineGroups(expected, keyOf), lineGroups(store.readStream(key), keyOf)] as const;
  return named(differingGroups(...groups), message);
}

interface LineWords {
  readonly keyOf: (line: string) => string;
  readonly message: (difference: GroupDifference) => string;
}

/** Byte by byte. */
export async function compareBytes(
  store: Store,
  key: string,
  expected: AsyncIterable<Uint8Array>,
): Promise<readonly FileDifference[]> {
  const found = store.readStream(key)[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();
  let differs = false;
  for await (const chunk of expected) {
    let at = 0;
    while (!differs && at < chunk.length) {
      if (rest.length === 0) {
        const next = await found.next();
        if (next.done === true) differs = true;
        else rest = next.value;
        continue;
      }
      const length = Math.min(rest.length, chunk.length - at);
      differs = Buffer.compare(rest.subarray(0, length), chunk.subarray(at, at + length)) !== 0;
      rest = rest.subarray(length);
      at += length;
    }
  }
  differs ||= rest.length > 0 || (await found.next()).done !== true;
  await found.return?.();
  const message = `${key} does not contain the rows of its items.`;
  return differs ? [{ type: 'differs', about: '', message }] : [];
}

async function named(
  differences: AsyncIterable<GroupDifference>,
  message: (difference: GroupDifference) => string,
): Promise<readonly FileDifference[]> {
  const all: FileDifference[] = [];
  for await (const difference of differences) {
    if (all.length === NAMED) continue;
    const about = readable(groupOf(difference).key);
    all.push({ type: difference.type, about, message: message(difference) });
  }
  return all;
}

/** The group of a difference. */
export function groupOf(difference: GroupDifference): LineGroup {
  return difference.type === 'missing' ? difference.expected : difference.found;
}

function rowMessage(file: string, header: readonly string[], difference: GroupDifference): string {
  const { key, line } = groupOf(difference);
  const item = readable(key);
  if (difference.type === 'missing') return `${file} lacks item ${item}.`;
  if (difference.type === 'extra') {
    return `${file}, line ${line}: ${item} does not belong there.`;
  }
  const { expected, found } = difference;
  if (found.lines.length !== expected.lines.length) {
    const [is, should] = [found.lines.length, expected.lines.length];
    return `${file}, line ${line}: ${item} has ${is} ${is === 1 ? 'row' : 'rows'}, not ${should}.`;
  }
  const at = found.lines.findIndex((text, n) => text !== expected.lines[n]);
  const [is, should] = [cellsOf(found.lines[at]), cellsOf(expected.lines[at])];
  const column = header.findIndex((_, n) => is[n] !== should[n]);
  const place = `${file}, line ${line + at}: ${item}`;
  // Only quotes or line ends differ.
  if (column < 0) return `${place} is formatted differently.`;
  return `${place} has ${JSON.stringify(is[column] ?? '')} for ${header[column]}, not ${JSON.stringify(should[column] ?? '')}.`;
}

/** Of one line: a row may continue on the next one, inside a quoted cell. */
function cellsOf(line = ''): readonly string[] {
  return parsedLine(line) ?? parsedLine(`${line}"`) ?? [readable(line)];
}

/** Null if it is not a row. */
function parsedLine(line: string): readonly string[] | null {
  try {
    const [row = []] = parse(readable(line));
    return row;
  } catch {
    return null;
  }
}

function columnsOf(firstLine: string): readonly string[] {
  return cellsOf(firstLine);
}

function idOfRow(line: string): string {
  const end = line.indexOf(',');
  return end < 0 ? line : line.slice(0, end);
}

interface Peeked {
  readonly firstLine: string;
  /** With the first line. */
  readonly all: AsyncIterable<Uint8Array>;
}

async function peeked(chunks: AsyncIterable<Uint8Array>): Promise<Peeked> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (!head.includes('\n')) {
    const next = await iterator.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  const [firstLine = ''] = head.toString('latin1').split('\n', 1);
  return { firstLine, all: followedBy(head, iterator) };
}

async function* followedBy(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

async function drain(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}
