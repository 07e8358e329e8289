/** The key of a picture, drawn in it so that it is saved with it. */

interface KeyText {
  /** What the colour means. */
  readonly name: string;
  readonly text: string;
}

/** With its position, in CSS pixels. */
interface KeyEntry extends KeyText {
  readonly x: number;
  readonly y: number;
}

interface Place {
  readonly left: number;
  readonly top: number;
  /** Of the picture. */
  readonly width: number;
}

const LINE = 18;
const SWATCH = 10;
/** Between swatch and text. */
const SPACE = 5;
const BETWEEN = 14;
/** Estimated width of a letter at 12 px, on the safe side: text is not measured. */
const LETTER = 7.2;

/** Wraps to a new line at the width of the picture. */
export function keyInLines(
  texts: readonly KeyText[],
  { left, top, width }: Place,
): { readonly entries: readonly KeyEntry[]; readonly height: number } {
  let [x, y] = [left, top];
  const entries = texts.map((one): KeyEntry => {
    const wide = SWATCH + SPACE + one.text.length * LETTER;
    if (x > left && x + wide > width) [x, y] = [left, y + LINE];
    const entry = { ...one, x, y };
    x += wide + BETWEEN;
    return entry;
  });
  return { entries, height: texts.length === 0 ? 0 : y - top + LINE };
}

interface KeyEntriesProps {
  readonly entries: readonly KeyEntry[];
  readonly colourOf: (name: string) => string;
}

export function KeyEntries({ entries, colourOf }: KeyEntriesProps) {
  return (
    <>
      {entries.map(({ name, text, x, y }) => (
        <g key={name} class="key-entry">
          <circle cx={x + SWATCH / 2} cy={y + LINE / 2} r={SWATCH / 2} fill={colourOf(name)} />
          <text x={x + SWATCH + SPACE} y={y + LINE / 2 + 4}>
            {text}
          </text>
        </g>
      ))}
    </>
  );
}
