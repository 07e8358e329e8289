/** The documentation is correct: links, configuration examples, command lines, error codes. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createProgram } from '../../src/cli/program.ts';
import { configSchema } from '../../src/config/schema.ts';

const program = await createProgram();

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'batches/README.md'].concat(
  globSync('{docs,packages/local-services}/*.md', { cwd: ROOT }).sort(),
);

/** The changelog may name what is gone. */
const CURRENT = PAGES.filter((page) => page !== 'CHANGELOG.md');

const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm;

/** The blocks of a page in one language. */
function blocks(page: string, language: string): string[] {
  return [...read(page).matchAll(FENCE)].flatMap(([, lang, body]) =>
    lang === language && body !== undefined ? [body] : [],
  );
}

function inlineCode(page: string): string[] {
  const prose = read(page).replace(FENCE, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? '');
}

/** A heading's anchor, as GitHub generates it. */
function anchors(path: string): string[] {
  const headings = readFileSync(path, 'utf8')
    .replace(FENCE, '')
    .matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The broken links of a text at `path`, with the reason. */
function brokenLinks(path: string, text: string): string[] {
  const prose = text.replace(FENCE, '');
  // `[text](to)`, and the list of `[name]: to` at the end of a page.
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)].map(
    ([, inline, listed]) => inline ?? listed ?? '',
  );
  return links
    .filter((to) => !/^https?:/.test(to))
    .filter((to) => {
      const [file = '', anchor] = to.split('#');
      const target = file === '' ? path : resolve(dirname(path), file);
      if (relative(ROOT, target).startsWith('..') || !existsSync(target)) return true;
      return anchor !== undefined && !anchors(target).includes(anchor);
    });
}

test.each(PAGES)('links of %s lead somewhere in the project', (page) => {
  expect(brokenLinks(join(ROOT, page), read(page))).toEqual([]);
});

describe('the readers of a page', () => {
  const BOOKS = ['CONTRIBUTING.md', ...globSync('docs/*.md', { cwd: ROOT })];
  const readers = (page: string) => /^# .+\n\n(For people [^.]+)/.exec(read(page))?.[1] ?? '';
  const areBuilders = (page: string) =>
    /^For people who (change|release) hundredfold/.test(readers(page));

  test.each(BOOKS)('are named in the first line of %s', (page) => {
    expect(readers(page)).not.toBe('');
  });

  test('are not sent to pages for people who change hundredfold, unless they do', () => {
    const sent = BOOKS.filter((page) => !areBuilders(page)).flatMap((page) =>
      BOOKS.filter(
        (to) => areBuilders(to) && read(page).includes(`](${to.replace('docs/', '')}`),
      ).map((to) => `${page} → ${to}`),
    );
    expect(BOOKS.filter(areBuilders).length).toBeGreaterThan(2);
    expect(sent).toEqual([]);
  });
});

describe('the configuration', () => {
  const examples = ['README.md', 'docs/configuration.md'].flatMap((page) =>
    blocks(page, 'yaml').map((text) => ({ page, text })),
  );

  test.each(examples)('example of $page is valid:\n$text', ({ text }) => {
    const { error } = configSchema.safeParse(parse(text));
    expect(error?.issues ?? []).toEqual([]);
  });
});

