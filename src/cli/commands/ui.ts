/** `hundredfold ui`: the Temporal UI, with the embedded server until the user ends the command. */
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { openSession } from '../../temporal/host/session.ts';
import { loadCommandSettings } from '../session.ts';
import { say, printDocument, printLine, logToTerminal } from '../text/output.ts';
import type { CommonFlags } from '../command-line/options.ts';
import { Interruption } from '../interruption.ts';
import { openLink, buildWorkflowsLink } from '../links.ts';
import { logToWorkerLog } from '../../runner/command-line.ts';

/**
 * Nothing is submitted in the meantime, unless another command does so.
 *
 * @throws HundredfoldError `UI_UNAVAILABLE` if Temporal runs elsewhere
 */
export async function ui(flags: CommonFlags): Promise<number> {
  const settings = loadCommandSettings(flags, { tokens: 'optional' });
  if (settings.temporal) throw createElsewhereError(settings.temporal.address);
  logToWorkerLog(settings, logToTerminal());
  const interruption = new Interruption({ submits: false });
  const session = await openSession({
    settings,
    environment: process.env,
    localServices: null,
    anyHost: true,
    lookOnly: true,
    lasting: true,
  });
  try {
    if (session.ui === null) throw createSwitchedOffError();
    const link = buildWorkflowsLink(session.ui);
    if (flags.json) printDocument({ ui: link });
    else printLine(link);
    if (!flags.json) await openLink(link);
    say(
      session.role === 'host'
        ? 'The embedded server runs until you press Ctrl-C. No campaign makes progress meanwhile.'
        : 'Another command runs the embedded server, and stops it when it ends. Ctrl-C ends this one.',
    );
    await interruption.request;
    return EXIT.ok;
  } finally {
    await session.close();
  }
}

function createElsewhereError(address: string): HundredfoldError {
  return new HundredfoldError(
    'UI_UNAVAILABLE',
    `Temporal runs at ${address}, and its UI has its own address`,
    'Ask its administrator; by default, a UI server listens on port 8080 or 8233.',
  );
}

function createSwitchedOffError(): HundredfoldError {
  return new HundredfoldError(
    'UI_UNAVAILABLE',
    'the embedded server runs without its UI',
    'Stop it (hundredfold stop), then run the command again.',
  );
}
