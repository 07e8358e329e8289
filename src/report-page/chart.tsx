/** A plot of Observable Plot, drawn again when its place changes its width. */
import { plot, type PlotOptions } from '@observablehq/plot';
import { useEffect, useRef } from 'preact/hooks';
import { PictureButtons } from './take/picture-buttons.tsx';

export interface ChartProps {
  /** For those who cannot see it: what it shows, in a sentence. */
  readonly label: string;
  /** Width in CSS pixels → the plot. */
  readonly options: (width: number) => PlotOptions;
  /** In CSS pixels; otherwise as wide as its place. */
  readonly width?: number | undefined;
  /** Of the file that it is saved as; `label` when it is left out. */
  readonly name?: string;
}

export function Chart({ label, options, width, name = label }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    let drawn = 0;
    const draw = (wide: number): void => {
      if (wide === drawn || wide === 0) return;
      drawn = wide;
      const svg = plot({ ...options(wide), width: wide, ariaLabel: label });
      describe(svg);
      element.replaceChildren(svg);
    };
    if (width !== undefined) {
      draw(width);
      return;
    }
    draw(Math.floor(element.clientWidth));
    const observer = new ResizeObserver(() => draw(Math.floor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [label, options, width]);
  return (
    <div class="picture">
      <PictureButtons name={name} place={place} />
      <div class="chart" ref={place} />
    </div>
  );
}

/** One picture with one description. Plot names each group of marks as well, which may have no name without a role. */
function describe(svg: Element): void {
  svg.setAttribute('role', 'img');
  for (const group of svg.querySelectorAll('[aria-label], [aria-description]')) {
    group.setAttribute('data-mark', group.getAttribute('aria-label') ?? '');
    group.removeAttribute('aria-label');
    group.removeAttribute('aria-description');
  }
}
