import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { FOLDER, kustomize, rendered, tool } from './kustomize.ts';

const KUSTOMIZATIONS = ['base', 'local-services', 'campaign'];

const validate = tool('validate/bin/kubernetes-validate');
const missing = [kustomize, validate].includes(null);

const FILES: Readonly<Record<string, readonly string[]>> = {
  base: ['results', 'worker', 'network-policy'],
  'local-services': ['services'],
  campaign: ['job'],
};

/** Files of a folder as they are: what kustomize combines. */
function objects(name: string): any[] {
  return (FILES[name] ?? []).flatMap((file) =>
    parseAllDocuments(readFileSync(join(FOLDER, name, `${file}.yaml`), 'utf8')).map((one) =>
      one.toJS(),
    ),
  );
}

const pods = KUSTOMIZATIONS.flatMap(objects)
  .filter(({ kind }) => ['Deployment', 'Job'].includes(kind))
  .map(
    ({ kind, metadata, spec }) =>
      [metadata.name as string, kind as string, spec.template.spec] as const,
  );

test.each(pods)(
  '%s (%s) is not root, only writes to its volumes, has its tokens in files, probes and time to end',
  (_, kind, pod) => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
    // A worker ends within 45 s (docs/workers.md).
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(60);
    const probes = { startupProbe: {}, livenessProbe: {}, readinessProbe: {} };
    for (const container of pod.containers) {
      expect(container).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: {
          requests: { cpu: expect.any(String) },
          limits: { memory: expect.any(String) },
        },
        ...(kind === 'Deployment' && probes),
      });
      for (const { name } of container.env ?? []) expect(name).not.toMatch(/TOKEN|KEY|PASSWORD/);
    }
    const secrets = (pod.volumes as any[]).flatMap(({ secret }) => secret?.secretName ?? []);
    expect(new Set(secrets).size).toBe(secrets.length);
  },
);

test('the Job is not retried after exit codes that a retry cannot change', () => {
  const [job] = objects('campaign');
  expect(job.spec.podFailurePolicy.rules[0].onExitCodes.values).toEqual([2, 3, 4]);
});

const why = 'npm run test:containers installs kustomize and kubernetes-validate';

function problems(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hundredfold-kubernetes-'));
  try {
    const file = join(folder, 'all.yaml');
    writeFileSync(file, text);
    const args = ['--strict', '--kubernetes-version', '1.33', '--quiet', file];
    const run = spawnSync(validate ?? '', args, { encoding: 'utf8' });
    return run.status === 0 ? '' : `${run.stdout}${run.stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.skipIf(missing)(`the schemas of Kubernetes 1.33 (${missing ? why : 'checked'})`, () => {
  test.each(KUSTOMIZATIONS)('accept %s as rendered by kustomize', (name) => {
    expect(problems(rendered(name))).toBe('');
  });
});
