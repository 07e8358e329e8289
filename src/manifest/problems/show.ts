/** Shows a user's value in a message: short, on one line, and without terminal control codes. */

import { codePoint } from '../../domain/plain-text.ts';

/** Maximum number of characters shown. */
const SHOWN = 80;

export function shown(value: string): string {
  const head = [...value.slice(0, 2 * SHOWN)];
  const short = head.length > SHOWN ? `${head.slice(0, SHOWN - 1).join('')}…` : head.join('');
  return escapeControls(short);
}

export function list(names: readonly string[]): string {
  return names.map((name) => `\`${shown(name)}\``).join(', ');
}

/** Complete, with control codes escaped. */
export function escapeControls(value: string): string {
  return value.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, escaped);
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  return NAMED[character] ?? codePoint(character);
}
