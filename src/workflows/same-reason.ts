/**
 * The normal form of a failure's message: without ids, times and paths, which differ from job to job although the reason
 * is the same. Other numbers stay: they may show what is wrong with the row. Pure.
 */

/** Shorter ids of items may be words of a message: `1`, `a`. */
const SHORTEST_ID = 3;

const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;
/** `2026-11-23T04:05:06.7Z`, `2026-11-23`, `04:05:06`, `Mon, 23 Nov 2026 04:05:06 GMT`. */
const DATE =
  /\b(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?(?:\d{4}-\d\d-\d\d|\d{4}\/\d\d\/\d\d|\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{4})(?!\d)/gi;
const CLOCK = /\b[T ]?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?(?!\w)/g;
/** `after 12.3 s`, `still called running 75 s past its time limit`. */
const DURATION = /\b\d+(?:\.\d+)? ?(?:ms|s|secs?|seconds?|min|minutes?|h|hours?|days?)\b/g;
/** Of the address of a request, only the host stays. */
const URL_PATH = /(https?:\/\/[^\s/]+)\/[^\s"'<>)]*/gi;
/** Work folders have random names. */
const PATH = /(?<![\w:/.])(?:\/[\w.@+~%-]+){2,}\/?/g;
/** `a1b2c3d4`, `0x7ffe12ab`, `4711234`: letters with digits, from 6 characters on; digits alone, from 5 on. */
const LABEL = /\b(?:(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{6,}|\d{5,})\b/gi;

/** @param id of the item */
export function normalForm(message: string, id: string): string {
  return withoutId(message, id)
    .replace(URL_PATH, '$1/<path>')
    .replace(UUID, '<id>')
    .replace(DATE, '<time>')
    .replace(CLOCK, '<time>')
    .replace(/<time>(?:[T ]?<time>)+/g, '<time>')
    .replace(DURATION, '<time>')
    .replace(PATH, '<path>')
    .replace(LABEL, '<id>')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Also within a longer name: a service calls a job by its `job_name`, a file by the name that it was sent with. */
function withoutId(message: string, id: string): string {
  return id.length < SHORTEST_ID ? message : message.replaceAll(id, '<id>');
}
