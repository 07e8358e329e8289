/** The value of `--gateway`: a name, and when the gateway misbehaves. */
import { expect, test } from 'vitest';
import { readGateway } from '../../../src/cli/command-line/gateway-flag.ts';

test.each([
  ['none', null],
  ['firewall-403', { name: 'firewall-403', afterMs: 0 }],
  ['firewall-403:5s', { name: 'firewall-403', afterMs: 5_000 }],
  ['slow-answers:0:1.5m', { name: 'slow-answers', afterMs: 0, forMs: 90_000 }],
])('%s', (text, rule) => {
  expect(readGateway(text)).toEqual(rule);
});

test.each(['', 'firewall', 'firewall-403:soon', 'firewall-403:5s:', 'firewall-403:1s:2s:3s'])(
  'refuses "%s" and lists the names',
  (text) => {
    expect(() => readGateway(text)).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        remedy: expect.stringContaining('redirect-https'),
      }),
    );
  },
);
