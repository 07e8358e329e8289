/** How long jobs took at each lane in earlier campaigns of the same folder: what `plan` knows of its speed. */
import { dirname } from 'node:path';
import type { ServiceSettings } from '../config/services.ts';
import { readListedItems } from '../report/campaign-items.ts';
import { RunTimes } from '../report/run-times.ts';
import { isObjectAddress } from '../store/layout.ts';
import { listKindsOf, findService } from '../services/registry.ts';
import { nullIfUnreadable } from '../store/store.ts';
import { readRemembered } from './find.ts';
import type { MeasuredLane } from './forecast.ts';
import { openTreeIfAny, type OutputTree } from './tree.ts';

/** The newest campaigns, and rows of each: more would not change a median. */
const MAX_TREES = 5;
const MAX_ROWS = 1_000;

/** @param folder the tree of the campaign; those beside it were computed on the same machines */
export async function measureLanes(
  feeds: readonly ServiceSettings[],
  folder: string,
): Promise<readonly MeasuredLane[]> {
  const lanes = feeds.flatMap(({ reference, lane }) => (lane ? [{ ...reference, ...lane }] : []));
  if (lanes.length === 0) return [];
  const times = isObjectAddress(folder) ? new RunTimes() : await readTimes(folder);
  return lanes.map(({ service, address, name, maxOpen }) => {
    const medians = listKindsOf(findService(service)).flatMap((kind) => {
      const median = times.findMedian(address, kind);
      return median === null ? [] : [[kind, median] as const];
    });
    return { service, name, maxOpen, jobMs: Object.fromEntries(medians) };
  });
}

async function readTimes(folder: string): Promise<RunTimes> {
  const times = new RunTimes();
  const beside = readRemembered().filter((one) => dirname(one.folder) === dirname(folder));
  for (const { name, folder: place } of beside.slice(0, MAX_TREES)) {
    const tree = await openTreeIfAny(place, name).catch(nullIfUnreadable);
    if (tree) await readTimesOfTree(tree, times);
  }
  return times;
}

async function readTimesOfTree({ store, campaign }: OutputTree, times: RunTimes): Promise<void> {
  let rows = 0;
  for await (const { record } of readListedItems(store, campaign)) {
    if (record) times.add(record);
    rows += 1;
    if (rows === MAX_ROWS) return;
  }
}
