/** A structural formula as lines and letters: the only parts taken from RDKit's SVG. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly paths: readonly DrawnPath[];
  readonly letters: readonly DrawnLetter[];
}

export interface DrawnPath {
  /** As in SVG: `M`, `L`, `Q`, `C`, `Z` and numbers. */
  readonly d: string;
  /** `#0000FF`: RDKit's colour of the element. */
  readonly colour: string;
  /** Width of the line; null if the path is filled. */
  readonly line: number | null;
}

export interface DrawnLetter {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly colour: string;
  /** One character. */
  readonly text: string;
}
