/** Maps identifiers between databases, as UniProt does: POST run → 303 when done → pages of results. */
import { accept, defineKind, defineService, readJson, refuse, z } from 'hundredfold/service';

const DATABASES = ['UniProtKB_AC-ID', 'UniProtKB', 'UniRef90', 'PDB', 'Ensembl', 'GeneID'] as const;
const DATABASE = { type: 'choice', allowed: DATABASES } as const;
const MAX_IDS = 100_000;
const target = z.union([z.string(), z.object({ primaryAccession: z.string() })]);
const page = z.object({
  results: z.array(z.object({ from: z.string(), to: target })),
  failedIds: z.array(z.string()).default([]),
});

export const idMapping = defineKind({
  name: 'id-mapping',
  words: { one: 'list of identifiers', many: 'lists of identifiers' },
  input: {
    column: { name: 'ids', synonyms: ['accessions'] },
    extensions: ['.ids'],
    read({ text }) {
      const ids = [...new Set(text.split(/[\s,;]+/).filter((id) => id !== ''))];
      const fix = 'Write up to 100,000 identifiers, one per line.';
      if (ids.length === 0) return refuse('IDS_EMPTY', 'There are no identifiers.', fix);
      if (ids.length > MAX_IDS)
        return refuse('IDS_TOO_MANY', `There are ${ids.length} identifiers.`, fix);
      return accept({
        file: 'input.ids',
        text: `${ids.join('\n')}\n`,
        canonical: ids.toSorted().join('\n'),
      });
    },
  },
  options: {
    from_db: { ...DATABASE, description: 'Of the identifiers.', default: 'UniProtKB_AC-ID' },
    to_db: { ...DATABASE, description: 'That they are mapped to.', default: 'UniProtKB' },
  },
  examples: [{ text: 'P69905 P68871 NOTFOUND' }],
  artefacts: { mapping: { file: 'mapping.json', isPaged: true } },
  readResult({ mapping }) {
    const pages = mapping.map((text) => page.safeParse(readJson(text)).data ?? null);
    if (pages.includes(null)) return null;
    const results = pages.flatMap((one) => one?.results ?? []);
    return {
      pairs: results.map(({ from, to }) => ({
        from,
        to: typeof to === 'string' ? to : to.primaryAccession,
      })),
      failed: [...new Set(pages.flatMap((one) => one?.failedIds ?? []))],
    };
  },
  check({ pairs, failed }, { input }) {
    if (input === null) return null;
    const sent = input.text.trim().split('\n');
    const open = new Set(sent);
    for (const id of [...pairs.map(({ from }) => from), ...failed]) {
      if (!sent.includes(id)) return `The result maps ${id}, which was not sent.`;
      open.delete(id);
    }
    return open.size === 0 ? null : `${open.size} identifiers are neither mapped nor failed.`;
  },
  measures: {
    mapped: { title: 'Mapped', meaning: 'Pairs.', of: ({ pairs }) => pairs.length },
    failed: { title: 'Not mapped', meaning: 'Without a target.', of: (r) => r.failed.length },
  },
  table: {
    columns: {
      from: { type: 'text', meaning: 'As sent.' },
      to: { type: 'text', meaning: 'Target; empty: not mapped.' },
    },
    rows: ({ pairs, failed }) => [...pairs, ...failed.map((from) => ({ from, to: null }))],
  },
});

const started = z.object({ jobId: z.string() });
const status = z.object({ jobStatus: z.enum(['NEW', 'RUNNING', 'FINISHED', 'ERROR']) });

export const uniprot = defineService({
  name: 'uniprot',
  title: 'UniProt ID mapping',
  terms: 'https://www.uniprot.org/help/id_mapping',
  kinds: [idMapping],
  url: { default: 'https://rest.uniprot.org' },
  config: z.object({
    pageSize: z.int().min(1).max(500).default(500).meta({ description: 'Results per page.' }),
  }),
  budget: { windows: [{ limit: 100, window: '60m' }], maxOpen: 5, counts: 'sent' },
  pace: { every: '5s', atMost: '60s', between: '200ms' },
  identity: { by: 'request', within: '7d' },
  submit: {
    request: {
      'id-mapping': ({ options, input }) => ({
        path: ['idmapping', 'run'],
        body: {
          form: {
            from: options.from_db,
            to: options.to_db,
            ids: input.text.trim().split('\n').join(','),
          },
        },
      }),
    },
    answers: {
      200({ json }) {
        const { data } = started.safeParse(json);
        return data === undefined ? null : { type: 'accepted', id: data.jobId };
      },
    },
  },
  poll: {
    request: (id) => ({ path: ['idmapping', 'status', id] }),
    answers: {
      303: { type: 'finished' },
      200({ json }) {
        switch (status.safeParse(json).data?.jobStatus) {
          case 'ERROR':
            return { type: 'failed' };
          case 'FINISHED':
            return { type: 'finished' };
          case 'NEW':
          case 'RUNNING':
            return { type: 'running' };
          case undefined:
            return null;
        }
      },
      404: { type: 'unknown' },
    },
  },
  fetch: {
    mapping: {
      request: (id, { pageSize }) => ({
        path: ['idmapping', 'results', id],
        query: { size: String(pageSize) },
      }),
      next: ({ nextLink }) => (nextLink === null ? null : { link: nextLink }),
    },
  },
  probe: {
    request: () => ({ path: ['idmapping', 'status', '0'.repeat(40)] }),
    answers: { 404: { type: 'right' } },
  },
});
