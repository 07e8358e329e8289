/**
 * What a user sees on a terminal: interprets the characters and control codes that our commands write. An unknown code
 * is an error, and not ignored.
 */

export interface Seen {
  /** Lines from the top, without blanks at their ends and without empty lines at the bottom. */
  readonly lines: readonly string[];
  /** On the live view's alternate screen. */
  readonly own: boolean;
  readonly cursor: { readonly row: number; readonly column: number; readonly visible: boolean };
}

const COLUMNS = 100;
// eslint-disable-next-line no-control-regex -- control codes are what this is about
const CODE = /^\x1b\[(\??)([\d;]*)([A-Za-z])/;

class Screen {
  #rows: string[][] = [[]];
  #row = 0;
  #column = 0;
  #visible = true;
  /** The main screen, without the live view. */
  #former: {
    readonly rows: string[][];
    readonly row: number;
    readonly column: number;
  } | null = null;

  seen(): Seen {
    const lines = this.#rows.map((cells) =>
      Array.from(cells, (c) => c)
        .join('')
        .trimEnd(),
    );
    while (lines.at(-1) === '') lines.pop();
    return {
      lines,
      own: this.#former !== null,
      cursor: { row: this.#row, column: this.#column, visible: this.#visible },
    };
  }

  character(char: string): void {
    if (char === '\n') return this.#down(1);
    if (char === '\r') {
      this.#column = 0;
      return;
    }
    if (this.#column === COLUMNS) {
      this.#down(1);
      this.#column = 0;
    }
    const cells = this.#cells();
    while (cells.length < this.#column) cells.push(' ');
    cells[this.#column] = char;
    this.#column += 1;
  }

  /** Returns true when the code ends a frame: incomplete frames are not shown. */
  code(mode: string, numbers: string, letter: string): boolean {
    const n = Number(numbers || (letter === 'K' || letter === 'J' ? 0 : 1));
    switch (`${mode}${letter}`) {
      case 'A':
        this.#row = Math.max(0, this.#row - n);
        return false;
      case 'B':
        this.#down(n);
        return false;
      case 'G':
        this.#column = n - 1;
        return false;
      case 'H':
        this.#row = 0;
        this.#column = 0;
        return false;
      case 'K':
        this.#cells().splice(n === 2 ? 0 : this.#column);
        return false;
      case 'J':
        this.#cells().splice(this.#column);
        this.#rows.splice(this.#row + 1);
        return false;
      case 'm': // colours
        return false;
      case '?h':
      case '?l':
        if (n === 25) this.#visible = letter === 'h';
        if (n === 1049) this.#swap(letter === 'h');
        return n === 2026 && letter === 'l';
      default:
        throw new Error(`a control code that the test does not know: ${mode}${numbers}${letter}`);
    }
  }

  #swap(own: boolean): void {
    const rows = this.#rows;
    const row = this.#row;
    const column = this.#column;
    if (own) this.#former = { rows, row, column };
    const next = own ? { rows: [[]], row: 0, column: 0 } : this.#former;
    if (!next) throw new Error('the view left a screen that it had not taken');
    this.#rows = next.rows;
    this.#row = next.row;
    this.#column = next.column;
    if (!own) this.#former = null;
  }

  #down(n: number): void {
    this.#row += n;
    while (this.#rows.length <= this.#row) this.#rows.push([]);
  }

  #cells(): string[] {
    return (this.#rows[this.#row] ??= []);
  }
}

/** Every frame in order; the last one remains. */
export function framesOf(stream: string): Seen[] {
  const screen = new Screen();
  const frames: Seen[] = [];
  let rest = stream;
  while (rest !== '') {
    const [whole = '', mode = '', numbers = '', letter = ''] = CODE.exec(rest) ?? [];
    if (whole !== '') {
      if (screen.code(mode, numbers, letter)) frames.push(screen.seen());
      rest = rest.slice(whole.length);
      continue;
    }
    const char = String.fromCodePoint(rest.codePointAt(0) ?? 0);
    if (char < ' ' && char !== '\n' && char !== '\r') {
      throw new Error(`a control character that the test does not know: ${JSON.stringify(char)}`);
    }
    screen.character(char);
    rest = rest.slice(char.length);
  }
  return [...frames, screen.seen()];
}

/** What is on the screen now. */
export function screenOf(stream: string): Seen {
  const last = framesOf(stream).at(-1);
  if (!last) throw new Error('a stream has at least one frame, its last');
  return last;
}
