/** Progress of a command that takes long, in lines. */
import { say } from './explain.ts';

const SHOW_EVERY_MS = 5_000;

/** Says the line of the progress that is reported, at most every few seconds. */
export function nowAndThen<T extends readonly unknown[]>(
  lineOf: (...progress: T) => string,
): (...progress: T) => void {
  let shownAt = performance.now();
  return (...progress) => {
    if (performance.now() - shownAt < SHOW_EVERY_MS) return;
    shownAt = performance.now();
    say(lineOf(...progress));
  };
}
