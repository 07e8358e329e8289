/** What `doctor` advises if something in front of a service refuses access. */
import { expect, test } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import { describeService } from '../../src/config/services.ts';
import { serviceFinding } from '../../src/doctor/services.ts';
import { plainServer } from '../services/a-network.ts';

test.each([
  [401, /^Ask the operators how to authenticate: services\.molecules\.basic /],
  [
    403,
    /^Ask the operators of the service or of your network whether they block this machine\. If they require a login: services\.molecules\.basic /,
  ],
  [
    407,
    /^A proxy requires a user name and a password: see HTTPS_PROXY in docs\/configuration\.md\.$/,
  ],
] as const)('gives advice for HTTP %s', async (status, advice) => {
  await using server = await plainServer((_, response) => response.writeHead(status).end());
  const url = `http://127.0.0.1:${server.port}/acpype`;
  const site = describeService('molecules', url, new Secret('tK9secretZ'), { address: 'here' });
  const { ok, found, remedy } = await serviceFinding(site);
  expect([ok, found]).toEqual([false, expect.stringContaining(`HTTP ${status}`)]);
  expect(remedy).toMatch(advice);
});
