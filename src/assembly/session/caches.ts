import { homedir, hostname } from 'node:os';
import path from 'node:path';
import type { RouterDeps, Work } from '../../agent/router-deps.ts';
import type { OpenCache } from '../../cache/open-cache.ts';
import { createRedisLine, type RedisLine } from '../../cache/redis-line.ts';
import { createRedisQuota } from '../../cache/redis-quota.ts';
import type { Store } from '../../cache/store.ts';
import type { Tier } from '../../cache/tier.ts';
import { redisVariables } from '../../config/environment.ts';
import { UserError } from '../../contract/errors.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { ProviderEvent } from '../../contract/provider.ts';
import type { Quota } from '../../contract/quota.ts';
import type { ToolContext } from '../../contract/tool.ts';
import { isNearby } from '../../lib/network/nearby-address.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { createLocalQuota } from '../../observability/spending/local-quota.ts';
import { realPath } from '../../sandbox/files/real-path.ts';
import type { Guard } from '../../sandbox/guard.ts';
import { glob } from '../../tools/glob.ts';
import { grep } from '../../tools/grep.ts';
import { read } from '../../tools/read.ts';
import { cachedReplies } from '../models/cached-replies.ts';
import type { ModelDeps } from '../models/connect-models.ts';
import type { Notify } from '../notify.ts';
import type { Parts } from '../parts.ts';

/** The caches of one session. Nothing is loaded before first use. */
export type Caches = {
  /** Empty if caching is disabled. */
  router: Pick<RouterDeps, 'perform'>;
  /** Cached replies, and a quota if there is a server to share it. */
  models: Pick<ModelDeps, 'replies' | 'quota'>;
  close(): Promise<void>;
};

export type CachesDeps = { guard: Pick<Guard, 'realOf'>; notify: Notify };

/** As in the settings schema. */
const SHORTEST_KEY = 16;

const KINDS = new Map([
  [read.name, 'read' as const],
  [glob.name, 'glob' as const],
  [grep.name, 'grep' as const],
]);

export function createCaches(parts: Parts, { guard, notify }: CachesDeps): Caches {
  const { config, cwd, dataRoot, opened } = parts;
  const { enabled, files, responses } = config.cache;
  const { warn } = notify;
  const folder = path.join(dataRoot, 'cache');
  const redis = redisOf(parts, warn);

  let tiers: Promise<Tier[]> | undefined;
  let kept: Promise<OpenCache> | undefined;
  let replies: Promise<Store<ProviderEvent[]>> | undefined;

  async function openTiers(): Promise<Tier[]> {
    if (!files && redis?.key === undefined) return [];
    const opening = await import('../../cache/open-tiers.ts');
    return opening.openTiers({
      ...(files && { folder: path.join(folder, 'kept') }),
      ...(redis?.key !== undefined && { redis: { line: redis.line, key: redis.key } }),
      onTrouble: warn,
    });
  }

  async function open(): Promise<OpenCache> {
    const { openCache } = await import('../../cache/open-cache.ts');
    tiers ??= openTiers();
    return openCache({
      root: realPath(cwd),
      home: homedir(),
      machine: hostname(),
      scratch: path.join(folder, 'watch', opened.session.id),
      tiers: await tiers,
      onTrouble: warn,
    });
  }

  async function openReplies(): Promise<Store<ProviderEvent[]>> {
    const { createReplyStore } = await import('../../cache/reply-store.ts');
    tiers ??= openTiers();
    return createReplyStore(await tiers);
  }

  async function perform({ tool, input, changes }: Work, context: ToolContext, reporter: Reporter) {
    const touched = changes.filter(({ kind }) => kind === 'write' || kind === 'execute');
    if (touched.length > 0) {
      const run = () => tool.run(input, context);
      if (!kept) return run();
      const named = touched.every(({ kind }) => kind === 'write');
      const places = named ? touched.map(({ target }) => guard.realOf(target) ?? target) : null;
      return (await kept).results.around(places, run);
    }
    const kind = KINDS.get(tool.name);
    const [access] = kind === undefined ? [] : tool.access(input);
    if (kind === undefined || !access || includesIgnored(input)) return tool.run(input, context);
    kept ??= open();
    const { results } = await kept;
    const variant = `${context.accepts.images ? '' : ' without images'} ${canonicalJson(context.limits ?? {})}`;
    const call = {
      kind,
      key: `${tool.name}:${canonicalJson(input)}${variant}`,
      target: access.target,
      context,
      report: (of: CacheEvent['kind'], outcome: CacheEvent['outcome'], entries: number) =>
        void reporter.emit({ type: 'cache', kind: of, outcome, entries }),
    };
    return results.through(call, (files) => tool.run(input, { ...context, files }));
  }

  const replyStore = () => {
    replies ??= openReplies();
    return replies;
  };
  const isWanted = (purpose: 'main' | 'helper') =>
    enabled && (responses === 'all' || (responses === 'side-jobs' && purpose === 'helper'));

  return {
    router: enabled ? { perform } : {},
    models: {
      replies(provider, { choice, purpose }) {
        if (!isWanted(purpose)) return provider;
        const line = `${choice.preset.name} ${choice.baseUrl}`;
        return cachedReplies(provider, { line, purpose, store: replyStore, emit: notify.emit });
      },
      ...(redis && !parts.quota && { quota: createRedisQuota(redis.line, localQuota(dataRoot, warn)) }),
    },
    async close() {
      await (await kept)?.close();
      await (await replies)?.written();
      for (const tier of (await tiers) ?? []) await tier.close();
      await redis?.line.close();
    },
  };
}

function localQuota(dataRoot: string, onTrouble: (text: string) => void): Quota {
  return createLocalQuota({ folder: path.join(dataRoot, 'quota'), onTrouble });
}

type Reporter = Parameters<NonNullable<RouterDeps['perform']>>[2];
type CacheEvent = Extract<AgentEvent, { type: 'cache' }>;

/** Ignored folders are not watched. */
function includesIgnored(input: unknown): boolean {
  return (
    typeof input === 'object' &&
    input !== null &&
    'include_ignored' in input &&
    input.include_ignored === true
  );
}

function redisOf(
  { config, env }: Parts,
  warn: (text: string) => void,
): { line: RedisLine; key?: string } | null {
  const [urlName, keyName] = redisVariables;
  const url = env[urlName] || config.cache.redis.url;
  const key = env[keyName] || config.cache.redis.key;
  if (!config.cache.enabled || !url) return null;
  if (key && key.length < SHORTEST_KEY)
    throw new UserError(
      `${keyName} is too short.`,
      `Give it at least ${SHORTEST_KEY} characters, or unset it.`,
    );
  if (config.offline && !isNearby(url)) return null;
  return { line: createRedisLine({ url, onTrouble: warn }), ...(key && { key }) };
}
