/**
 * How a secret may be spelled in the data of a service: plain, base64 (also inside a longer base64 text), and each of
 * these with some or all characters escaped for JSON, URLs, HTML or Python strings.
 */

/** A shorter secret may be part of ordinary text (`status`, `ALA`): it only counts as a separate word. */
const DISTINCT_LENGTH = 8;
/** A shorter one may be a word of a result (an atom, a residue): it only counts after a name such as `token`. */
const WORD_LENGTH = 4;

/** Bytes of the longest spelling of one character: eight backslashes and `u0041`. */
const LONGEST_UNIT = 13;
/** Characters of a spelling that are sufficient to start a full comparison. */
const HEAD_LENGTH = 6;
/** Bytes after a match that decide whether it is one. */
const LOOK_AHEAD = 16;
/** Bytes before a match that decide whether it is one. */
export const LOOK_BEHIND = 64;

/** A text that is searched for literally, at any position. */
interface Needle {
  readonly bytes: Buffer;
  /** Number of adjacent base64 characters that contain a part of the secret. */
  readonly before: number;
  readonly after: number;
}

export interface Spelled {
  /** The beginning of a match: V8 does not compile patterns as large as those of whole secrets. */
  readonly head: RegExp;
  /** The whole match, tested at such a beginning. */
  readonly whole: RegExp;
}

export interface SecretForms {
  readonly needles: readonly Needle[];
  /** Spellings with escaped characters; only searched for if `escapes` matches. null: none to look for. */
  readonly escaped: Spelled | null;
  readonly escapes: RegExp;
  /** Short secrets in places where they count; null if there are none. */
  readonly short: Spelled | null;
  /** Maximum bytes from the beginning of a match to the last byte that decides about it. */
  readonly reach: number;
}

/** Patterns are for text in which each character is one byte (latin1). */
export function secretForms(secrets: readonly string[]): SecretForms {
  const given = [...new Set(secrets)].filter((secret) => secret !== '').map(bytesOf);
  const distinct = given.filter(({ length }) => length >= DISTINCT_LENGTH);
  const short = given.filter(({ length }) => length < DISTINCT_LENGTH);
  const needles = distinct.flatMap((secret) => [
    { bytes: Buffer.from(secret, 'latin1'), before: 0, after: 0 },
    ...base64Needles(secret),
  ]);
  const spelled = needles.map(({ bytes }) => bytes.toString('latin1'));
  const longest = Math.max(0, ...[...spelled, ...short].map(({ length }) => length));
  return {
    needles,
    escaped: anyOf(
      spelled.map((text) => anySpelling(text.slice(0, HEAD_LENGTH))),
      spelled.map(anySpelling),
    ),
    escapes: escapesOf(spelled.join('')),
    short: anyOf(short.map(shortPattern)),
    reach: longest * LONGEST_UNIT + LOOK_AHEAD,
  };
}

/** UTF-8, one character per byte. */
function bytesOf(secret: string): string {
  return Buffer.from(secret, 'utf8').toString('latin1');
}

/**
 * The base64 form of the secret in the middle of a longer text, without the characters that it shares with its
 * neighbours: one for each position at which the secret may begin in a group of three bytes, in both alphabets.
 */
function base64Needles(secret: string): Needle[] {
  const needles = [0, 1, 2].flatMap((place) => {
    const padded = Buffer.concat([Buffer.alloc(place), Buffer.from(secret, 'latin1')]);
    const bits = padded.length * 8;
    const first = Math.ceil((place * 8) / 6);
    const core = padded.toString('base64').slice(first, Math.floor(bits / 6));
    const urlCore = core.replaceAll('+', '-').replaceAll('/', '_');
    const [before, after] = [place === 0 ? 0 : 1, bits % 6 === 0 ? 0 : 1];
    return [...new Set([core, urlCore])].map((text) => ({
      bytes: Buffer.from(text),
      before,
      after,
    }));
  });
  return needles;
}

function anyOf(heads: readonly string[], wholes = heads): Spelled | null {
  if (heads.length === 0) return null;
  return { head: new RegExp(heads.join('|'), 'g'), whole: new RegExp(wholes.join('|'), 'y') };
}

/** The text with each of its characters plain or escaped. */
function anySpelling(text: string): string {
  return Array.from(text, unitPattern).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '"': 'quot',
  '&': 'amp',
  "'": 'apos',
  '<': 'lt',
  '>': 'gt',
};
/** Characters that may be escaped with a plain backslash. */
const BACKSLASHED = '"\'/';

function unitPattern(character: string): string {
  const code = character.charCodeAt(0);
  const digits = code.toString(16).padStart(2, '0');
  const hex = digits.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
  const entity = ENTITIES[character];
  const spellings = [
    // A text that was escaped several times has several backslashes.
    character === '\\' ? '\\\\{1,8}' : literal(character),
    `\\\\{1,8}(?:u00|x)${hex}`,
    `%(?:25){0,3}${hex}`,
    `&#(?:0{0,4}${code}|[xX]0{0,4}${hex});`,
    ...(entity === undefined ? [] : [`&${entity};`]),
    ...(BACKSLASHED.includes(character) ? [`\\\\{1,8}${character}`] : []),
    ...(character === ' ' ? ['\\+'] : []),
  ];
  return `(?:${spellings.join('|')})`;
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/** A pattern that matches every text with one of these characters escaped. */
function escapesOf(characters: string): RegExp {
  const has = (some: string): boolean => [...some].some((one) => characters.includes(one));
  const beyondAscii = /[^ -~]/.test(characters);
  const digit = beyondAscii ? '[0-9a-fA-F]' : '[2-7]';
  return new RegExp(
    [
      `\\\\(?:u00|x)${digit}`,
      `%${digit}[0-9a-fA-F]`,
      '&#',
      ...(has('"&\'<>') ? ['&(?:quot|amp|apos|lt|gt);'] : []),
      ...(has(BACKSLASHED) ? [`\\\\[${BACKSLASHED}]`] : []),
      ...(has('\\') ? ['\\\\\\\\'] : []),
      ...(has(' ') ? ['\\+'] : []),
    ].join('|'),
  );
}

/** Names of secrets, in letters of any case: not by a flag, which would apply to the secret too. */
const LABEL = 'token|authorization|bearer|basic|api[-_]?key|secret|password|credentials?'.replace(
  /[a-z]/g,
  (letter) => `[${letter}${letter.toUpperCase()}]`,
);
const NO_WORD_BEFORE = '(?<![\\w-]|\\w\\.)';
/** A key of JSON is not a match either: it is the name of a field. */
const NO_WORD_BEHIND = '(?![\\w-]|\\.\\w)(?!\\\\{0,4}"\\s{0,8}:)';

function shortPattern(secret: string): string {
  const place =
    secret.length < WORD_LENGTH
      ? `(?<=(?:${LABEL})(?:[\\s"':=\\\\]|%(?:20|22|3[ADad])){1,16})`
      : '';
  const base64 = Buffer.from(secret, 'latin1').toString('base64');
  const whole = `${NO_WORD_BEFORE}${anySpelling(secret)}${NO_WORD_BEHIND}`;
  const encoded = `(?<![\\w+/-])${literal(base64)}(?![\\w+/=-])`;
  return `${place}(?:${whole}|${encoded})`;
}
