/** The command lines of the README and of everyday pages, typed as they are written. */
import { expect, test } from 'vitest';
import { listTyped } from '../project/typed.ts';
import { desk } from './command.ts';

/** Pages whose command lines need a campaign and nothing else, in the order of a user's days. */
const EVERYDAY = ['README', 'docs/first-night', 'docs/watching', 'docs/verify', 'docs/retry'].map(
  (page) => `${page}.md`,
);

/** These do not end by themselves. */
const ENDLESS = ['ui'];

/** What is refused here, and the code that says why. */
const REFUSED = new Map([
  // Every item of the test has succeeded.
  ['run results/night/failed.csv --name night-2', 'MANIFEST_EMPTY'],
  ['retry night --item aspirin p53', 'ITEM_NOT_RETRYABLE'],
  // There is no bucket.
  ['pull night --where plate=10..19', 'are the same place'],
]);

const MANIFEST = `id,smiles,sequence,project,batch,mass
aspirin,CC(=O)Oc1ccccc1C(=O)O,,analgesics,3,180
caffeine,Cn1cnc2c1c(=O)n(C)c(=O)n2C,,stimulants,5,194
p53,,MEEPQSDPSVEPPLSQETFSDLWKLLPENNV,tumours,3,
seq-17,,RPPGFSPFR,peptides,4,
`;

test('run, with synthetic results', async () => {
  const at = desk();
  at.write('night.csv', MANIFEST);
  const services = at.type(['services', '--port', '0', '--engine', 'synthetic']);
  await services.says('http://');
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(services.stdout + services.stderr) ?? [];
  const addresses = `{ molecules: { url: ${url}/acpype }, predictions: { url: ${url} } }`;
  at.write('hundredfold.yaml', `services: ${addresses}\n`);
  const env = {
    HUNDREDFOLD_MOLECULE_TOKEN: 'molecules1',
    HUNDREDFOLD_PREDICTION_TOKEN: 'predictions1',
  };
  const typed = [...new Set(EVERYDAY.flatMap(listTyped).map((words) => words.join(' ')))];
  const rehearsals = typed.filter((line) => line.includes('--services'));
  const runAll = async (lines: readonly string[]) => {
    for (const line of lines) {
      const [name, ...words] = line.split(' ');
      if (name === 'npm' || ENDLESS.includes(words[0] ?? '')) continue;
      const { code, stderr } = await at.type(words, { env }).ended;
      const refused = REFUSED.get(words.join(' '));
      if (refused === undefined) expect(code, `${line}\n${stderr}`).toBe(0);
      else expect(stderr, line).toContain(refused);
    }
  };
  await runAll(rehearsals);
  // One server for all that follow.
  await at.hosts(env);
  await runAll(typed.filter((line) => !rehearsals.includes(line)));
});
