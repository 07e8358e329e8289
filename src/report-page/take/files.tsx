/** The files beside the report that hold the same, for other programs. */
const FILES = [
  ['items.csv', 'all items'],
  ['failed.csv', 'those to run again'],
  ['tables/molecules.csv', 'molecules'],
  ['tables/residues.csv', 'residues of sequences'],
  ['tables/alignments.csv', 'columns of alignments'],
  ['tables/shifts.csv', 'residues of shift files'],
  ['campaign.json', 'what ran'],
] as const;

export function TableFiles() {
  return (
    <p class="files-beside">
      Beside this report:{' '}
      {FILES.map(([path, words], place) => (
        <span key={path}>
          {place > 0 && ', '}
          <a href={path} title={words}>
            {path}
          </a>
        </span>
      ))}
      . Each of the tables lies there as <a href="tables/">Parquet</a> as well.
    </p>
  );
}
