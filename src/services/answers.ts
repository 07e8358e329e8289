/** Reads an answer for a definition, and finds what the definition says of it. */
import { isPageText } from './availability.ts';
import { complexity, parseJson } from '../kinds/json.ts';
import type { HttpResponse } from './http-answer.ts';
import type { BodyText } from './http-body.ts';
import { redirectTarget } from './redirect.ts';
import type { Answer, Answers, AnswersFor, Meaning } from './service.ts';

export function answersFor<O, S, C>(answers: AnswersFor<O, S, C>, config: C): Answers<O, S> {
  return typeof answers === 'function' ? answers(config) : answers;
}

/** An exact status counts before its class. A 429 is about us, and never in the class. */
export function findMeaning<O>(
  answers: Readonly<Partial<Record<number | `${number}xx`, O>>>,
  status: number,
): O | undefined {
  const exact = answers[status];
  if (exact !== undefined || status === 429) return exact;
  return answers[`${Math.floor(status / 100)}xx` as '4xx'];
}

/** @param body as far as it was read */
export function readAnswer(answer: HttpResponse, url: URL, body: BodyText): Answer {
  const { status, headers } = answer;
  const text = body.type === 'broken' ? '' : body.text;
  const isTooLarge = body.type === 'tooLong' || complexity(text) !== null;
  return {
    status,
    path: url.pathname,
    headers,
    text,
    json: isTooLarge ? undefined : parseJson(text),
    isTooLarge,
    isPage: isPageText(answer, text),
    location: redirectTarget(answer, url, 'whole'),
    nextLink: nextLink(headers, url),
  };
}

/** Null if the definition does not understand it. */
export function interpret<O, S>(meaning: Meaning<O, S>, answer: Answer, subject: S): O | null {
  return typeof meaning === 'function'
    ? (meaning as (answer: Answer, subject: S) => O | null)(answer, subject)
    : meaning;
}

/** RFC 8288: `Link: <https://…>; rel="next"`. */
function nextLink(headers: Headers, from: URL): string | null {
  for (const [, target = '', parameters = ''] of (headers.get('link') ?? '').matchAll(
    /<([^>]*)>([^<]*)/g,
  ))
    if (/;\s*rel\s*=\s*"?(?:[^"]*\s)?next(?:\s|"|;|,|$)/i.test(parameters))
      return URL.parse(target, from.href)?.href ?? null;
  return null;
}
