/** Ledgers on one file, with a clock that the test sets. */
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Account, ReservationRequest } from '../../src/ledger/rows.ts';
import { policyOf } from '../policy.ts';
import type { Moment, SteadyClock } from '../../src/ledger/steady-clock.ts';

export const ACCOUNT: Account = {
  service: 'predictions',
  address: 'host/predictions',
  credential: 'c0ffee00',
};

export const WINDOW_MS = 60_000;

/** Elapsed time, and a wall clock that can be set. */
export class TestClock implements SteadyClock {
  run = 'run 1';
  steadyMs = 1_000_000;
  wallMs = Date.UTC(2026, 0, 1);

  now(): Moment {
    const { run, steadyMs, wallMs } = this;
    return { run, steadyMs, wallMs };
  }

  pass(ms: number): void {
    this.steadyMs += ms;
    this.wallMs += ms;
  }

  set(wallMs: number): void {
    this.wallMs = wallMs;
  }

  /** The machine is restarted after it was off for `ms`. */
  restart(ms: number): void {
    this.run = `run ${randomUUID()}`;
    this.wallMs += ms;
    this.steadyMs = 20_000;
  }
}

export function submission(
  claim: string,
  limit: number | null,
  account: Partial<Account> = {},
): ReservationRequest {
  return { ...ACCOUNT, ...account, claim, windows: policyOf(limit, WINDOW_MS).windows };
}

/** What is charged, in the order of its rows. */
export function readCharges({
  path,
}: Ledger): { readonly claim: string; readonly state: string }[] {
  const database = new DatabaseSync(path);
  try {
    return database.prepare('SELECT claim, state FROM charges ORDER BY rowid').all() as ReturnType<
      typeof readCharges
    >;
  } finally {
    database.close();
  }
}
