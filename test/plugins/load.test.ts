/** What is wrong with a plugin is told when it is loaded: all of it, with the entry, the place and what to do. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HundredfoldError } from '../../src/domain/errors.ts';
import { findSource } from '../../src/kinds/registry.ts';
import { PLUGIN_REMEDIES, loadPlugins } from '../../src/services/plugins/load.ts';

/** As small as a plugin can be. */
const SMALL = `import { accept, defineKind, defineService, z } from 'hundredfold/service';
export const words = defineKind({
  name: 'words',
  words: { one: 'text' },
  input: { column: { name: 'words' }, read: ({ text }) => accept({ file: 'input.txt', text }) },
  artefacts: { count: { file: 'count.txt' } },
  readResult: ({ count }) => Number(count),
  check: () => null,
  measures: { count: { title: 'Words', meaning: 'Their number.', of: (count) => count } },
});
export const counter = defineService({
  name: 'counter',
  title: 'the word counter',
  kinds: [words],
  budget: { windows: [], maxOpen: 1 },
  pace: { every: '1s', atMost: '10s' },
  identity: { by: 'nothing' },
  submit: { request: { words: ({ input }) => ({ path: [], body: { json: input.text } }) }, answers: {} },
  poll: { request: (id) => ({ path: [id] }), answers: {} },
  fetch: { count: { request: (id) => ({ path: [id, 'count'] }) } },
  probe: { request: () => ({ path: [] }), answers: {} },
});
`;

interface Case {
  /** What the plugin differs in from the smallest one: replacements, or all of it. */
  readonly change?: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly entry?: string;
  readonly sort: keyof typeof PLUGIN_REMEDIES;
  /** After the entry. */
  readonly words: string | RegExp;
}

const CASES: Readonly<Record<string, Case>> = {
  'no file': { entry: './gone.ts', sort: 'notFound', words: 'there is no file ' },
  'a file outside the folder': {
    entry: '../plugin.ts',
    sort: 'notFound',
    words: 'it is outside the folder of hundredfold.yaml: write its whole path',
  },
  'a package that is not installed': {
    entry: 'hundredfold-blast',
    sort: 'notFound',
    words: 'no package of this name is installed in ',
  },
  'a slip of the pen': {
    change: { 'kinds: [words]': 'kinds: [words' },
    sort: 'syntax',
    words: /^plugin\.ts:\d+: /,
  },
  'more of TypeScript than types': {
    change: { 'export const words': 'enum Colour { Red }\nexport const words' },
    sort: 'syntax',
    words: 'write `const` instead of `enum`, or give a .js file',
  },
  'a module that waits': {
    text: 'export const answer = await Promise.resolve(42);',
    sort: 'syntax',
    words: '`await` outside a function: a plugin waits for nothing',
  },
  'an import of the file system': {
    text: "import { readFileSync } from 'node:fs';\nexport const key = readFileSync;",
    sort: 'import',
    words: 'plugin.ts or a file of it imports node:fs',
  },
  'an import of what hundredfold/service does not have': {
    text: "import { sendJob } from 'hundredfold/service';\nexport const send = sendJob;",
    sort: 'import',
    words: "does not provide an export named 'sendJob'",
  },
  'an error while it is loaded': {
    text: "\n\nthrow new Error('no licence');",
    sort: 'threw',
    words: 'plugin.ts:3: no licence',
  },
  'no definition': {
    text: 'export const uniprot = {}, limit = 100;',
    sort: 'empty',
    words:
      'it exports limit, uniprot, and no kind or service that defineKind or defineService returned',
  },
  'a missing part': {
    change: { '  poll: { request: (id) => ({ path: [id] }), answers: {} },\n': '' },
    sort: 'shape',
    words: 'counter: `poll` is missing: ',
  },
  'a missing method': {
    change: { 'poll: { request: (id) => ({ path: [id] }), ': 'poll: { ' },
    sort: 'shape',
    words: 'counter: `poll.request` is missing: write a function',
  },
  'a request for an artefact that no kind has': {
    change: { 'fetch: { count:': 'fetch: { number:' },
    sort: 'shape',
    words: 'counter: `fetch` has nothing for count of its kind words',
  },
  'a misspelt key': {
    change: { 'probe: ': 'jobid: {}, probe: ' },
    sort: 'shape',
    words: 'counter: `jobid` is not known here; look for a misspelt key',
  },
  'a kind without a part': {
    change: { '  check: () => null,\n': '' },
    sort: 'shape',
    words: 'plugin.ts:2: words: `check` is missing: write a function',
  },
  'a misspelt key of a kind': {
    change: { 'words: { one:': 'optoins: {}, words: { one:' },
    sort: 'shape',
    words: 'plugin.ts:2: words: `optoins` is not known here; look for a misspelt key',
  },
  'a misspelt key of an input': {
    change: { "input: { column: { name: 'words' }": "input: { colunm: { name: 'words' }" },
    sort: 'shape',
    words: 'words: `input.colunm` is not known here; look for a misspelt key',
  },
  'what is no status': {
    change: {
      'poll: { request: (id) => ({ path: [id] }), answers: {}':
        "poll: { request: (id) => ({ path: [id] }), answers: { '20x': () => null }",
    },
    sort: 'shape',
    words: 'counter: `poll.answers.20x` is a function; write a status such as 200 or 4xx',
  },
  'what is no outcome': {
    change: {
      'path: [] }), answers: {} },\n});': "path: [] }), answers: { 404: { type: 'ok' } } },\n});",
    },
    sort: 'shape',
    words:
      "counter: `probe.answers.404` is { type: 'ok' }; write a function, or an outcome of the type right",
  },
  'an address that is not in an object': {
    change: { 'kinds: [words],': "kinds: [words], url: 'http://a.example.org'," },
    sort: 'shape',
    words: "counter: `url` is 'http://a.example.org'; write { default: 'https://…' } or {}",
  },
  'a duration with a blank': {
    change: { "atMost: '10s'": "atMost: '10 s'" },
    sort: 'shape',
    words: "counter: `pace.atMost` is '10 s'; write '10s'",
  },
  'a schema of another zod': {
    change: { 'probe: ': 'config: { safeParse() {}, shape: {} }, probe: ' },
    sort: 'shape',
    words: "write z.object({ … }), with the z of 'hundredfold/service'",
  },
  'a kind without defineKind': {
    change: { 'words = defineKind({': 'words = ({' },
    sort: 'shape',
    words: 'words: make kinds with defineKind',
  },
  'a kind without a service': {
    change: { 'export const counter = defineService': 'const counter = defineService' },
    sort: 'shape',
    words: 'words: no service of this plugin takes it',
  },
  'the name of one of our kinds': {
    change: {
      "name: 'words',\n": "name: 'sequence', folder: 'words',\n",
      'request: { words:': 'request: { sequence:',
    },
    sort: 'name',
    words: 'the kind sequence is one of hundredfold',
  },
  'the folder of one of our kinds': {
    change: { "name: 'words',\n": "name: 'words', folder: 'molecules',\n" },
    sort: 'name',
    words: 'the folder molecules is one of hundredfold',
  },
  'a column that every row has': {
    change: { "column: { name: 'words' }": "column: { name: 'title' }" },
    sort: 'column',
    words: 'words: every row has a column title',
  },
  'a column that another kind has for something else': {
    change: { "column: { name: 'words' }": "column: { name: 'charge_method' }" },
    sort: 'column',
    words: 'words: the kind molecule has another column charge_method',
  },
  'an extension that another kind has, and nothing that tells them apart': {
    change: { "column: { name: 'words' }": "extensions: ['.fasta']" },
    sort: 'shape',
    words: 'words: files of the kind sequence have the same extension: write `input.recognise`',
  },
};

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'hundredfold-plugins-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

