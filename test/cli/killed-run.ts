/** A campaign whose command, the host of its server, was killed: the server is left behind, and the campaign open. */
import type { Desk } from './command.ts';
import { fragments } from './manifests.ts';

/** Of six molecules, named `fragments`. Returns their ids, and the command that continues it. */
export async function killedRun(at: Desk): Promise<{ ids: string[]; run: string[] }> {
  const ids = fragments(at, 'fragments', 6);
  const run = ['run', 'fragments.csv', '--services', 'local'];
  const first = at.type(run);
  await first.says('of 6: ');
  first.kill('SIGKILL');
  await first.ended;
  return { ids, run };
}
