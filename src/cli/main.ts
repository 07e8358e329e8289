/** The command line. */
import { endProcess } from './command-line/ending.ts';
import { explainFailure } from './command-line/failure.ts';
import { program } from './command-line/program.ts';

// A pipe that is closed (`| head`) or a terminal that is gone must not break off a campaign in the middle.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  await program.parseAsync();
} catch (error) {
  await endProcess(await explainFailure(error));
}
