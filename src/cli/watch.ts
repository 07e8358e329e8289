/** `hundredfold watch NAME`: the live view of a campaign until it ends. */
import { EXIT } from '../domain/errors.ts';
import { openFileStore } from '../store/filesystem.ts';
import { findCampaign } from './campaigns.ts';
import { follow } from './follow.ts';
import type { CommonFlags } from './main.ts';
import { endedSummary, exitCodeOf, printSummary } from './summary.ts';
import { withSession } from './with-session.ts';

export async function watch(name: string, flags: CommonFlags): Promise<number> {
  return withSession(flags, async (session) => {
    const { out } = await findCampaign(session.client, name);
    const end = await follow(session, { name, folder: out });
    if (end === 'interrupted') return EXIT.interrupted;
    const summary = await endedSummary(await openFileStore(out), out);
    printSummary(summary, flags.json ?? false);
    return exitCodeOf(summary);
  });
}
