/** What a user types and reads: exit codes, refusals, files that only the user may read. */
import type { Mutant } from './list.ts';

export const COMMANDS: readonly Mutant[] = [
  {
    name: 'exit-code-of-failures',
    file: 'src/cli/conclusion.ts',
    find: 'return items.succeeded === items.total ? EXIT.ok : EXIT.incomplete;',
    replace: 'return items.succeeded <= items.total ? EXIT.ok : EXIT.incomplete;',
    breaks: '3: a script sees that items have failed.',
    tests: ['test/cli/known-rows.test.ts'],
  },
  {
    name: 'invalid-rows-run',
    file: 'src/runner/intake.ts',
    find: "if (errors > 0) return skipInvalid && brokenFiles === 0 && items > 0 ? 'valid' : 'none';",
    replace: "if (errors > 0) return brokenFiles === 0 && items > 0 ? 'valid' : 'none';",
    breaks: '3: a table with an error is not submitted, unless the user wants the rest.',
    tests: ['test/cli/refusals.test.ts'],
  },
  {
    name: 'rows-of-any-condition',
    file: 'src/cli/options.ts',
    find: '(row) => conditions.every((isMet) => isMet(row))',
    replace: '(row) => conditions.some((isMet) => isMet(row))',
    breaks: 'a selection of rows is what all of its conditions say, not any.',
    tests: ['test/cli/finished-tree.test.ts'],
  },
  {
    name: 'unequal-rows-accepted',
    file: 'src/kinds/protein/alignment.ts',
    find: 'if (length !== expected) {',
    replace: 'if (length > expected) {',
    breaks: '5: an alignment with rows of different lengths is refused.',
    tests: ['test/kinds/protein/sequences.test.ts', 'test/manifest/problems.test.ts'],
  },
  {
    name: 'page-of-another-site',
    file: 'src/temporal/host/ui-guard.ts',
    find: "if (!names.includes(headers.host ?? '')) {",
    replace: "if (names.includes('')) {",
    breaks: '6: a web page cannot reach the UI of Temporal by another name.',
    tests: ['test/host/web-pages.test.ts'],
  },
  {
    name: 'state-readable-for-others',
    file: 'src/state.ts',
    find: 'export const PRIVATE_FOLDER = 0o700;',
    replace: 'export const PRIVATE_FOLDER = 0o755;',
    breaks: '6: histories and tokens on a shared machine are the own user’s.',
    tests: ['test/state/state-folder.test.ts'],
  },
  {
    name: 'formula-in-table',
    file: 'src/domain/plain-text.ts',
    find: "return first + replaceFormulas(visible, (piece) => `'${piece}`);",
    replace: 'return first + replaceFormulas(visible, (piece) => piece);',
    breaks: '5: no cell of a table runs as a formula.',
    tests: ['test/report/cells.property.test.ts', 'test/report/csv-table.test.ts'],
  },
  {
    name: 'killed-host-is-not-missed',
    file: 'src/runner/follow.ts',
    find: 'if (session.isAbandoned === true)',
    replace: 'if (session.isAbandoned === false)',
    breaks: '3: a command takes over when the one that ran the server is killed.',
    tests: ['test/cli/together.test.ts'],
  },
];
