import { readFile } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { workerCommand } from '../src/cli/subcommands/fleet/worker.ts';
import { environmentVariables } from '../src/config/environment.ts';
import { durabilityWarnings } from '../src/fleet/queue/durability.ts';
import type { Terminal } from '../src/frontends/shared/terminal.ts';
import { hasRedis, redisServer } from './support/redis.ts';

const kinds = { ConfigMap, Deployment, Service, StatefulSet };
type Manifest = { kind: keyof typeof kinds };
type Worker = { args: string[]; env: { name: string }[]; volumeMounts: { mountPath: string }[] };
type WorkerPod = { spec: { template: { spec: { containers: Worker[] } } } };

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
  const deployment = (await manifests()).find(({ kind }) => kind === 'Deployment');
  const [worker] = (deployment as unknown as WorkerPod).spec.template.spec.containers;
  expect(worker?.args.shift()).toBe('worker');
  const flags = workerCommand({ env: {} } as Terminal).options.map(({ long }) => long);
  expect(flags).toEqual(expect.arrayContaining(worker?.args.map((arg) => arg.split('=')[0]) ?? ['none']));
  const ours = worker?.env.map(({ name }) => name).filter((name) => name.startsWith('AI_ASSISTANT_')) ?? [];
  expect(ours).toHaveLength(2);
  expect(environmentVariables.map(({ name }) => name)).toEqual(expect.arrayContaining(ours));
});

test.skipIf(!hasRedis)(
  'Redis starts with the settings of the example, speaks TLS only and loses nothing',
  async () => {
    const map = (await manifests()).find(({ kind }) => kind === 'ConfigMap');
    const { data } = map as unknown as { data: Record<string, string> };
    const settings = (data['redis.conf'] ?? '')
      .trim()
      .split('\n')
      .filter((line) => !/^(dir|port|tls-port|tls-.*-file) /.test(line))
      .flatMap((line) => `--${line}`.split(' '));
    const { url } = await redisServer({ tls: true, settings: [...settings, '--requirepass', 'secret'] });
    const redis = new Redis(url.replace('//', '//:secret@'), { tls: { rejectUnauthorized: false } });
    onTestFinished(() => redis.disconnect());
    expect(settings).toEqual(expect.arrayContaining(['--appendonly', '--tls-auth-clients']));
    expect(await durabilityWarnings(redis)).toEqual([]);
  },
);
