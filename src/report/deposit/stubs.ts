/** Drafts of what a repository requires and only the user knows: `CITATION.cff` and DataCite's metadata. Pure. */
import type { Kind } from '../../domain/item.ts';
import { worksBehind } from './works.ts';

/** Placeholder that the user has to replace. */
export const TO_COMPLETE = 'TODO';

export interface Described {
  readonly name: string;
  /** Items that succeeded. */
  readonly succeeded: number;
  readonly kinds: readonly Kind[];
  /** ISO 8601: when the campaign ended. */
  readonly endedAt: string;
  /** Of hundredfold. */
  readonly version: string;
}

/** Citation File Format 1.2.0. Every value is quoted as JSON, which is valid YAML. */
export function citationStub(described: Described): string {
  const { name, endedAt, kinds } = described;
  const q = JSON.stringify;
  const references = worksBehind(kinds).flatMap(({ title, doi, year, journal, authors }) => [
    '  - type: article',
    `    title: ${q(title)}`,
    `    doi: ${q(doi)}`,
    `    year: ${year}`,
    `    journal: ${q(journal)}`,
    '    authors:',
    ...authors.flatMap(({ family, given }) => [
      `      - family-names: ${q(family)}`,
      `        given-names: ${q(given)}`,
    ]),
  ]);
  const lines = [
    `# Complete every ${TO_COMPLETE}, then run the deposit command again.`,
    'cff-version: 1.2.0',
    'message: "If you use these results, please cite them, and the works below that computed them."',
    'type: dataset',
    `title: ${q(`${TO_COMPLETE}: title (campaign ${name})`)}`,
    `abstract: ${q(abstractOf(described))}`,
    'authors:',
    `  - family-names: ${q(TO_COMPLETE)}`,
    `    given-names: ${q(TO_COMPLETE)}`,
    `date-released: ${endedAt.slice(0, 10)}`,
    ...(references.length > 0 ? ['references:', ...references] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** DataCite Metadata Schema 4.5 as JSON. */
export function dataciteStub(described: Described): string {
  const { name, endedAt, kinds } = described;
  const metadata = {
    schemaVersion: 'http://datacite.org/schema/kernel-4',
    creators: [{ name: `${TO_COMPLETE}, ${TO_COMPLETE}`, nameType: 'Personal' }],
    titles: [{ title: `${TO_COMPLETE}: title (campaign ${name})` }],
    publisher: { name: `${TO_COMPLETE}: the repository` },
    publicationYear: endedAt.slice(0, 4),
    types: { resourceTypeGeneral: 'Dataset', resourceType: 'Computed results' },
    dates: [{ date: endedAt, dateType: 'Created' }],
    formats: ['application/zip'],
    descriptions: [{ description: abstractOf(described), descriptionType: 'Abstract' }],
    rightsList: [{ rights: `${TO_COMPLETE}: the licence` }],
    relatedIdentifiers: worksBehind(kinds).map(({ doi }) => ({
      relatedIdentifier: doi,
      relatedIdentifierType: 'DOI',
      relationType: 'Cites',
    })),
  };
  return `${JSON.stringify(metadata, null, 2)}\n`;
}

function abstractOf({ name, succeeded, kinds, version }: Described): string {
  return `Results of ${succeeded} jobs of the kinds ${kinds.join(', ')}: the campaign ${name}, run with hundredfold ${version}. The archive is a BagIt bag with tables, a report and an RO-Crate.`;
}
