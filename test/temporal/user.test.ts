/** Containers and clusters run programs under user ids that are in no passwd file. */
import { chmodSync, mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { desk } from '../cli/command.ts';

test.runIf(process.getuid?.() === 0)(
  'the embedded server starts for a user id without an account, without USER and without HOME',
  async () => {
    const at = desk();
    mkdirSync(at.path('work'));
    chmodSync(at.path('work'), 0o777);
    const env = { USER: undefined, LOGNAME: undefined, HOME: undefined };
    const { stderr } = await at.runs(0, ['status', '--json'], {
      uid: 47_110,
      cwd: at.path('work'),
      env,
    });
    expect(stderr).not.toContain('level=ERROR');
  },
);
