/** A command that follows a campaign: events, when to poll again, and how it concludes. */
import { Client, Connection } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { appendHappenings, type Happening } from '../../../src/cli/live/recent-events.ts';
import { conclude } from '../../../src/cli/conclusion.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { Campaign } from '../../../src/runner/campaign.ts';
import type { CampaignObservation } from '../../../src/runner/observe.ts';
import type { RecentEnd } from '../../../src/domain/campaign.ts';
import { EXIT } from '../../../src/domain/errors.ts';
import type { Session } from '../../../src/temporal/host/session.ts';
import { budget, NOW, seen, window } from './scenes.ts';

const end = (id: string, at: number, state: RecentEnd['state'] = 'succeeded'): RecentEnd => ({
  id,
  at,
  state,
  kind: 'sequence',
  message: null,
  code: state === 'succeeded' ? null : 'JOB_FAILED',
});
const look = (at: number, recent: readonly RecentEnd[], accepted = 0): CampaignObservation =>
  seen({ recent }, [budget('predictions', window(5, []), 0, accepted)], { at });
const told = (list: readonly Happening[]) =>
  list.map(({ subject, words }) => `${subject} ${words}`);

test('every end is reported once, in chronological order', () => {
  const first = look(NOW, [end('a', NOW - 9)]);
  const second = look(NOW + 500, [end('a', NOW - 9), end('b', NOW + 2, 'failed')]);
  const one = appendHappenings([], null, first);
  expect(told(one)).toEqual(['a succeeded']);
  expect(told(appendHappenings(one, first, second))).toEqual([
    'a succeeded',
    'b failed: JOB_FAILED',
  ]);
  const many = Array.from({ length: 90 }, (_, n) => end(`s-${n}`, NOW + n));
  const list = appendHappenings([], null, look(NOW + 99, many));
  expect(list, 'only the last few are kept').toHaveLength(40);
  expect(list.at(-1)?.subject).toBe('s-89');
});

test('pauses, refusals and blocks are shown when they start and when they end', () => {
  const blocked = window(5, [], { blockedUntil: NOW + 60_000, blockedBecause: 'HTTP 503' });
  const counts = { submissions: 1, accepted: 0, refused: 0, rejected429: 1 };
  const well = look(NOW, []);
  const down = seen({ state: 'paused' }, [budget('predictions', blocked, 0, 0, { counts })], {
    at: NOW + 500,
  });
  const words = told(appendHappenings(appendHappenings([], well, down), down, well));
  expect(words[0]).toBe('night paused: no new submissions');
  expect(words[1]).toBe('predictions answered 1 with 429');
  expect(words[2]).toMatch(/^predictions blocked until 22:15:00: HTTP 503$/);
  expect(words.slice(3)).toEqual(['night running', 'predictions accepts requests again']);
});

test('with --json, a command that is interrupted as Temporal ends exits as interrupted, and says why it prints no state', async () => {
  const nowhere = Connection.lazy({ address: '127.0.0.1:9', connectTimeout: 100 });
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const session = { client: new Client({ connection: nowhere }), role: 'joined' };
  const to = { end: 'interrupted', last: look(NOW, []) } as const;
  const campaign = new Campaign({
    session: session as unknown as Session,
    settings: { embeddedDir: '/nowhere' } as Settings,
    name: 'b',
    out: '/nowhere',
    signal: new AbortController().signal,
  });
  const code = await conclude(campaign, to, { json: true });
  const said = stderr.mock.calls.map(([text]) => text.toString()).join('');
  stderr.mockRestore();
  await nowhere.close();
  expect(code).toBe(EXIT.interrupted);
  expect(said).toContain('Temporal does not answer: the state of b is not printed.');
  expect(said).toContain('b is safe on disk');
});
