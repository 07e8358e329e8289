/** Control codes in a file, a service's answer or a name do not reach the terminal. */
import { describe, expect, test } from 'vitest';
import { harmless } from '../../src/domain/plain-text.ts';
import { desk } from './command.ts';

/**
 * Clears the screen; sets the title; C1 form of the same; changes the text direction; returns to the start of the line.
 */
const CODES = ['\u001b[2J', '\u001b]0;x\u0007', '\u009b2J', '\u202e', '\r'];

describe('text for the terminal', () => {
  test.each(CODES)('escapes %j', (code) => {
    expect(harmless(`a${code}b`)).toMatch(/^a\\u\{[0-9a-f]+\}[^\p{Cc}]*b$/u);
    expect(harmless(`a${code}b`)).not.toContain(code);
  });

  test.each(['Ä, β-sheet, 蛋白质 🧬 👩‍🔬', 'two\nlines', 'a\ttab'])('leaves %j unchanged', (words) =>
    expect(harmless(words)).toBe(words),
  );
});

test('no configuration, manifest or file name sends control codes to the terminal', async () => {
  const at = desk();
  const local = ['--services', 'local'];
  at.write('odd.yaml', '"k\\e[2J\\x9b": 1\n');
  at.write('table.csv', 'id,smiles,"smil\u001b[2Jes",kind\na,C(,,"\u009b31m"\n');
  at.write('odd\u001b[2J.csv', 'id,smiles\na,C(\n');
  const ended = await Promise.all([
    at.runs(2, ['run', 'table.csv', '--config', 'odd.yaml']),
    at.runs(2, ['run', 'table.csv', ...local]),
    at.runs(2, ['run', 'odd\u001b[2J.csv', ...local]),
  ]);
  for (const { stderr } of ended) {
    expect(stderr).toMatch(/\\u\{(1b|9b)\}/);
    expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  }
});
