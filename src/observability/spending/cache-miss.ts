import path from 'node:path';
import type { Usage } from '../../contract/message.ts';
import type { ModelInfo } from '../../contract/provider.ts';
import type { Epoch } from '../../contract/request/epoch.ts';

/** Part of a prompt that the vendor could have had in its cache, and read in full. */
export type CacheMiss = { reason: string; tokens: number; costUsd: number | null };

/** Two requests of a conversation; the first may be from another process. */
export type Successive = {
  before: { usage: Usage; epoch: Epoch | undefined; at: number };
  now: { usage: Usage; epoch: Epoch | undefined; at: number; model: string; lifetime?: '1h' | undefined };
  /** What differs, in words; null if the second continues the first, or the first is not known. */
  difference: string | null;
};

/** Vendors do not cache less. */
const LEAST_TOKENS = 1024;
/** Vendors cache in steps, and the end of a prompt may not be there yet. */
const SLACK = 0.1;
const MINUTE = 60_000;
/** Most vendors keep a prompt for so long after its last use, or for an hour if they were asked to. */
const KEPT_MS = { usual: 5 * MINUTE, '1h': 60 * MINUTE };

/** Null if the cache served what it could, or the vendor reports nothing about it. */
export function cacheMiss(requests: Successive, price: ModelInfo['price']): CacheMiss | null {
  const { before, now } = requests;
  const could = Math.min(promptOf(before.usage), promptOf(now.usage));
  const tokens = could - now.usage.cacheReadTokens;
  const isReported = [before, now].some(({ usage }) => usage.cacheReadTokens + usage.cacheWriteTokens > 0);
  if (!isReported || tokens < LEAST_TOKENS || tokens < could * SLACK) return null;
  const perMillion =
    price && (now.usage.cacheWriteTokens > 0 ? price.cacheWrite : price.input) - price.cacheRead;
  return { reason: reasonOf(requests), tokens, costUsd: perMillion && (tokens * perMillion) / 1_000_000 };
}

function promptOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

function reasonOf({ before, now, difference }: Successive): string {
  if (now.epoch && now.epoch.from !== before.epoch?.from) return boundary(before.epoch, now.epoch, now.model);
  if (difference !== null) return difference;
  const minutes = Math.floor((now.at - before.at) / MINUTE);
  if (now.at - before.at >= KEPT_MS[now.lifetime ?? 'usual'])
    return `${minutes} minutes passed, longer than the vendor keeps a prompt`;
  return 'the vendor did not keep the prompt';
}

function boundary(before: Epoch | undefined, { cause, ...now }: Epoch, model: string): string {
  const changes = before ? changedBetween(before, now) : [];
  const what = changes.length > 0 ? ` (${changes.join(', ')})` : '';
  switch (cause) {
    case 'start':
      return `the conversation began anew${what}`;
    case 'compaction':
      return `the conversation was compacted${what}`;
    case 'uncompact':
      return 'a compaction was undone';
    case 'model':
      return `${model} continues what another model began`;
    case 'refresh':
      return `/refresh reloaded the instructions and tools${what}`;
    case 'repair':
      return 'the vendor could not verify earlier reasoning, which was left out';
    default:
      return cause satisfies never;
  }
}

const MOST_NAMED = 3;

/** What the prefixes state differently: files of instructions, MCP servers, skills, folders. */
function changedBetween(before: Pick<Epoch, 'stated'>, now: Pick<Epoch, 'stated'>): string[] {
  const names = new Set([...Object.keys(before.stated), ...Object.keys(now.stated)]);
  const changed = [...names].filter((name) => before.stated[name] !== now.stated[name]).map(inWords);
  const unique = [...new Set(changed)];
  const more = unique.length > MOST_NAMED ? [`and ${unique.length - MOST_NAMED} more`] : [];
  return [...unique.slice(0, MOST_NAMED), ...more];
}

function inWords(name: string): string {
  const [kind = '', subject = '', ...rest] = name.split(':');
  switch (kind) {
    case 'tool':
      return `MCP server ${subject}`;
    case 'instructions':
      return path.basename([subject, ...rest].join(':'));
    case 'skill':
    case 'folder':
      return `${kind} ${[subject, ...rest].join(':')}`;
    case 'style':
      return 'output style';
    case 'append':
      return 'additional instructions';
    default:
      return kind;
  }
}
