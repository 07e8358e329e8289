/** The rule about keys in literals that are spread on a condition (scripts/lint/known-spread-keys.js). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Linter } from 'eslint';
import ts from 'typescript';
import tseslint from 'typescript-eslint';
import { expect, onTestFinished, test } from 'vitest';
import { knownSpreadKeys } from '../../scripts/lint/known-spread-keys.js';

const TYPES = `
interface Found { readonly name: string; readonly note?: string; readonly size?: number }
interface Absent { readonly why: string }
declare const note: string | undefined;
declare const size: number | null;
declare function take(found: Found): void;
`;

/** The keys that the rule reports, and the errors of TypeScript. */
function check(code: string): { readonly reported: string[]; readonly errors: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'hundredfold-lint-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'a.ts');
  const text = TYPES + code;
  writeFileSync(file, text);
  const target = ts.ScriptTarget.ES2022;
  const program = ts.createProgram([file], { strict: true, noEmit: true, types: [], target });
  const diagnostics = ts.getPreEmitDiagnostics(program);
  const errors = diagnostics.map((one) => ts.flattenDiagnosticMessageText(one.messageText, '\n'));
  const messages = new Linter({ cwd: folder }).verify(
    text,
    {
      files: ['**/*.ts'],
      languageOptions: {
        parser: tseslint.parser,
        parserOptions: { programs: [program] },
      },
      plugins: { own: { rules: { 'known-spread-keys': knownSpreadKeys } } },
      rules: { 'own/known-spread-keys': 'error' },
    },
    file,
  );
  return { reported: messages.map(({ message }) => message.split(' ', 1)[0] ?? ''), errors };
}

test.each([
  ['a variable', `const a: Found = { name: '', ...(note && { nott: note }) };`],
  ['an argument', `take({ name: '', ...(size !== null && { nott: size }) });`],
  [
    'a result',
    `async function f(): Promise<Found> { return { name: '', ...(note ? { nott: note } : {}) }; }`,
  ],
  ['a union', `const a: Found | Absent | null = { name: '', ...(note && { nott: note }) };`],
  ['a nested literal', `const a: { b: Found } = { b: { name: '', ...(note && { nott: note }) } };`],
])('a misspelt key is reported in %s, which TypeScript does not do', (_, code) => {
  expect(check(code)).toEqual({ reported: ['nott'], errors: [] });
});

test.each([
  ['a known key', `const a: Found = { name: '', ...(note && { note }) };`],
  ['any key', `const a: Record<string, string> = { ...(note && { nott: note }) };`],
  ['no expected type', `const a = { name: '', ...(note && { nott: note }) };`],
])('%s is not reported', (_, code) => {
  expect(check(code)).toEqual({ reported: [], errors: [] });
});
