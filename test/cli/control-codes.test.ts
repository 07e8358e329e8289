/** What a file, a service or a name brings along does not reach the terminal as a command to it. */
import { describe, expect, test } from 'vitest';
import { harmless } from '../../src/domain/plain-text.ts';
import { desk } from './command.ts';

/** Clears the screen; sets the title; C1 form of the same; turns the reading direction; goes back to the line's begin. */
const CODES = ['\u001b[2J', '\u001b]0;x\u0007', '\u009b2J', '\u202e', '\r'];

describe('a word of ours', () => {
  test.each(CODES)('shows %j instead of sending it', (code) => {
    expect(harmless(`a${code}b`)).toMatch(/^a\\u\{[0-9a-f]+\}[^\p{Cc}]*b$/u);
    expect(harmless(`a${code}b`)).not.toContain(code);
  });

  test.each(['Ä, β-sheet, 蛋白质 🧬 👩‍🔬', 'two\nlines', 'a\ttab'])('leaves %j alone', (words) =>
    expect(harmless(words)).toBe(words),
  );
});

test('neither a configuration nor a manifest nor a name of a file brings one to the terminal', async () => {
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
