/**
 * Files of the batches with pieces removed and inserted, for tests that the readers give findings, never an exception.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { InputFinding } from '../../src/inputs/finding.ts';
import { complaint, toProblem } from '../../src/manifest/problems/problems.ts';

const BATCHES = path.join(import.meta.dirname, '..', '..', 'batches');

export const sample = (name: string): string => readFileSync(path.join(BATCHES, name), 'utf8');

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

/** One of the samples, with some of these pieces inserted somewhere. */
export function mutations(
  samples: readonly string[],
  piece: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const edit = fc.record({ at: fc.nat(), remove: fc.nat({ max: 40 }), insert: piece });
  return fc
    .tuple(fc.constantFrom(...samples), fc.array(edit, { minLength: 1, maxLength: 6 }))
    .map(([good, edits]) => edits.reduce(edited, good));
}

function edited(text: string, { at, remove, insert }: Edit): string {
  const place = at % (text.length + 1);
  return text.slice(0, place) + insert + text.slice(place + remove);
}

/** Every finding has a message without control codes. */
export function expectWords(findings: readonly InputFinding[]): void {
  const place = { file: 'm.csv', line: 2, id: 'row' };
  for (const { code, facts } of findings) {
    const { message, remedy } = toProblem(complaint(code, facts as never), place);
    expect(message).not.toMatch(/undefined|\[object/);
    expect(message).not.toMatch(/\p{Cc}/u);
    expect(remedy).not.toBe('');
  }
}
