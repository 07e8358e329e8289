/** Numbers and times for display. */
import type { ItemTable, Kind } from '../../src/report/page-data.ts';

/** The words for a kind; its name if the report says no more. */
export function findKindWords(table: Pick<ItemTable, 'kinds'>, kind: Kind | null | undefined) {
  const name = kind ?? 'item';
  return table.kinds.find((one) => one.name === name) ?? { one: name, many: name };
}

/** The colour of a kind. */
export function chooseKindColour({ kinds }: Pick<ItemTable, 'kinds'>, kind: Kind): string {
  return chooseSeriesColour(kinds.findIndex(({ name }) => name === kind));
}

/** The colours of series in plots, as in the style sheet; the seventh is the first again. */
export const SERIES = 6;

export function chooseSeriesColour(place: number): string {
  return `var(--series-${(Math.max(0, place) % SERIES) + 1})`;
}

const GROUPED = new Intl.NumberFormat('en-US');

/** `10,000`. */
export function countText(count: number): string {
  return GROUPED.format(count);
}

/** `1 item`, `10,000 items`. */
export function formatCount(count: number, one: string): string {
  return `${countText(count)} ${count === 1 ? one : `${one}s`}`;
}

/** `2026-11-21 23:21 UTC`: the same for every reader, as in the tables. */
export function formatDate(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

/** With seconds, for one item. */
export function formatMoment(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

/** `0.8 s`, `12 s`, `3 min 5 s`, `2 h 14 min`, `2 d 3 h`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 99.5) return `${seconds.toFixed(0)} s`;
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3_600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

/** `540 kB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const [size, unit] = bytes < 1e6 ? [bytes / 1e3, 'kB'] : [bytes / 1e6, 'MB'];
  return `${size < 10 ? size.toFixed(1) : size.toFixed(0)} ${unit}`;
}

/** `−0.64`, with a typographic minus sign. */
export function formatSigned(value: number, decimals: number): string {
  const text = Math.abs(value).toFixed(decimals);
  if (Number(text) === 0) return text;
  return value < 0 ? `−${text}` : `+${text}`;
}
