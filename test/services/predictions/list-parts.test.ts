/** A list that is split while it arrives has the same content, however it is cut into chunks. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ListParts } from '../../../src/services/predictions/list-parts.ts';

/** The elements that were passed on before the end, and the rest. */
function split(text: string, chunk: number): { elements: unknown[]; rest: unknown; most: number } {
  const bytes = new TextEncoder().encode(text);
  const parts = new ListParts();
  const elements: unknown[] = [];
  let most = 0;
  for (let at = 0; at < bytes.length; at += chunk) {
    const part = parts.add(bytes.slice(at, at + chunk));
    if (part) elements.push(...(JSON.parse(new TextDecoder().decode(part)) as unknown[]));
    most = Math.max(most, parts.held);
  }
  return { elements, rest: JSON.parse(new TextDecoder().decode(parts.end())), most };
}

const anyJson = fc.jsonValue({ maxDepth: 4 });
const anyList = fc.array(anyJson, { maxLength: 20 });
const chunks = fc.integer({ min: 1, max: 60 });
const blanks = fc.constantFrom(0, 2);

test('a bare list', () => {
  fc.assert(
    fc.property(anyList, chunks, blanks, (list, chunk, indent) => {
      const { elements, rest } = split(JSON.stringify(list, null, indent), chunk);
      expect([...elements, ...(rest as unknown[])]).toEqual(JSON.parse(JSON.stringify(list)));
    }),
  );
});

test('a list under a key, with other keys around it', () => {
  fc.assert(
    fc.property(anyList, anyJson, chunks, blanks, (list, value, chunk, indent) => {
      const page = {
        count: { value },
        results: list,
        'a "[" in a key': '],{',
        links: { next: [value] },
      };
      const { elements, rest } = split(JSON.stringify(page, null, indent), chunk);
      const { results, ...others } = rest as typeof page;
      const { results: _, ...expected } = JSON.parse(JSON.stringify(page)) as typeof page;
      expect(others).toEqual(expected);
      expect([...elements, ...results]).toEqual(JSON.parse(JSON.stringify(list)));
    }),
  );
});

test('what is not a list is returned as it is', () => {
  fc.assert(
    fc.property(anyJson, chunks, (value, chunk) => {
      const page = { nested: { results: value }, id: { value } };
      expect(split(JSON.stringify(page), chunk)).toMatchObject({
        elements: [],
        rest: JSON.parse(JSON.stringify(page)) as unknown,
      });
    }),
  );
});

test('of a list of any length, a chunk and one element are held', () => {
  const list = Array.from({ length: 1_000 }, (_, n) => ({ id: `job-${n}`, note: 'x'.repeat(80) }));
  const { elements, most } = split(JSON.stringify({ results: list }), 500);
  expect(elements.length).toBeGreaterThan(990);
  expect(most).toBeLessThan(1_000);
});

test.each(['{"a":1},{"b":2}', '[1,2]]', '[1,2', '[1,2}', '[1 2]', '1,2'])(
  '%s is not JSON',
  (text) => {
    expect(() => split(text, 1)).toThrow(SyntaxError);
  },
);
