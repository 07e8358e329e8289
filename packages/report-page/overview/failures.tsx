/** Failures by reason: how often, with which messages, and what to do. */
import { itemEndWords } from '../../../src/domain/item-end-codes.ts';
import type { ItemTable } from '../../../src/report/page-data.ts';
import { hashOf } from '../route.ts';
import { counted, countText } from '../words.ts';

/** More messages of a service under one code add nothing. */
const MOST_MESSAGES = 3;

interface Failure {
  readonly code: string;
  readonly count: number;
  /** The most frequent first. */
  readonly messages: readonly (readonly [message: string, count: number])[];
}

export function FailureTable({ table }: { readonly table: ItemTable }) {
  const failures = failuresOf(table);
  if (failures.length === 0) return null;
  return (
    <section aria-labelledby="failures" class="failures">
      <h2 id="failures">Items without a result</h2>
      {failures.map((failure) => (
        <FailureEntry key={failure.code} failure={failure} />
      ))}
    </section>
  );
}

function FailureEntry({ failure: { code, count, messages } }: { readonly failure: Failure }) {
  const words = itemEndWords(code);
  const more = messages.length - MOST_MESSAGES;
  return (
    <article class="failure">
      <h3>
        <a href={hashOf({ code })} aria-label={`${counted(count, 'item')} with ${code}: show them`}>
          {countText(count)}
        </a>{' '}
        <code>{code}</code>
      </h3>
      <p>{words.meaning}</p>
      <ul class="words">
        {messages.slice(0, MOST_MESSAGES).map(([message, times]) => (
          <li key={message}>
            <q>{message}</q>{' '}
            {messages.length > 1 && <span class="quiet">({countText(times)})</span>}
          </li>
        ))}
        {more > 0 && <li class="quiet">and {counted(more, 'other message')}</li>}
      </ul>
      <p class="remedy">
        <strong>What to do:</strong> {words.remedy}
      </p>
    </article>
  );
}

/** The most frequent first. */
function failuresOf(table: Pick<ItemTable, 'code' | 'message'>): readonly Failure[] {
  const byCode = new Map<string, Map<string, number>>();
  for (const [row, code] of table.code.entries()) {
    if (code === null) continue;
    const messages = byCode.get(code) ?? new Map<string, number>();
    byCode.set(code, messages);
    const message = table.message[row] ?? '';
    messages.set(message, (messages.get(message) ?? 0) + 1);
  }
  return [...byCode]
    .map(([code, messages]) => ({
      code,
      count: [...messages.values()].reduce((sum, times) => sum + times, 0),
      messages: [...messages].sort((a, b) => b[1] - a[1]),
    }))
    .sort((a, b) => b.count - a.count);
}
