/**
 * What computed a result, if the service reports it. This project's own services state it explicitly; ACPYPE prints its
 * version at the head of each log, on any service.
 */
import { asObject } from '../results/json.ts';
import { parseBoundedJson } from './bounded-json.ts';

const STATEMENT = /^engine: (.+)$/m;
const BANNER = /^\| ACPYPE: AnteChamber PYthon Parser interfacE v\. (\S+)/m;
/** A statement is on a line of its own, and is not long. */
const LENGTH = 200;

/** The engine's own statement; null without one. `synthetic` is never mistaken for science. */
function stated(text: string): string | null {
  const words = STATEMENT.exec(text)?.[1]?.trim().slice(0, LENGTH) ?? null;
  return words?.startsWith('synthetic,') === true ? 'synthetic' : words;
}

/** From the log of a molecule; null if it has none. */
export function engineOfLog(log: string): string | null {
  const banner = BANNER.exec(log)?.[1];
  return stated(log) ?? (banner === undefined ? null : `ACPYPE ${banner}`);
}

/** From the processing log of a prediction (contract of the prediction service, 2.6). */
export function engineOfHistory(text: string): string | null {
  const log = asObject(parseBoundedJson(text));
  const entries = [log?.['history'], log?.['timeline']].flatMap((list) =>
    Array.isArray(list) ? list.map(asObject) : [],
  );
  const messages = entries.map((entry) => entry?.['message']);
  // The last attempt counts.
  const said = messages.filter((message) => typeof message === 'string').map(stated);
  return said.findLast((words) => words !== null) ?? null;
}
