/** Detects the encoding of a text that is not UTF-8. */
import { analyse } from 'chardet';

export interface Detected {
  /** The name for `TextDecoder`. */
  readonly encoding: string;
  /** A word of the text that depends on it, for the user to check. */
  readonly word: string;
}

/** In chardet's percent; below it, half of the guesses from a few words are wrong. */
const CONFIDENT = 25;
/** chardet gives this only to texts in an Asian encoding that consist mostly of its most common characters. */
const CERTAIN = 100;
/** An encoding with a different result must be this much less likely. */
const CLEAR = 0.75;
/** In characters. Shorter words do not identify a language. */
const WORD = 3;
/** Maximum characters of words that are examined. */
const SAMPLE = 32_768;

/** Symbols of tables in Western programs; a few of them alone do not identify a language. */
const WESTERN_SIGNS = /^[µ°±·×÷²³¹½¼¾®™©§Ååα–—‘’“”…•‰€£\u00a0\p{ASCII}]*$/u;
/** Western, Central European, Turkish: umlauts, é, ó, ç and more have the same bytes in all three. */
const LATIN = ['windows-1252', 'windows-1250', 'windows-1254'];

/** Null if no encoding is clearly the best. */
export function detectEncoding(bytes: Buffer): Detected | null {
  const words = wordsOf(bytes);
  const encoding = byLanguage(words.filter((word) => word.length >= WORD)) ?? byLetters(words);
  if (encoding === null) return null;
  const [word = ''] = words;
  return { encoding, word: decoded(word, encoding) ?? '' };
}

function byLanguage(words: readonly string[]): string | null {
  const sample = words.join(' ').slice(0, SAMPLE);
  const read = analyse(Buffer.from(sample, 'latin1')).flatMap(({ name, confidence }) => {
    const text = decoded(sample, name);
    return text === null ? [] : [{ name, confidence, text }];
  });
  const [best] = read;
  if (best === undefined || best.confidence < CONFIDENT) return null;
  const isClear =
    best.confidence >= CERTAIN ||
    read.every((other) => other.text === best.text || other.confidence <= CLEAR * best.confidence);
  // What chardet calls ISO-8859-1 is windows-1252 for the web and `TextDecoder`.
  return isClear ? new TextDecoder(best.name).encoding : null;
}

/** For a few words that are the same in all of the Latin encodings. */
function byLetters(words: readonly string[]): string | null {
  const sample = words.join(' ').slice(0, SAMPLE);
  const [western = null, ...others] = LATIN.map((encoding) => decoded(sample, encoding));
  if (western === null) return null;
  const isLatin =
    others.every((text) => text === western) &&
    words.every((word) => (word.match(/[a-z]/gi)?.length ?? 0) * 2 > word.length);
  return isLatin || WESTERN_SIGNS.test(western) ? 'windows-1252' : null;
}

/** Only the words with bytes beyond ASCII: the English around them would dominate the result. */
function wordsOf(bytes: Buffer): string[] {
  return bytes.toString('latin1').match(/[^\0- ,;"']*[\x80-\xff][^\0- ,;"']*/g) ?? [];
}

/**
 * Control characters that are not in any text, and symbols inside words, as in `pr¾sent`, or in UTF-8 that was read as
 * `GrÃ¶sse`.
 */
const NO_TEXT = /[\x80-\x9f]|\p{L}[¡-©«-´¶-¹»-¿×÷]\p{L}/u;

/** Null if the bytes do not fit: they decode to invalid characters, or to something that is not text. */
function decoded(sample: string, name: string): string | null {
  if (/^(UTF|ISO-2022|ASCII)/.test(name)) return null;
  try {
    const text = new TextDecoder(name, { fatal: true }).decode(Buffer.from(sample, 'latin1'));
    return NO_TEXT.test(text) ? null : text;
  } catch {
    return null;
  }
}
