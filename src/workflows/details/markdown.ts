/** Markdown for the Temporal UI, from texts that anybody may have written. Pure. */

/** No text is longer, in characters: what the Temporal UI takes ends at 20 kB, and a line should be read at a glance. */
const LONGEST = 300;

/**
 * A text that is not ours, as code: in there markdown knows no links, pictures or HTML, not even an address that it
 * would make a link of by itself. On one line, and without the `|` that would end the cell of a table.
 */
export function verbatim(text: string, longest = LONGEST): string {
  const line = oneLine(text, longest).replaceAll('|', '¦');
  if (line === '') return '—';
  // A fence is longer than any that the text has, and apart from it.
  const longestRun = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longestRun + 1);
  const gap = longestRun > 0 ? ' ' : '';
  return `${fence}${gap}${line}${gap}${fence}`;
}

/** Line ends, other control characters, and those that turn the direction of writing. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Without line ends, and cut by whole characters: half of a pair is none. */
export function oneLine(text: string, longest = LONGEST): string {
  const line = text.replaceAll(UNSEEN, ' ').trim();
  const characters = [...line];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : line;
}

interface Column {
  readonly title: string;
  /** Numbers stand at the right. */
  readonly numbers?: boolean;
}

/** The cells are markdown: what is not ours in them has gone through `verbatim`. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const rule = columns.map(({ numbers }) => (numbers ? '---:' : '---')).join(' | ');
  const [head, ...body] = [columns.map(({ title }) => title), ...rows].map(
    (cells) => `| ${cells.join(` | ${GAP}`)} |`,
  );
  return [head, `| ${rule} |`, ...body].join('\n');
}

/** The Temporal UI sets the columns of a table without any space between them. */
const GAP = '\u00a0\u00a0';

/** Blocks that are there, with a blank line between. */
export function blocks(...parts: readonly (string | null | false)[]): string {
  return parts.filter(Boolean).join('\n\n');
}

/** The largest of named counts first, and in one row what is left of them, so that many names stay readable. */
export function largest(
  counts: Readonly<Record<string, number>>,
  most: number,
): { readonly shown: readonly (readonly [string, number])[]; readonly others: number } {
  const sorted = Object.entries(counts).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const others = sorted.slice(most).reduce((sum, [, n]) => sum + n, 0);
  return { shown: sorted.slice(0, most), others };
}
