/**
 * Converts RDKit's SVG to data. It has only a few element types (paths and single letters); anything else, and anything
 * except numbers and colours, is left out: no input can reach a page as markup.
 */
import type { Drawing, DrawnLetter, DrawnPath } from '../../domain/chemistry.ts';

/** In the SVG's own units; a page draws it at any size. */
const WIDTH = 420;
const HEIGHT = 280;

/** For `get_svg_with_highlights`. Letters as text: their outlines would be half of the data. */
export const DRAWING_OPTIONS = JSON.stringify({
  width: WIDTH,
  height: HEIGHT,
  noFreetype: true,
  clearBackground: false,
  // Small molecules are not enlarged: all bonds have the same length.
  fixedBondLength: 34,
  maxFontSize: 17,
  bondLineWidth: 1.5,
  addStereoAnnotation: false,
  // Atoms of a molecule with unknown bond orders would have them.
  includeRadicals: false,
});

const ELEMENT = /<(path|text)\s([^>]*?)\/?>(?:([^<]*)<\/text>)?/g;
const FILL = /\bfill(?::|=')(#[0-9A-Fa-f]{6})/;
const STROKE = /\bstroke:(#[0-9A-Fa-f]{6})/;
const PATH = /^[MLQCZ0-9.,\s-]+$/;
const LETTER = /^[A-Za-z0-9+\-*?]$/;

export function parseDrawing(svg: string): Drawing {
  const paths: DrawnPath[] = [];
  const letters: DrawnLetter[] = [];
  for (const [, name, attributes = '', text = ''] of svg.matchAll(ELEMENT)) {
    const letter = name === 'text' ? readLetter(attributes, text) : null;
    if (letter !== null) letters.push(letter);
    const path = name === 'path' ? readPath(attributes) : null;
    const last = paths.at(-1);
    if (path === null) continue;
    // Consecutive lines of one style become one path.
    if (last?.colour === path.colour && last.line === path.line) {
      paths[paths.length - 1] = { ...path, d: last.d + path.d };
    } else paths.push(path);
  }
  return { width: WIDTH, height: HEIGHT, paths, letters };
}

function readPath(attributes: string): DrawnPath | null {
  const d = /\bd='([^']*)'/.exec(attributes)?.[1] ?? '';
  if (!PATH.test(d)) return null;
  const fill = FILL.exec(attributes)?.[1];
  if (fill !== undefined) return { d: shortenPath(d), colour: fill, line: null };
  const stroke = STROKE.exec(attributes)?.[1];
  const line = Number(/\bstroke-width:([\d.]+)/.exec(attributes)?.[1]);
  return stroke === undefined || !(line > 0) ? null : { d: shortenPath(d), colour: stroke, line };
}

function readLetter(attributes: string, text: string): DrawnLetter | null {
  const colour = FILL.exec(attributes)?.[1];
  const numbers = [/\bx='(-?[\d.]+)'/, /\by='(-?[\d.]+)'/, /\bfont-size:([\d.]+)/];
  const [x = NaN, y = NaN, size = NaN] = numbers.map((one) => Number(one.exec(attributes)?.[1]));
  const isWhole = [x, y, size].every(Number.isFinite) && LETTER.test(text);
  return isWhole && colour !== undefined ? { x, y, size, colour, text } : null;
}

/** `M177.3 100.7L177.8 101`. */
function shortenPath(d: string): string {
  return d
    .replace(/[\s,]+/g, ' ')
    .replace(/ ?([MLQCZ]) ?/g, '$1')
    .replace(/\.0(?!\d)/g, '')
    .trim();
}
