/** The files next to the report with the same data, for other programs. */
const FILES = [
  ['items.csv', 'all items'],
  ['failed.csv', 'rows to run again'],
  ['tables/molecules.csv', 'molecules'],
  ['tables/residues.csv', 'residues of sequences'],
  ['tables/alignments.csv', 'columns of alignments'],
  ['tables/shifts.csv', 'residues of shift files'],
  ['tables/sequence-measures.csv', 'measures of each sequence'],
  ['tables/alignment-measures.csv', 'measures of each alignment'],
  ['tables/shift-measures.csv', 'measures of each shift file'],
  ['campaign.json', 'settings, versions and counts'],
] as const;

export function TableFiles() {
  return (
    <p class="files-beside">
      Files next to this report:{' '}
      {FILES.map(([path, words], place) => (
        <span key={path}>
          {place > 0 && ', '}
          <a href={path} title={words}>
            {path}
          </a>
        </span>
      ))}
      . Each table is also there as <a href="tables/">Parquet</a>.
    </p>
  );
}
