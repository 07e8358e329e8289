/**
 * Which engine computed a job, in the words that the services put into the log of a molecule and into the processing
 * log of a prediction: `engine: real, ACPYPE 2023.10.27, Open Babel 3.1.1.23`.
 */
import type { Engine } from './engine.ts';

export function engineStatement({ name, version }: Pick<Engine, 'name' | 'version'>): string {
  return `engine: ${name}, ${version}`;
}
