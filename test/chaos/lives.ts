/**
 * A row whose files were removed, or that is run into another folder, starts again: its previous job is unknown. The
 * number of such lives of each row of a plan limits its number of jobs.
 */
import { expect } from 'vitest';
import type { JournalEntry } from '../../src/local-services/journal.ts';
import type { Plan } from './plan.ts';

/** By id: ids are unique in a plan. */
export function livesOf({ campaigns, events, encores }: Plan): ReadonlyMap<string, number> {
  const lives = new Map(campaigns.flatMap(({ rows }) => rows.map(({ id }) => [id, 1])));
  const begin = (campaign: string | undefined, item: string | null) => {
    for (const { id } of campaigns.find(({ name }) => name === campaign)?.rows ?? []) {
      if (item === null || item === id) lives.set(id, (lives.get(id) ?? 0) + 1);
    }
  };
  for (const event of events) if (event.do === 'remove') begin(event.campaign, event.item);
  for (const { item } of encores) begin(campaigns[0]?.name, item);
  return lives;
}

/** At most one job in each life of an item: by name if jobs have names, otherwise by their number. */
export function atMostOneJobALife(plan: Plan, journal: readonly JournalEntry[]): void {
  const lives = livesOf(plan);
  const accepted = journal.filter((entry) => entry.accepted);
  const names = Map.groupBy(
    accepted.flatMap(({ jobName }) => jobName ?? []),
    idIn,
  );
  const tooMany = [...names].filter(([id, of]) => of.length > (lives.get(id) ?? 0));
  expect(tooMany, 'names accepted more often than their item has lived').toEqual([]);
  for (const service of ['molecules', 'predictions'] as const) {
    const rows = plan.campaigns.flatMap((campaign) => campaign.rows);
    const own = rows.filter(({ kind }) => (kind === 'molecule') === (service === 'molecules'));
    const most = own.reduce((sum, { id }) => sum + (lives.get(id) ?? 0), 0);
    const jobs = accepted.filter((entry) => entry.service === service);
    expect(jobs.length, `accepted jobs of the service for ${service}`).toBeLessThanOrEqual(most);
  }
}

/** Of `CAMPAIGN.ID.DIGEST`; a molecule's job has the name of its row. */
function idIn(jobName: string): string {
  return jobName.split('.')[1] ?? jobName;
}
