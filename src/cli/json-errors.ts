/** With `--json`, stdout carries one document, also when a command fails. */
import { HundredfoldError } from '../domain/errors.ts';
import { refusalOf } from '../temporal/refusals.ts';
import type { CommonFlags } from './flags.ts';

export async function withJsonErrors(
  { json = false }: CommonFlags,
  command: () => Promise<number>,
): Promise<number> {
  try {
    return await command();
  } catch (error) {
    const told = refusalOf(error) ?? error;
    if (!json || !(told instanceof HundredfoldError)) throw told;
    const { code, message, remedy } = told;
    process.stdout.write(`${JSON.stringify({ error: { code, message, remedy } })}\n`);
    return told.exitCode;
  }
}
