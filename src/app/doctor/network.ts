import { access, constants } from 'node:fs/promises';
import { baseUrlOf } from '../../assembly/models/base-url.ts';
import { type Choice, presetsOf } from '../../assembly/models/choose-model.ts';
import { maskSecrets } from '../../config/mask.ts';
import type { HealthCheck } from '../../contract/command.ts';
import { isNearby } from '../../lib/network/nearby-address.ts';
import { type Reached, reach } from '../../providers/http/reach.ts';
import type { Preset } from '../../providers/presets.ts';
import type { Host } from '../host.ts';
import { keyOf } from '../opening/find-model.ts';
import { findSearch } from '../opening/search-backend.ts';
import { userNetwork } from '../opening/user-network.ts';
import type { Settings } from '../settings.ts';
import { bad, ok, warn } from './check.ts';

const ANSWER_MS = 4_000;
const SKEW_MS = 5 * 60 * 1000;

const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'];

type Env = Readonly<Record<string, string | undefined>>;

/** Proxy and certificate settings; makes no requests. */
export async function routeChecks({ config }: Settings, env: Env): Promise<HealthCheck[]> {
  const proxies = PROXIES.flatMap((name) => {
    const value = env[name.toLowerCase()] || env[name];
    return value ? [`${name}=${String(maskSecrets(value))}`] : [];
  });
  const { caFile } = config.network;
  return [
    ok('proxy', proxies.length > 0 ? proxies.join(', ') : 'none'),
    ...(caFile === undefined ? [] : [await certificateCheck('network.caFile', caFile)]),
    ...(env.NODE_EXTRA_CA_CERTS
      ? [await certificateCheck('NODE_EXTRA_CA_CERTS', env.NODE_EXTRA_CA_CERTS)]
      : []),
    ...(env.NODE_TLS_REJECT_UNAUTHORIZED === '0'
      ? [
          warn(
            'certificates',
            'NODE_TLS_REJECT_UNAUTHORIZED=0: your keys can be intercepted',
            'Unset it, and add the missing certificate authority with network.caFile.',
          ),
        ]
      : []),
    ...(config.offline ? [ok('offline', 'using only this machine and the local network')] : []),
  ];
}

/** What the web is searched with; makes no request. */
export async function webSearchCheck(
  settings: Settings,
  env: Host['env'],
  choice: Choice | null,
): Promise<HealthCheck> {
  const found = await findSearch(settings, { env }, choice);
  const { backend } = found;
  if (!backend) return ok('web search', `off: ${found.because}`);
  if (backend.type === 'model') return ok('web search', `by ${choice?.preset.label ?? 'the model'}`);
  return ok('web search', `${backend.service.label} at ${new URL(backend.address).origin}`);
}

async function certificateCheck(who: string, file: string): Promise<HealthCheck> {
  try {
    await access(file, constants.R_OK);
    return ok('certificates', `${file} (${who})`);
  } catch {
    return bad(
      'certificates',
      `${who} is set to ${file}, which cannot be read`,
      'Correct the path or unset it.',
    );
  }
}

type Keyed = { preset: Preset; baseUrl: string; key: { key: string; source: string } | null };

/** Vendors with a known key, and their addresses; keys are identified by where they are stored. */
export async function keysFound(settings: Settings, env: NodeJS.ProcessEnv): Promise<Keyed[]> {
  const { config, root } = settings;
  const found: Keyed[] = [];
  for (const preset of presetsOf(config)) {
    const key = await keyOf(preset, { config, root, env });
    const isOwn = Object.hasOwn(config.providers, preset.name);
    if ((key && !preset.local) || isOwn)
      found.push({ preset, key, baseUrl: baseUrlOf(preset, { config, env }) });
  }
  return found;
}

export function keyChecks(found: readonly Keyed[]): HealthCheck[] {
  return found.flatMap(({ preset, key }) => (key ? [ok('key', `${preset.name}, from ${key.source}`)] : []));
}

/**
 * Whether the configured vendors answer. No key is sent unless `probe` is set; offline, only local servers
 * are contacted.
 */
export async function reachChecks(
  found: readonly Keyed[],
  choice: Choice | null,
  { settings, host, probe }: { settings: Settings; host: Host; probe: boolean },
): Promise<HealthCheck[]> {
  const { config } = settings;
  const chosen = choice && choice.preset.protocol !== 'embedded' ? [{ ...choice }] : [];
  const all = [...chosen, ...found].filter(
    ({ baseUrl }, i, list) => baseUrl !== '' && list.findIndex((one) => one.baseUrl === baseUrl) === i,
  );
  const { http } = await userNetwork(config, host.env);
  const skews: number[] = [];
  const checks = await Promise.all(
    all.map(async ({ preset, baseUrl, key }): Promise<HealthCheck> => {
      const { name, protocol } = preset;
      if (config.offline && !isNearby(baseUrl)) return ok('reach', `${name}: not checked (offline)`);
      if (protocol === 'embedded') return ok('reach', `${name}: runs locally`);
      // A cloud takes its keys elsewhere than the vendors whose protocols it serves.
      const sentKey = probe && key !== null && !preset.cloud;
      const reached = await reach({
        protocol,
        baseUrl,
        http,
        timeoutMs: ANSWER_MS,
        ...(sentKey && { key: key.key }),
      });
      if (reached.type === 'answered' && reached.date) skews.push(Date.parse(reached.date) - Date.now());
      return reachCheck({ name, baseUrl, reached, sentKey });
    }),
  );
  return [...checks, ...skewCheck(skews)];
}

type ReachFacts = { name: string; baseUrl: string; reached: Reached; sentKey: boolean };

export function reachCheck({ name, baseUrl, reached, sentKey }: ReachFacts): HealthCheck {
  const where = `${name} at ${String(maskSecrets(baseUrl))}`;
  if (reached.type === 'silent')
    return bad(
      'reach',
      `${where}: ${reached.because}`,
      'Check the network and the URL. Behind a proxy, set `HTTPS_PROXY`; for its certificate, set `network.caFile`.',
    );
  const { status, ms } = reached;
  if (sentKey && (status === 401 || status === 403))
    return bad(
      'reach',
      `${where} rejected the key (${status})`,
      `Store a valid key with \`aca keys set ${name}\`.`,
    );
  if (status >= 500)
    return warn('reach', `${where} returned ${status}`, 'The server has a problem; try again later.');
  const responded = `${where} responded in ${ms} ms`;
  if (!sentKey || status >= 300) return ok('reach', responded);
  return ok(
    'reach',
    reached.needsKey
      ? `${responded} and accepted the key`
      : `${responded}; it lists its models without a key, so the key was not checked`,
  );
}

/** Compares with server clocks; the smallest difference counts, because a server may be wrong itself. */
export function skewCheck(skews: readonly number[]): HealthCheck[] {
  const least = skews.filter(Number.isFinite).toSorted((a, b) => Math.abs(a) - Math.abs(b))[0];
  if (least === undefined || Math.abs(least) < SKEW_MS) return [];
  const minutes = Math.round(Math.abs(least) / 60_000);
  return [
    warn(
      'clock',
      `the system clock is ${minutes} minutes ${least > 0 ? 'behind' : 'ahead'}`,
      'Set the system clock; certificates and signed requests are rejected when it is wrong.',
    ),
  ];
}
