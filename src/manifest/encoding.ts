/**
 * Which encoding a text is in that is not UTF-8, as far as its bytes tell.
 */
import { analyse } from 'chardet';

export interface Detected {
  /** As `TextDecoder` knows it. */
  readonly encoding: string;
  /** A word of the text in which it matters, for the user to judge by. */
  readonly word: string;
}

/** Of chardet's percent; below it, the guess is as often wrong as right on a few words. */
const CONFIDENT = 25;
/** An encoding that reads the text otherwise must be this much less likely. */
const CLEAR = 0.75;
/** Characters of words that are looked at. */
const SAMPLE = 32_768;

/** Signs of tables in Western programs; a few of them alone are no text that a language can be told from. */
const WESTERN_SIGNS = /^[µ°±·×÷²³¹½¼¾®™©§Ååα–—‘’“”…•‰€£\u00a0\p{ASCII}]*$/u;

/** Null when no encoding is clearly the one. */
export function detectEncoding(bytes: Buffer): Detected | null {
  const sample = wordsOf(bytes);
  if (isMixed(sample)) return null;
  const read = analyse(Buffer.from(sample, 'latin1')).flatMap(({ name, confidence }) => {
    const text = decoded(sample, name);
    return text === null ? [] : [{ encoding: name, confidence, text }];
  });
  const [best] = read;
  const isClear =
    best !== undefined &&
    best.confidence >= CONFIDENT &&
    read.every((other) => other.text === best.text || other.confidence <= CLEAR * best.confidence);
  if (isClear) return { encoding: labelOf(best.encoding), word: firstWord(best.text) };
  const western = decoded(sample, 'windows-1252');
  return western !== null && WESTERN_SIGNS.test(western)
    ? { encoding: 'windows-1252', word: firstWord(western) }
    : null;
}

/** Only the words with bytes beyond ASCII: the English around them would outvote them. */
function wordsOf(bytes: Buffer): string {
  const words = bytes.toString('latin1').match(/[^\0- ,;"']*[\x80-\xff][^\0- ,;"']*/g) ?? [];
  return words.join(' ').slice(0, SAMPLE);
}

/** UTF-8 in some places and not in others: files that were pasted together have no encoding. */
function isMixed(sample: string): boolean {
  const utf8 = sample.match(/[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}/g)?.length ?? 0;
  const runs = sample.match(/[\x80-\xff]+/g)?.length ?? 0;
  return utf8 > runs / 2;
}

/** Null when the bytes do not fit: what they spell are no characters, or controls that no text holds. */
function decoded(sample: string, name: string): string | null {
  if (/^(UTF|ISO-2022|ASCII)/.test(name)) return null;
  try {
    const text = new TextDecoder(name, { fatal: true }).decode(Buffer.from(sample, 'latin1'));
    return /[\x80-\x9f]/.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** What chardet calls ISO-8859-1, the web and `TextDecoder` read as windows-1252. */
function labelOf(name: string): string {
  return new TextDecoder(name).encoding;
}

function firstWord(text: string): string {
  return text.split(' ').find((word) => /[^\0-\x7f]/.test(word)) ?? '';
}
