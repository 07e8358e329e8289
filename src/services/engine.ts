/**
 * What computed a result, as far as the service tells. This project's own services say it in so many words; ACPYPE
 * prints its version at the head of each log, whoever runs it.
 */
import { asObject } from '../results/json.ts';
import { parseBoundedJson } from './bounded-json.ts';

const STATEMENT = /^engine: (.+)$/m;
const BANNER = /^\| ACPYPE: AnteChamber PYthon Parser interfacE v\. (\S+)/m;
/** A statement stands in a line of its own, and not a page long. */
const LENGTH = 200;

/** The words of the engine's own statement; null without one. `synthetic` alone never passes for science. */
function stated(text: string): string | null {
  const words = STATEMENT.exec(text)?.[1]?.trim().slice(0, LENGTH) ?? null;
  return words?.startsWith('synthetic,') === true ? 'synthetic' : words;
}

/** Of the log of a molecule; null when it does not tell. */
export function engineOfLog(log: string): string | null {
  const banner = BANNER.exec(log)?.[1];
  return stated(log) ?? (banner === undefined ? null : `ACPYPE ${banner}`);
}

/** Of the processing log of a prediction (contract of the prediction service, 2.6). */
export function engineOfHistory(text: string): string | null {
  const log = asObject(parseBoundedJson(text));
  const entries = [log?.['history'], log?.['timeline']].flatMap((list) =>
    Array.isArray(list) ? list.map(asObject) : [],
  );
  const messages = entries.map((entry) => entry?.['message']);
  // The last attempt is the one that counts.
  const said = messages.filter((message) => typeof message === 'string').map(stated);
  return said.findLast((words) => words !== null) ?? null;
}
