/** A command that follows a campaign: how it concludes. */
import { Client, Connection } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { conclude } from '../../../src/cli/conclusion.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { Campaign } from '../../../src/runner/campaign.ts';
import { EXIT } from '../../../src/domain/errors.ts';
import type { Session } from '../../../src/temporal/host/session.ts';
import { seen } from './scenes.ts';

test('with --json, a command that is interrupted as Temporal ends exits as interrupted, and says why it prints no state', async () => {
  const nowhere = Connection.lazy({ address: '127.0.0.1:9', connectTimeout: 100 });
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const session = { client: new Client({ connection: nowhere }), role: 'joined' };
  const to = { end: 'interrupted', last: seen({}, []) } as const;
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
