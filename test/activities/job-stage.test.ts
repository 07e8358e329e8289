/** What an attempt of `finishJob` leaves for the next one, and how often it is sent to the server. */
import type { Context } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { JobStage } from '../../src/activities/job-stage.ts';
import { ServerClock } from '../../src/activities/server-clock.ts';

const RESULT = { files: [], problem: null, timing: null };

function stageAfter(heartbeatDetails: unknown): { stage: JobStage; sent: unknown[] } {
  const sent: unknown[] = [];
  const context = {
    info: { attempt: 2, heartbeatDetails, scheduledTimestampMs: Date.now() },
    heartbeat: (details: unknown) => sent.push(details),
  };
  return { stage: new JobStage(context as unknown as Context, new ServerClock()), sent };
}

test('completed steps are not sent one by one', () => {
  const { stage, sent } = stageAfter(undefined);
  stage.finish({ type: 'finished', artefacts: ['result', 'csv'] });
  stage.keep('result', RESULT);
  stage.keep('csv', RESULT);
  expect(sent).toEqual([]);
});

test('a failed attempt passes its completed steps to the next one', () => {
  const { stage, sent } = stageAfter(undefined);
  stage.finish({ type: 'finished', artefacts: ['result', 'csv'] });
  stage.keep('result', RESULT);
  stage.leaveToNextAttempt();
  expect(sent).toHaveLength(1);
  const next = stageAfter(JSON.parse(JSON.stringify(sent[0]))).stage;
  expect(next.finished?.artefacts).toEqual(['result', 'csv']);
  expect(next.fetched('result')).toEqual(RESULT);
  expect(next.fetched('csv')).toBeUndefined();
});

test('an attempt without a new step sends nothing', () => {
  const left = { seen: { queuedAt: '2026-11-23T10:00:00Z' } };
  const { stage, sent } = stageAfter(left);
  stage.pollTries().leave({ queuedAt: '2026-11-23T10:00:00Z' });
  stage.leaveToNextAttempt();
  expect(sent).toEqual([]);
});