function changed(change: Readonly<Record<string, string>>): string {
  let text = SMALL;
  for (const [from, to] of Object.entries(change)) {
    expect(text, 'the text to be replaced').toContain(from);
    text = text.replace(from, to);
  }
  return text;
}

function errorOf(entries: readonly string[], folder: string): HundredfoldError {
  try {
    loadPlugins(entries, folder);
  } catch (error) {
    if (error instanceof HundredfoldError) return error;
    throw error;
  }
  throw new Error('it was loaded');
}

describe('a plugin is refused for', () => {
  for (const [what, { change = {}, text, entry = './plugin.ts', sort, words }] of Object.entries(
    CASES,
  )) {
    test(what, () => {
      const error = errorOf([entry], folderWith({ 'plugin.ts': text ?? changed(change) }));
      expect(error.code, error.message).toBe('PLUGIN_REFUSED');
      const [, told = ''] = error.message.split(`plugin ${entry}: `);
      if (typeof words === 'string') expect(told).toContain(words);
      else expect(told).toMatch(words);
      expect(error.message, 'a stack trace').not.toMatch(/\n\s+at /);
      expect(error.remedy).toBe(PLUGIN_REMEDIES[sort]);
    });
  }
});

test('all faults of all plugins are told at once, with what to do about each', () => {
  const folder = folderWith({
    'one.ts': changed({
      "atMost: '10s'": "atMost: '10 s'",
      '  budget: { windows: [], maxOpen: 1 },\n': '',
    }),
    'two.ts': SMALL,
  });
  const { remedy, message } = errorOf(['./one.ts', './gone.ts', './two.ts'], folder);
  expect(remedy).toBe(`${PLUGIN_REMEDIES.shape} ${PLUGIN_REMEDIES.notFound}`);
  expect(message.split('\n').slice(1)).toEqual([
    '  ./one.ts: one.ts:11: counter: `budget` is missing: write a value of the type object',
    "  ./one.ts: one.ts:11: counter: `pace.atMost` is '10 s'; write '10s'",
    expect.stringContaining('./gone.ts: there is no file '),
  ]);
});

test('two plugins must not define the same names', () => {
  const folder = folderWith({ 'one.ts': SMALL, 'two.ts': SMALL });
  const { message } = errorOf(['./one.ts', './two.ts'], folder);
  expect(message).toContain('./two.ts: the kind words is one of ./one.ts');
});

test('the digest of a plugin is that of all that it consists of, and of nothing else', () => {
  const digestOf = (files: Readonly<Record<string, string>>): string =>
    loadPlugins(['./plugin.ts'], folderWith(files))[0]?.digest ?? '';
  const parts = { 'plugin.ts': `import './units.ts';\n${SMALL}`, 'units.ts': 'export {};\n' };
  const first = digestOf(parts);
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(digestOf({ ...parts, 'notes.ts': 'export {};\n' })).toBe(first);
  expect(digestOf({ ...parts, 'units.ts': 'export {}; // changed\n' })).not.toBe(first);
  expect(findSource('words')?.plugin).toBe('./plugin.ts');
});
