/** A picture of the page as a file: with the colours and fonts that it has in the page. */
import { saveFile } from './save-file.ts';

/** Properties that a stylesheet may have set on an element. */
const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'opacity',
] as const;
const FONT_STYLES = ['font-family', 'font-size', 'font-weight', 'text-anchor'] as const;

const SVG = 'http://www.w3.org/2000/svg';
/** PNG pixels per CSS pixel. */
const SHARPNESS = 2;
/** Per side, close to the largest canvas that browsers support. */
const MOST_PIXELS = 16_000;

export interface Picture {
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

/** These pictures stacked in one, self-contained: without stylesheet, and with the page's background. */
export function stackOf(svgs: readonly SVGSVGElement[]): Picture {
  const stack = document.createElementNS(SVG, 'svg');
  let [width, height] = [0, 0];
  for (const svg of svgs) {
    const box = svg.getBoundingClientRect();
    const copy = copyOf(svg, box);
    copy.setAttribute('y', String(height));
    stack.append(copy);
    width = Math.max(width, box.width);
    height += box.height;
  }
  const [only] = stack.children;
  const whole = svgs.length === 1 && only instanceof SVGSVGElement ? only : stack;
  whole.removeAttribute('y');
  whole.setAttribute('xmlns', SVG);
  whole.setAttribute('width', String(width));
  whole.setAttribute('height', String(height));
  if (!whole.hasAttribute('viewBox')) whole.setAttribute('viewBox', `0 0 ${width} ${height}`);
  whole.prepend(groundOf(whole));
  return { text: new XMLSerializer().serializeToString(whole), width, height };
}

function copyOf(svg: SVGSVGElement, { width, height }: DOMRect): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const sources = [svg, ...svg.querySelectorAll<SVGElement>('*')];
  for (const [place, target] of [copy, ...copy.querySelectorAll<SVGElement>('*')].entries()) {
    const source = sources[place];
    if (source === undefined || source instanceof SVGStyleElement) continue;
    const computed = getComputedStyle(source);
    const names = source instanceof SVGTextElement ? [...STYLES, ...FONT_STYLES] : STYLES;
    for (const name of names) target.style.setProperty(name, computed.getPropertyValue(name));
    // These may refer to colours of the page's stylesheet.
    for (const name of ['class', 'fill', 'stroke']) target.removeAttribute(name);
  }
  for (const style of copy.querySelectorAll('style')) style.remove();
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  return copy;
}

function groundOf(svg: SVGSVGElement): SVGRectElement {
  const ground = document.createElementNS(SVG, 'rect');
  const [x = '0', y = '0', width = '0', height = '0'] =
    svg.getAttribute('viewBox')?.split(/[\s,]+/) ?? [];
  for (const [name, value] of Object.entries({ x, y, width, height })) {
    ground.setAttribute(name, value);
  }
  ground.setAttribute('fill', getComputedStyle(document.body).backgroundColor);
  return ground;
}

export function saveSvg(name: string, { text }: Picture): void {
  saveFile(`${name}.svg`, new Blob([text], { type: 'image/svg+xml' }));
}

/** The page's policy allows images only from `data:`. */
export async function savePng(name: string, { text, width, height }: Picture): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  const sharpness = Math.min(SHARPNESS, MOST_PIXELS / Math.max(width, height));
  canvas.width = Math.ceil(width * sharpness);
  canvas.height = Math.ceil(height * sharpness);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => {
    if (blob !== null) saveFile(`${name}.png`, blob);
  });
}
