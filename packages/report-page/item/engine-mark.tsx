/** The engine of a result: synthetic results must be recognisable. */
const WORDS: Readonly<Record<string, string>> = {
  synthetic: 'synthetic: made up for tests, not a result',
  recorded: 'recorded: an earlier output of the real engine',
  real: 'computed by the engine',
};

/** `real` from `real, ACPYPE 2023.10.27`. */
export function engineKind(engine: string): string {
  return engine.split(',', 1)[0] ?? '';
}

export function EngineMark({ engine }: { readonly engine: string | null }) {
  if (engine === null) return null;
  const kind = engineKind(engine);
  const version = engine.slice(kind.length).replace(/^, */, '');
  return (
    <span class={`engine engine-${kind in WORDS ? kind : 'other'}`}>
      {[WORDS[kind] ?? kind, version].filter(Boolean).join(', ')}
    </span>
  );
}
