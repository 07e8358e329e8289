/** The command line. */
import { exitWith } from './command-line/ending.ts';
import { explainFailure } from './command-line/failure.ts';
import { program } from './command-line/program.ts';
import { limitHeap } from '../program/heap.ts';

limitHeap();

// A closed pipe (`| head`) or terminal must not interrupt a running campaign.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  await program.parseAsync();
} catch (error) {
  await exitWith(await explainFailure(error));
}
