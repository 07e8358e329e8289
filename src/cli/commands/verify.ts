/** `hundredfold verify NAME`: checks the tree of a campaign against its records, and recomputes a sample. */
import { randomBytes } from 'node:crypto';
import { EXIT } from '../../domain/errors.ts';
import { TOLERANCES } from '../../recompute/compare-readings.ts';
import type { Recomputed, RecomputedItem, RecomputeOptions } from '../../recompute/recompute.ts';
import { parseShare } from '../../recompute/share.ts';
import { CHECKS, type Fault } from '../../report/verify/fault.ts';
import { verifyFolder } from '../../report/verify/folder.ts';
import type { Verification } from '../../report/verify/tree.ts';
import type { PreparedCampaign } from '../../store/prepared-campaign.ts';
import type { Store } from '../../store/store.ts';
import { say } from '../text/explain.ts';
import { findTreeOrFolder } from '../session/tree-or-folder.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { nowAndThen } from '../text/now-and-then.ts';
import { printDocument } from '../text/output.ts';
import { printTable } from '../text/table.ts';

export interface VerifyFlags extends CommonFlags {
  readonly recompute?: string;
  readonly items?: readonly string[];
  readonly seed?: string;
}

export async function verify(nameOrFolder: string, flags: VerifyFlags): Promise<number> {
  const sample = sampleIn(flags);
  const { folder, store, campaign } = await findTreeOrFolder(nameOrFolder, flags);
  const { name, items } = campaign;
  const verification = await verifyFolder(folder, campaign, {
    onItem: nowAndThen((done) => `${name}: ${done} of ${items} items read`),
  });
  const { faults, notes, files } = verification;
  const seed = flags.seed ?? randomBytes(4).toString('hex');
  const recomputed = sample && (await recomputeSample(store, campaign, sample, seed));
  for (const note of [...notes, ...(recomputed?.notes ?? [])]) say(`note: ${note}`);
  const differing = recomputed?.items.filter(({ agrees }) => !agrees) ?? [];
  const ok = faults.length === 0 && differing.length === 0;
  if (flags.json) {
    const found = { campaign: name, location: folder, ok, items, files, faults, notes };
    printDocument({ ...found, recomputed });
  } else printFindings(verification, recomputed);
  say(
    faults.length === 0
      ? `${name}: no problems found: ${items} items with ${files} files, tables, summary, crate and checksums of ${folder}.`
      : `${name}: ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'} in ${folder}.`,
  );
  if (recomputed) sayRecomputed(name, recomputed, differing.length);
  return ok ? EXIT.ok : EXIT.incomplete;
}

/** Null if nothing is to be recomputed. */
function sampleIn({ recompute, items }: VerifyFlags): RecomputeOptions['sample'] | null {
  if (items !== undefined) return { ids: items };
  return recompute === undefined ? null : parseShare(recompute);
}

async function recomputeSample(
  store: Store,
  campaign: PreparedCampaign,
  sample: RecomputeOptions['sample'],
  seed: string,
): Promise<Recomputed> {
  // Loaded only here: the engines import an HTTP server.
  const { recompute } = await import('../../recompute/recompute.ts');
  const onItem = ({ kind, id, detail }: RecomputedItem): void => {
    say(`${campaign.name}: ${kind} ${id}: ${detail}`);
  };
  return recompute(store, campaign, { sample, seed, onItem });
}

function sayRecomputed(name: string, { items, eligible, seed }: Recomputed, differ: number): void {
  const { charge, prediction } = TOLERANCES;
  say(
    `${name}: ${items.length} of ${eligible} results were recomputed, ${differ} differ (charges within ${charge} e, predictions within ${prediction}; --seed ${seed}).`,
  );
}

/** A line for each fault, and one for each check without faults. */
function printFindings({ faults }: Verification, recomputed: Recomputed | null): void {
  const rows = CHECKS.flatMap((check): (readonly (string | null)[])[] => {
    const found = faults.filter((fault) => fault.check === check);
    return found.length === 0 ? [[check, null, 'ok', null]] : found.map(rowOf);
  });
  for (const { kind, id, agrees, detail, engine } of recomputed?.items ?? []) {
    const remedy = agrees
      ? null
      : `Compare it with ${engine}: docs/verify.md explains why results differ.`;
    rows.push(['recomputed', `${kind} ${id}`, agrees ? `ok: ${detail}` : detail, remedy]);
  }
  printTable(['CHECK', 'PATH', 'FOUND', 'WHAT TO DO'], rows);
}

function rowOf({ check, path, message, remedy }: Fault): readonly string[] {
  return [check, path, message, remedy];
}
