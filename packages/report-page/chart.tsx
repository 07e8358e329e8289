/** A plot of Observable Plot, redrawn when its container changes its width. */
import { plot, type PlotOptions } from '@observablehq/plot';
import { useEffect, useRef } from 'preact/hooks';
import { PictureButtons } from './take/saved-picture.tsx';

interface ChartProps {
  /** A one-sentence description for screen readers. */
  readonly label: string;
  /** Width in CSS pixels → the plot. */
  readonly options: (width: number) => PlotOptions;
  /** In CSS pixels; the default is the width of its container. */
  readonly width?: number | undefined;
  /** File name for saving; the default is `label`. */
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

/** One picture with one description. Plot labels each group of marks as well, which is invalid without a role. */
function describe(svg: Element): void {
  svg.setAttribute('role', 'img');
  for (const group of svg.querySelectorAll('[aria-label], [aria-description]')) {
    group.setAttribute('data-mark', group.getAttribute('aria-label') ?? '');
    group.removeAttribute('aria-label');
    group.removeAttribute('aria-description');
  }
}
