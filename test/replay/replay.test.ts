/**
 * Histories of earlier versions, replayed with the current workflow code: a change that would break running campaigns
 * fails here. `RECORD_HISTORIES=1 npm test -- test/replay` records them again (docs/operations.md says when).
 */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import { workflowBundle } from '../../src/temporal/bundle.ts';
import { runSinks } from '../../src/temporal/workers.ts';
import { readHistories } from './histories.ts';
import { recordCourses } from './record.ts';

const wanted = process.env['RECORD_HISTORIES'];
const recording = wanted !== undefined;

describe.runIf(recording)('histories', () => {
  test('are recorded', () => recordCourses(wanted === '1' ? null : (wanted ?? null)), 120_000);
});

describe.skipIf(recording)('a workflow that was started by an earlier version', () => {
  const recorded = recording ? [] : readHistories();

  test('is recorded as campaign, item and budget, both completed and continued as new', () => {
    const kinds = recorded.map(({ workflowId }) => workflowId.split(':')[0]);
    expect(new Set(kinds)).toEqual(new Set(['campaign', 'item', 'budget']));
    const ends = recorded.map(({ history }) => history.events?.at(-1)?.eventType);
    // temporal.api.enums.v1.EventType: completed, continued as new
    expect(ends).toEqual(expect.arrayContaining([2, 28]));
  });

  test('has passed each patch of the workflows', async () => {
    const passed = recorded.flatMap(({ history }) => (history.events ?? []).flatMap(patchOf));
    expect(await patchesOfWorkflows()).toEqual([...new Set(passed)].sort());
  });

  test.each(recorded)('continues: $file', async ({ workflowId, history }) => {
    const bundle = await workflowBundle();
    const results = Worker.runReplayHistories({ workflowBundle: bundle, sinks: runSinks() }, [
      { workflowId, history },
    ]);
    for await (const { error } of results) {
      expect(
        error,
        'today’s code decides otherwise: patch it (docs/operations.md)',
      ).toBeUndefined();
    }
  });
});

type Event = NonNullable<ReturnType<typeof readHistories>[number]['history']['events']>[number];

/** The patch that this event is the marker of. */
function patchOf({ markerRecordedEventAttributes: marker }: Event): string[] {
  if (marker?.markerName !== 'core_patch') return [];
  const data = marker.details?.['patch-data']?.payloads?.[0]?.data;
  return [(JSON.parse(Buffer.from(data ?? []).toString()) as { id: string }).id];
}

const WORKFLOWS = join(import.meta.dirname, '../../src/workflows');
/** Rolling windows are run by the workers of users: the bundle of campaigns is without them. */
const ROLLING_WINDOW = 'rolling-window.ts';

async function patchesOfWorkflows(): Promise<string[]> {
  const found = new Set<string>();
  for await (const file of glob('**/*.ts', { cwd: WORKFLOWS })) {
    if (file.endsWith(ROLLING_WINDOW)) continue;
    const code = readFileSync(join(WORKFLOWS, file), 'utf8');
    for (const [, patch] of code.matchAll(/\bpatched\('([^']+)'\)/g)) found.add(patch ?? '');
  }
  return [...found].sort();
}
