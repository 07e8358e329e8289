/** The command line. */
import { endProcess } from './ending.ts';
import { explainFailure } from './failure.ts';
import { program } from './program.ts';

// A pipe that is closed (`| head`) or a terminal that is gone must not break off a campaign in the middle.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  await program.parseAsync();
} catch (error) {
  await endProcess(await explainFailure(error));
}
