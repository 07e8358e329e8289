/** What computed a result: nothing made up may pass for science. */
const WORDS: Readonly<Record<string, string>> = {
  synthetic: 'synthetic: made up for tests, no science',
  recorded: 'recorded: an earlier output of the real engine',
  real: 'computed by the real engine',
};

export function EngineMark({ engine }: { readonly engine: string | null }) {
  if (engine === null) return null;
  return (
    <span class={`engine engine-${engine in WORDS ? engine : 'other'}`}>
      {WORDS[engine] ?? engine}
    </span>
  );
}
