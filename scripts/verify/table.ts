/** The table of `npm run verify:engines`, for people. Pure. */
import type { VerifiedRow } from './row.ts';

const WIDTHS = { same: 7, recorded: 20, now: 20, seconds: 7 } as const;

export const TITLES = text('', 'recorded', 'now', 'seconds', 'run; detail');

function text(same: string, recorded: string, now: string, seconds: string, rest: string): string {
  return [
    same.padEnd(WIDTHS.same),
    recorded.padEnd(WIDTHS.recorded),
    now.padEnd(WIDTHS.now),
    seconds.padStart(WIDTHS.seconds),
    ` ${rest}`,
  ].join(' ');
}

export function line(row: VerifiedRow): string {
  const { key, recorded, now, same, detail, service, seconds } = row;
  const rest = [key, detail, ...(service === '' ? [] : [`service: ${service}`])].join('; ');
  return text(same ? 'same' : 'DIFFERS', recorded, now, seconds.toFixed(1), rest);
}

/** @param all the number of runs from which these were chosen */
export function summary(rows: readonly VerifiedRow[], all: number): string {
  const differ = rows.filter(({ same }) => !same);
  const stopped = rows.filter(({ service }) => service !== '').length;
  return [
    `${rows.length} of ${all} runs compared: ${rows.length - differ.length} same, ${differ.length} differ.`,
    `${stopped} successes of an engine that the service lets fail.`,
    ...differ.map((row) => `differs: ${row.key}: ${row.recorded} → ${row.now}; ${row.detail}`),
  ].join('\n');
}
