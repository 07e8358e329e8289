/** A campaign's name used again, after it has ended: each time every row must have its result in the end. */
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Actor } from './actor.ts';
import { removeFrom } from './enact.ts';
import type { Encore } from './kinds.ts';
import { Patience } from './patience.ts';
import type { Stage } from './stage.ts';

/** Rows enough for two windows, with a complete restart. */
const ENDS_WITHIN_MS = 50_000;

/** The output folder of an encore, below the round's. */
function outOf({ how }: Encore): string {
  return how === 'elsewhere' ? 'other-results' : 'results';
}

/** Its tables, once it has ended. */
export function treeOf(stage: Stage, encore: Encore, campaign: string): string {
  return stage.desk.path(outOf(encore), campaign);
}

/** Throws if one does not end in time. */
export async function playEncores(stage: Stage): Promise<void> {
  const campaign = stage.plan.campaigns[0];
  if (campaign === undefined) return;
  for (const [n, encore] of stage.plan.encores.entries()) {
    stage.chronicle.note(`again: ${JSON.stringify(encore)}`);
    if (encore.how === 'out-removed') {
      rmSync(stage.desk.path('results'), { recursive: true, force: true });
    } else if (encore.how !== 'elsewhere') removeFrom(stage, campaign.name, encore.item);
    const words = [
      ...stage.runCommand(campaign),
      ...(encore.how === 'elsewhere' ? ['--out', outOf(encore)] : []),
      ...(encore.how === 'no-cache' ? ['--no-cache'] : []),
    ];
    const name = `run ${campaign.name}, ${encore.how} (${n})`;
    const actor = new Actor(name, () => stage.type(...words), stage.chronicle, true);
    stage.encores.push(actor);
    await toItsEnd(actor, encore);
  }
}

async function toItsEnd(actor: Actor, { killedAfterMs }: Encore): Promise<void> {
  actor.start();
  if (killedAfterMs !== null) {
    await delay(killedAfterMs);
    await actor.end('SIGKILL', 0);
  }
  const patience = new Patience(ENDS_WITHIN_MS);
  try {
    await Promise.race([actor.finished(), patience.over]);
  } finally {
    patience.end();
  }
  if (!actor.isOver)
    throw new Error(`${actor.name} has not ended within ${ENDS_WITHIN_MS / 1_000} s`);
}
