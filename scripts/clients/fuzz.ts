/**
 * Tests a service with the schema fuzzer schemathesis, by its OpenAPI document: no 5xx, every answer documented, every
 * body as in the document, every request that the document forbids refused.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

interface Fuzzed {
  readonly passed: boolean;
  /** What the fuzzer printed, with a command to repeat each failure. */
  readonly report: string;
}

/**
 * One check is omitted: that every request that matches the schema is accepted. No schema can say that the rows of an
 * alignment have one length, that a file is UTF-8, or that a job name is free.
 */
const LEFT_OUT = 'positive_data_acceptance';

/** Drops what the fuzzer reports wrongly. */
const HOOKS = join(import.meta.dirname, 'fuzz_hooks.py');

interface Effort {
  /** Number of bodies tried at each endpoint. */
  readonly examples: number;
  readonly seed: number;
  /** Time limit; sequences of requests are tried until then. */
  readonly seconds: number;
}

export async function fuzz(
  packages: string,
  url: string,
  { examples, seed, seconds }: Effort,
): Promise<Fuzzed> {
  const options = {
    '--url': url,
    '--checks': 'all',
    '--exclude-checks': LEFT_OUT,
    '--max-examples': examples,
    '--seed': seed,
    '--max-time': seconds,
    '--output-sanitize': 'false',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [name, String(value)]);
  const child = spawn(
    'python3',
    [
      '-m',
      'schemathesis.cli',
      'run',
      `${url}/docs/json`,
      ...flags,
      '--continue-on-failure',
      '--no-color',
    ],
    {
      // Otherwise its database of examples would be in the working folder.
      cwd: packages,
      env: {
        ...process.env,
        PYTHONPATH: packages,
        PYTHONDONTWRITEBYTECODE: '1',
        SCHEMATHESIS_HOOKS: HOOKS,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { passed: code === 0, report: out + err };
}
