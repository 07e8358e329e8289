/** `hundredfold budget --charges`: the submissions in the ledger of this machine, one by one. */
import type { ListedCharge } from '../../ledger/charge-list.ts';
import { lookIntoLedger } from '../../ledger/look.ts';

const TIMES = ['sentAt', 'answeredAt', 'countsFrom', 'releasedAt'] as const;

/** As printed: times in ISO 8601, UTC. */
export type PrintedCharge = Omit<ListedCharge, (typeof TIMES)[number]> &
  Readonly<Record<(typeof TIMES)[number], string | null>>;

/** Empty if nothing was sent from this machine. Creates no file. @throws HundredfoldError `LEDGER_UNUSABLE` */
export function readCharges(environment: NodeJS.ProcessEnv): readonly PrintedCharge[] {
  return lookIntoLedger(environment, (ledger) => ledger.list().map(printed)) ?? [];
}

function printed(charge: ListedCharge): PrintedCharge {
  const { sentAt, answeredAt, countsFrom, releasedAt, ...same } = charge;
  const iso = (ms: number | null): string | null =>
    ms === null ? null : new Date(ms).toISOString();
  return {
    ...same,
    sentAt: iso(sentAt),
    answeredAt: iso(answeredAt),
    countsFrom: iso(countsFrom),
    releasedAt: iso(releasedAt),
  };
}

const COLUMNS = [
  ...['service', 'address', 'credential', 'source', 'state', 'counts'],
  ...['remoteId', ...TIMES],
] as readonly (keyof PrintedCharge)[];

/** With a header; `-` for unknown values. */
export function chargeLines(charges: readonly PrintedCharge[]): readonly string[] {
  const rows = charges.map((charge) => COLUMNS.map((column) => cell(charge[column])));
  return [[...COLUMNS], ...rows].map((cells) => cells.join('\t'));
}

function cell(value: string | boolean | null): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value ?? '-';
}
