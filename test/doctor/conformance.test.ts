import { describe, expect, test } from 'vitest';
import { conform } from '../../src/doctor/conformance/conform.ts';
import { allServices, serviceOf } from '../../src/services/registry.ts';
import { defineService } from '../../src/services/service.ts';
import { sequence } from '../../src/kinds/protein/index.ts';

test.each(allServices().map(({ name }) => name))('%s passes, in each variant', async (name) => {
  for (const { faults, rows } of await conform(serviceOf(name), {})) {
    expect(faults).toEqual([]);
    expect(rows.find(({ answer }) => answer === '429, Retry-After 20')).toMatchObject({
      step: 'submission',
      outcome: 'no job (rate-limited): waits 20 s, then one row is sent',
      isClaim: false,
    });
  }
});

type Definition = Parameters<typeof defineService>[0];

let count = 0;
const right = {
  name: 'other',
  title: 'the other service',
  kinds: [sequence],
  url: {},
  secrets: {},
  budget: { windows: [], maxOpen: 1, counts: 'sent' },
  pace: { every: '5s', atMost: '60s' },
  identity: { by: 'list', maxLength: 100, settles: '60s' },
  keeps: null,
  submit: {
    request: {
      sequence: ({ input, name }) => ({ path: ['run'], body: { form: { q: input.text, name } } }),
    },
    answers: {},
  },
  poll: { request: (id) => ({ path: ['state', id] }), answers: {} },
  fetch: Object.fromEntries(
    Object.keys(sequence.artefacts).map((name) => [
      name,
      { request: (id: string) => ({ path: ['file', name, id] }) },
    ]),
  ),
  list: { request: () => ({ path: ['jobs'] }), answers: {} },
  probe: { request: () => ({ path: ['state', 'none'] }), answers: {} },
} satisfies Definition;

const submits = (answers: Definition['submit']['answers']) => ({
  submit: { ...right.submit, answers },
});
const polls = (answers: Definition['poll']['answers']) => ({ poll: { ...right.poll, answers } });
const sends = (request: Definition['submit']['request'][string]) => ({
  submit: { ...right.submit, request: { sequence: request } },
});
const all = ({ input, name }: { input: { text: string }; name: string }) => ({
  q: input.text,
  name,
});

describe('what is wrong with a definition is named', () => {
  test.concurrent.each<[string, string | null, Partial<Definition>]>([
    ['nothing', null, {}],
    ['`running` by default', 'NOTHING_BELIEVED', polls({ 200: () => ({ type: 'running' }) })],
    ['finished, whatever the words', 'NOTHING_BELIEVED', polls({ 200: { type: 'finished' } })],
    ['failed by an outage', 'OUTAGE_BELIEVED', polls({ '5xx': { type: 'failed' } })],
    ['refused by an outage', 'OUTAGE_BELIEVED', submits({ 503: { type: 'refused' } })],
    [
      'no job in a 500',
      'OUTAGE_BELIEVED',
      submits({ 500: { type: 'notNow', why: 'unavailable', message: 'down' } }),
    ],
    [
      'an id from nothing',
      'ID_FROM_NOTHING',
      submits({
        200: ({ json }) => ({
          type: 'accepted',
          id: String((json as { id?: string } | undefined)?.id),
        }),
      }),
    ],
    [
      'a list without names',
      'LIST_BELIEVED',
      {
        list: {
          request: () => ({ path: ['jobs'] }),
          answers: { 200: { type: 'page', jobs: [], next: null } },
        },
      },
    ],
    ['identity without a list', 'DEFINITION_WRONG', { list: { missing: 'none' } }],
    [
      'no length of time',
      'DEFINITION_WRONG',
      { pace: { every: '5 parsecs' as '5s', atMost: '60s' } },
    ],
    [
      'a counter',
      'NOT_PURE',
      sends((job) => ({ path: ['run', String((count += 1))], body: { form: all(job) } })),
    ],
    [
      'a clock',
      'NOT_PURE',
      sends((job) => ({ path: ['run', String(Date.now())], body: { form: all(job) } })),
    ],
    [
      'a changed argument',
      'NOT_PURE',
      sends((job) => ({ path: ['run'], body: { form: all(Object.assign(job, { name: 'x' })) } })),
    ],
    [
      'what throws',
      'THROWS',
      polls({
        200: () => {
          throw new Error('oh');
        },
      }),
    ],
    [
      'another address',
      'REQUEST_ELSEWHERE',
      sends((job) => ({ path: ['..'], body: { form: all(job) } })),
    ],
    [
      'no input',
      'REQUEST_SAYS_TOO_LITTLE',
      sends(({ name }) => ({ path: ['run'], body: { form: { name } } })),
    ],
    [
      'a secret',
      'REQUEST_HAS_SECRET',
      sends((job) => ({
        path: ['run'],
        headers: { 'x-api-key': 'abc' },
        body: { form: all(job) },
      })),
    ],
  ])('%s', async (_, code, wrong) => {
    const [tried] = await conform(defineService({ ...right, ...wrong }), {});
    const codes = new Set(tried?.faults.map((one) => one.code));
    expect([...codes]).toEqual(code === null ? [] : expect.arrayContaining([code]));
  });
});