/** `hundredfold run night.csv --detach` → run, night.csv, --detach; in the prose; commands.test.ts has those of shell blocks. */
function quotedCommands(page: string): (readonly string[])[] {
  const lines = blocks(page, '').flatMap((block) => block.split('\n'));
  return [...lines, ...inlineCode(page)].flatMap((line) => {
    const typed = /(?:^|npx )hundredfold ([^#&;]+)/.exec(line)?.[1];
    return typed === undefined ? [] : [typed.trim().split(/\s+/)];
  });
}

function commandProblem(words: readonly string[], among: Command = program): string | null {
  const [name = '', ...rest] = words;
  if (!/^[a-z]/.test(name) && among === program) return null;
  const command = among.commands.find((one) => one.name() === name);
  if (command === undefined) return name === 'help' ? null : `no command ${name}`;
  if (command.commands.length > 0 && /^[a-z]/.test(rest[0] ?? ''))
    return commandProblem(rest, command);
  const help = new Command().createHelp();
  const options = [...help.visibleOptions(command), ...program.options];
  const flags = options.flatMap(({ short, long }) => [short, long]);
  const unknown = rest
    .flatMap((word) => /^(--?[a-z][a-z-]*)/.exec(word)?.[1] ?? [])
    .find((option) => !flags.includes(option));
  return unknown === undefined ? null : `no option ${unknown} of ${name}`;
}

test.each(CURRENT)('command lines in %s name commands and options that exist', (page) => {
  const quoted = quotedCommands(page);
  if (page === 'README.md') expect(quoted.length).toBeGreaterThan(0);
  const problems = quoted.flatMap((words) => {
    const problem = commandProblem(words);
    return problem === null ? [] : [`hundredfold ${words.join(' ')}: ${problem}`];
  });
  expect(problems).toEqual([]);
});

const CLASSES = [
  ...['MANIFEST', 'MOLECULE', 'SMILES', 'SEQUENCE', 'ALIGNMENT', 'SHIFTS'],
  ...['ADOPT', 'CONFIG', 'OPTION', 'SERVICE', 'TOKEN', 'CAMPAIGN', 'HOST', 'LOCAL_SERVICES'],
  ...['TEMPORAL', 'SETUP', 'NODE', 'SUBMIT', 'JOB', 'RESULT', 'DOWNLOAD', 'STORE', 'ITEM'],
];
const CODE = new RegExp(`(?:${CLASSES.join('|')})(?:_[A-Z0-9]+)+`, 'g');
/** Has the form of a code, but is an environment variable. */
const VARIABLES = [
  ...['TEMPORAL_CLI', 'TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_API_KEY'],
  ...['TEMPORAL_PROFILE', 'NODE_EXTRA_CA_CERTS'],
  ...['TEMPORAL_SERVER', 'TEMPORAL_SQL_TOOL', 'TEMPORAL_BROADCAST_ADDRESS'],
];

function codesIn(text: string): string[] {
  const codes = [...text.matchAll(new RegExp(`(?<![A-Z_])${CODE.source}(?![A-Z_])`, 'g'))];
  return [...new Set(codes.map(([code]) => code))].filter((code) => !VARIABLES.includes(code));
}

const SOURCES = globSync(['{src,scripts,packages}/**/*.{ts,js}', 'bin/*.js'], { cwd: ROOT }).map(
  read,
);
/** In quotes, or at the beginning of a message: not in a comment. */
const RAISED = new Set(
  SOURCES.flatMap((text) => [...text.matchAll(/['`]([A-Z]\w+)(?:['`]|: )/g)]).flatMap(([, word]) =>
    codesIn(word ?? ''),
  ),
);

describe('error codes', () => {
  test.each(CURRENT)('in %s exist in the sources', (page) => {
    const code = [...inlineCode(page), ...blocks(page, 'text')].join('\n');
    expect(codesIn(code).filter((name) => !RAISED.has(name))).toEqual([]);
  });

  test('of the sources are all explained in docs/, individually or with their class', () => {
    const docs = globSync('docs/*.md', { cwd: ROOT }).map(read).join('\n');
    const written = new Set(codesIn(docs));
    // `SETUP_…` errors explain themselves; the others have a row each.
    const explained = (code: string) => written.has(code) || code.startsWith('SETUP_');
    expect([...RAISED].filter((code) => !explained(code))).toEqual([]);
  });
});

test('each of the ten invariants names tests that exist', () => {
  const lines = read('docs/invariants.md').split('\n');
  const rows = lines.filter((line) => /^\| \d/.test(line));
  expect(rows).toHaveLength(10);
  for (const row of rows) {
    const files = [...row.matchAll(/\(\.\.\/(test\/[^)]+)\): ((?:`[^`]+`(?:; )?)+)/g)];
    expect(files, row).not.toEqual([]);
    for (const [, file = '', titles = ''] of files)
      for (const [, title = ''] of titles.matchAll(/`([^`]+)`/g))
        expect(read(file), file).toContain(`'${title}'`);
  }
});

/** `manifest/{check,csv}` → the paths of both below `src/`. */
function expandPaths(code: string): string[] {
  const [, folder = '', names = ''] = /^(.+)\/\{?([^}]+)\}?$/.exec(code) ?? [];
  return names.split(',').map((name) => join(ROOT, 'src', folder, `${name}.ts`));
}

test('the files of a row exist, and are counted', () => {
  const [, section = ''] =
    /^### The files of a row$([\s\S]*?)^## /m.exec(read('docs/architecture.md')) ?? [];
  const rows = section.split('\n').filter((line) => /^\| .* \d+(?:\*\*)? \|$/.test(line));
  expect(rows.length).toBeGreaterThan(5);
  const listed: string[] = [];
  for (const row of rows) {
    for (const [, code = ''] of row.matchAll(/`([^`]+)`/g)) listed.push(...expandPaths(code));
    expect(Number(/(\d+)(?:\*\*)? \|$/.exec(row)?.[1]), row).toBe(listed.length);
  }
  expect(listed.filter((path) => !existsSync(path))).toEqual([]);
});

/** A test, or a folder of tests, by its path below `test/`. */
function isTest(name: string): boolean {
  const path = join(ROOT, 'test', name);
  return ['', '.ts', '.test.ts', '.property.test.ts'].some((end) => existsSync(path + end));
}

test.each(['docs/reliability.md', 'docs/security.md'])('%s names tests that exist', (page) => {
  const rows = read(page)
    .split('\n')
    .filter((line) => line.startsWith('| '));
  const cells = rows.map((row) => row.split(' | ').at(-1) ?? '');
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([a-z-]+(?:\/[a-z0-9-]+)+)`/g)]);
  const names = named.map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !isTest(name))).toEqual([]);
});
