/**
 * States which engine computed a job, in the text that the services write to the log of a molecule and to the
 * processing log of a prediction: `engine: real, ACPYPE 2023.10.27, Open Babel 3.1.1.23`.
 */
import type { Engine } from './engine.ts';

export function engineStatement({ name, version }: Pick<Engine, 'name' | 'version'>): string {
  return `engine: ${name}, ${version}`;
}
