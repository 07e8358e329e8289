/** Environment variables that contain secrets, for programs that we start and that need none of them. */
import type { Environment } from '../domain/environment.ts';

/** Always secret: `HUNDREDFOLD_MOLECULE_TOKEN`, an API key that overrides the configuration. */
const OURS =
  /^(HUNDREDFOLD_\w*(TOKEN|KEY|SECRET|PASSWORD)\w*|TEMPORAL_(API_KEY|TLS_CLIENT_KEY_DATA|CODEC_AUTH))$/i;

/** Other names that a configuration gives as the source of a secret: every `{ env: NAME }` in it. */
export function secretVariables(config: unknown): string[] {
  if (typeof config !== 'object' || config === null) return [];
  return Object.entries(config).flatMap(([key, value]: [string, unknown]) => {
    if (key !== 'env' || typeof value !== 'string') return secretVariables(value);
    return OURS.test(value) ? [] : [value];
  });
}

/** The environment without those variables, without ours, and without copies of either under another name. */
export function withoutSecrets(environment: Environment, named: readonly string[]): Environment {
  const isSecret = (name: string): boolean => named.includes(name) || OURS.test(name);
  const values = new Set(
    Object.entries(environment)
      .filter(([name, value]) => isSecret(name) && value)
      .map(([, value]) => value),
  );
  return Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => !isSecret(name) && !values.has(value)),
  );
}
