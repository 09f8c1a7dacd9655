import { readFile } from 'node:fs/promises';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { workerCommand } from '../src/cli/subcommands/fleet/worker.ts';
import { environmentVariables } from '../src/config/environment.ts';
import type { Terminal } from '../src/frontends/shared/terminal.ts';

const kinds = { ConfigMap, Deployment, Service, StatefulSet };
type Manifest = { kind: keyof typeof kinds };

async function manifests() {
  const text = await readFile('examples/kubernetes/workers.yaml', 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS({ maxAliasCount: 0 }) as Manifest);
}

test('the example for Kubernetes is valid', async () => {
  const all = await manifests();
  expect(all.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Service', 'StatefulSet', 'Deployment']);
  for (const manifest of all) new kinds[manifest.kind](manifest as never).validate();
});

test('a wrong manifest is noticed', async () => {
  const deployment = (await manifests()).find(({ kind }) => kind === 'Deployment') as never;
  const wrong = { ...(deployment as object), spec: { replicas: 'four' } };
  expect(() => new Deployment(wrong as never).validate()).toThrow();
});

test('the workers get flags and variables that exist', async () => {
  const deployment = (await manifests()).find(({ kind }) => kind === 'Deployment') as unknown as {
    spec: { template: { spec: { containers: { args: string[]; env: { name: string }[] }[] } } };
  };
  const [worker] = deployment.spec.template.spec.containers;
  const flags = workerCommand({ env: {} } as Terminal).options.map(({ long }) => long);
  expect(flags).toEqual(expect.arrayContaining(worker?.args.map((arg) => arg.split('=')[0]) ?? ['none']));
  const ours = worker?.env.map(({ name }) => name).filter((name) => name.startsWith('AI_ASSISTANT_')) ?? [];
  expect(ours).toHaveLength(2);
  expect(environmentVariables.map(({ name }) => name)).toEqual(expect.arrayContaining(ours));
});
