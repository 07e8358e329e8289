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
/** What chardet gives only to texts in an Asian encoding that are full of its commonest characters. */
const CERTAIN = 100;
/** An encoding that reads the text otherwise must be this much less likely. */
const CLEAR = 0.75;
/** Of fewer letters, a word is no evidence of a language. */
const WORD = 3;
/** Characters of words that are looked at. */
const SAMPLE = 32_768;

/** Signs of tables in Western programs; a few of them alone are no text that a language can be told from. */
const WESTERN_SIGNS = /^[µ°±·×÷²³¹½¼¾®™©§Ååα–—‘’“”…•‰€£\u00a0\p{ASCII}]*$/u;
/** Western, Central European, Turkish: the umlauts, é, ó, ç and more have the same bytes in all three. */
const LATIN = ['windows-1252', 'windows-1250', 'windows-1254'];

/** Null when no encoding is clearly the one. */
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
  // What chardet calls ISO-8859-1, the web and `TextDecoder` read as windows-1252.
  return isClear ? new TextDecoder(best.name).encoding : null;
}

/** For a few words in which it does not matter which of the Latin encodings is meant. */
function byLetters(words: readonly string[]): string | null {
  const sample = words.join(' ').slice(0, SAMPLE);
  const [western = null, ...others] = LATIN.map((encoding) => decoded(sample, encoding));
  if (western === null) return null;
  const isLatin =
    others.every((text) => text === western) &&
    words.every((word) => (word.match(/[a-z]/gi)?.length ?? 0) * 2 > word.length);
  return isLatin || WESTERN_SIGNS.test(western) ? 'windows-1252' : null;
}

/** Only the words with bytes beyond ASCII: the English around them would outvote them. */
function wordsOf(bytes: Buffer): string[] {
  return bytes.toString('latin1').match(/[^\0- ,;"']*[\x80-\xff][^\0- ,;"']*/g) ?? [];
}

/** Controls that no text holds, and signs inside of words: `pr¾sent` is nobody's spelling, nor is UTF-8 read as `GrÃ¶sse`. */
const NO_TEXT = /[\x80-\x9f]|\p{L}[¡-©«-´¶-¹»-¿×÷]\p{L}/u;

/** Null when the bytes do not fit: what they spell are no characters, or no text. */
function decoded(sample: string, name: string): string | null {
  if (/^(UTF|ISO-2022|ASCII)/.test(name)) return null;
  try {
    const text = new TextDecoder(name, { fatal: true }).decode(Buffer.from(sample, 'latin1'));
    return NO_TEXT.test(text) ? null : text;
  } catch {
    return null;
  }
}
