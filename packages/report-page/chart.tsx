/** Pictures: plots of Observable Plot that fill their place, and the button that saves a picture as SVG. */
import { plot, type PlotOptions } from '@observablehq/plot';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { saveFile } from './take.tsx';

interface ChartProps {
  /** A one-sentence description for screen readers, and the name of the saved file. */
  readonly label: string;
  /** Width in CSS pixels → the plot. */
  readonly options: (width: number) => PlotOptions;
  /** Called with what the pointer is at, and null when it has left it. */
  readonly onPoint?: (datum: unknown) => void;
}

/** A plot, redrawn when its place changes its width. */
export function Chart({ label, options, onPoint }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const listener = useRef(onPoint);
  listener.current = onPoint;
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    let drawn = 0;
    const draw = (): void => {
      const width = Math.floor(element.clientWidth);
      if (width === drawn || width === 0) return;
      drawn = width;
      const picture = plot({ ...options(width), width });
      describe(picture, label);
      picture.addEventListener('input', () => listener.current?.(picture.value));
      element.replaceChildren(picture);
    };
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    return () => observer.disconnect();
  }, [label, options]);
  return (
    <Picture name={label}>
      <div class="chart" ref={frame} />
    </Picture>
  );
}

/** One picture with one description. Plot labels each group of marks as well, which is invalid without a role. */
function describe(picture: Element, label: string): void {
  const [svg = picture] = picture.matches('svg')
    ? [picture]
    : picture.querySelectorAll(':scope > svg');
  svg.setAttribute('role', 'img');
  for (const group of picture.querySelectorAll('[aria-label], [aria-description]')) {
    group.setAttribute('data-mark', group.getAttribute('aria-label') ?? '');
    group.removeAttribute('aria-label');
    group.removeAttribute('aria-description');
  }
  svg.setAttribute('aria-label', label);
}

interface PictureProps {
  readonly name: string;
  /** Contains the SVG that is saved: the last, after those of a legend. */
  readonly children: ComponentChildren;
}

export function Picture({ name, children }: PictureProps) {
  const frame = useRef<HTMLDivElement>(null);
  const save = (): void => {
    const svg = [...(frame.current?.querySelectorAll<SVGSVGElement>('svg') ?? [])].at(-1);
    if (svg !== undefined) saveFile(`${toFileName(name)}.svg`, serializeSvg(svg), 'image/svg+xml');
  };
  return (
    <div class="picture" ref={frame}>
      {children}
      <button type="button" class="save" aria-label={`${name}: save as SVG`} onClick={save}>
        SVG
      </button>
    </div>
  );
}

/** `Backbone dynamics along the chain` → `backbone-dynamics-along-the-chain`. */
function toFileName(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return plain.replace(/^-|-$/g, '').slice(0, 60) || 'picture';
}

/** Properties that a stylesheet may have set on an element. */
const STYLES = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'opacity'];
const TEXT_STYLES = ['font-family', 'font-size', 'font-weight', 'text-anchor'];
const SVG = 'http://www.w3.org/2000/svg';

/** Self-contained: without stylesheet, and with the page's background. */
function serializeSvg(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const sources = [svg, ...svg.querySelectorAll<SVGElement>('*')];
  for (const [place, target] of [copy, ...copy.querySelectorAll<SVGElement>('*')].entries()) {
    const source = sources[place];
    if (source === undefined || source instanceof SVGStyleElement) continue;
    const computed = getComputedStyle(source);
    const names = source instanceof SVGTextElement ? [...STYLES, ...TEXT_STYLES] : STYLES;
    for (const name of names) target.style.setProperty(name, computed.getPropertyValue(name));
    // These may refer to colours of the page's stylesheet.
    for (const name of ['class', 'fill', 'stroke']) target.removeAttribute(name);
  }
  for (const style of copy.querySelectorAll('style')) style.remove();
  const { width, height } = svg.getBoundingClientRect();
  copy.setAttribute('xmlns', SVG);
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  const ground = document.createElementNS(SVG, 'rect');
  const [x = '0', y = '0', ...size] = svg.getAttribute('viewBox')?.split(/[\s,]+/) ?? [];
  const [wide = String(width), high = String(height)] = size;
  for (const [name, value] of Object.entries({ x, y, width: wide, height: high }))
    ground.setAttribute(name, value);
  ground.style.fill = getComputedStyle(document.body).backgroundColor;
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}
