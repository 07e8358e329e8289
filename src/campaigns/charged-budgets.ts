/** What is charged to the budgets now. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readBudgets } from '../activities/budget-status.ts';
import type { BudgetStatus } from '../budget/status.ts';
import type { Settings } from '../config/settings.ts';
import type { Environment } from '../domain/environment.ts';
import { inSession } from './in-session.ts';

/** False where no Temporal was ever used: nothing can be charged, and no server is started to find that out. */
export function mayBeCharged({ temporal, embeddedDir }: Settings): boolean {
  return temporal !== null || existsSync(join(embeddedDir, 'temporal.db'));
}

/** @throws HundredfoldError where it cannot be asked */
export async function chargedBudgets(
  settings: Settings,
  environment: Environment,
): Promise<readonly BudgetStatus[]> {
  return inSession({ settings, environment, purpose: 'look' }, ({ client }) => readBudgets(client));
}
