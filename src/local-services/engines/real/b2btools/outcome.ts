/** What a command of b2bTools has left, as an outcome: its own files, or its own words. */
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineOutcome, Output, OutputName } from '../../engine.ts';
import { BoundedText } from '../bounded-text.ts';
import { whatIsWrong } from './checks.ts';
import type { Command, PredictionJob } from './command.ts';
import type { Forked, ForkedProgram } from './fork-server.ts';

const CONTENT_TYPES: Readonly<Record<OutputName, string>> = {
  result: 'application/json',
  csv: 'text/csv; charset=utf-8',
  metadata: 'text/csv; charset=utf-8',
  distributions: 'application/json',
};

export async function outcomeOf(
  job: PredictionJob,
  { outputs }: Command,
  { folder, log: logFile, memoryMb }: ForkedProgram,
  ended: Forked,
): Promise<EngineOutcome> {
  // Paths of this machine are nobody's business.
  const log = (await readLog(logFile)).replaceAll(`${folder}/`, '');
  const failed = (message: string): EngineOutcome => ({ ok: false, message, log });
  if (ended.overMemory) {
    return failed(`b2bTools was ended: it needed more than ${String(memoryMb)} MB of memory.`);
  }
  if (ended.signal !== null) return failed(`b2bTools was ended by ${ended.signal}.`);
  // Even when its files are there.
  if (ended.code !== 0)
    return failed(lastError(log) ?? `It ended with code ${String(ended.code)}.`);
  const made = await readOutputs(folder, outputs);
  const missing = Object.keys(outputs).filter((name) => !made.some((file) => file.name === name));
  if (missing.length > 0)
    return failed(`b2bTools ended well and left no ${missing.join(', no ')}.`);
  const wrong = wrongWith(job, made);
  if (wrong !== null) return failed(`The result of b2bTools is not whole. ${wrong}`);
  return { ok: true, outputs: made, log };
}

/** The engine's own words: `… ERROR] An unexpected error of type 'ValueError' occurred …: Invalid input file`. */
function lastError(log: string): string | null {
  return [...log.matchAll(/^.* ERROR\] (.*)$/gm)].at(-1)?.[1] ?? null;
}

async function readLog(path: string): Promise<string> {
  const text = new BoundedText();
  const file = await open(path).catch(() => null);
  // Killed before it wrote a word.
  if (file === null) return '';
  for await (const bytes of file.createReadStream()) text.add(bytes as Buffer);
  return text.toString();
}

async function readOutputs(folder: string, outputs: Command['outputs']): Promise<Output[]> {
  const files = Object.entries(outputs) as [OutputName, string][];
  const read = files.map(async ([name, file]): Promise<Output[]> => {
    const body = await readFile(join(folder, file)).catch(() => null);
    return body === null ? [] : [{ name, contentType: CONTENT_TYPES[name], body }];
  });
  return (await Promise.all(read)).flat();
}

function wrongWith(job: PredictionJob, made: readonly Output[]): string | null {
  try {
    const json = made.filter(({ contentType }) => contentType === 'application/json');
    // NaN, which Python writes, is not JSON.
    const [result] = json.map(({ body }) => JSON.parse(Buffer.from(body).toString()) as unknown);
    return whatIsWrong(job, result);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
