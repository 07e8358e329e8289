/** Translates DNA: text in, text out. At most 5 jobs at a time, 20 in a minute and 500 in a day. */
import { accept, defineKind, defineService, refuse } from 'hundredfold/service';

export const dna = defineKind({
  name: 'dna',
  words: { one: 'DNA sequence' },
  input: {
    column: { name: 'dna' },
    extensions: ['.dna'],
    read({ text }) {
      const letters = text.replace(/\s/g, '').toUpperCase();
      if (/^([ACGT]{3})+$/.test(letters)) return accept({ file: 'input.dna', text: letters });
      return refuse('DNA_CODONS', 'These are not whole codons.', 'Write only A, C, G and T.');
    },
  },
  examples: [{ text: 'ATGGCATAA' }],
  artefacts: { protein: { file: 'protein.txt' } },
  readResult: ({ protein }) => (/^[A-Z*]+$/.test(protein) ? protein : null),
  check: (protein, { input }) =>
    input === null || protein.length * 3 === input.text.length ? null : 'It has another length.',
  measures: {
    residues: { title: 'Residues', meaning: 'Length.', of: (protein) => protein.length },
  },
});

export const translate = defineService({
  name: 'translate',
  title: 'the translation service',
  kinds: [dna],
  secrets: { key: { description: 'Source of your key.', env: 'TRANSLATE_KEY' } },
  budget: {
    windows: [
      { limit: 20, window: '1m' },
      { limit: 500, window: '24h' },
    ],
    maxOpen: 5,
  },
  pace: { every: '1s', atMost: '30s' },
  identity: { by: 'request', within: '24h', header: 'Idempotency-Key' },
  submit: {
    request: {
      dna: ({ input }) => ({
        path: ['jobs'],
        body: { text: input.text, type: 'text/plain' },
        auth: [{ secret: 'key', in: 'header', name: 'X-Key' }],
      }),
    },
    answers: { 201: ({ text }) => ({ type: 'accepted', id: text.trim() }) },
  },
  poll: {
    request: (id) => ({ path: ['jobs', id] }),
    answers: {
      200: ({ text }) =>
        text === 'done' ? { type: 'finished' } : text === 'queued' ? { type: 'running' } : null,
    },
  },
  fetch: { protein: { request: (id) => ({ path: ['jobs', id, 'protein'] }) } },
  probe: { request: () => ({ path: ['jobs', 'none'] }), answers: { 404: { type: 'right' } } },
});
