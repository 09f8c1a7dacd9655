import { type Json, record, records } from '../../protocol.ts';
import { betasOf, type Rule, type VendorRequest, type Violation } from '../rule.ts';
import { bindsThinking, canRead, claudeOf, isFableOrMythos } from './claude.ts';
import { isThinking, type Prefix, type ThinkingBlock, walkRequest } from './prefix.ts';
import { type Binding, decodeSignature, digest } from './signature.ts';

export const CONTROLS_BETA = 'thinking-binding-controls-2026-08-01';
/** Accounts created since then are refused blocks whose prefix changed. */
const ENFORCED_SINCE = Date.parse('2026-08-31T00:00:00Z');
const PAGE = 'build-with-claude/preserved-thinking/prefix-checks';

export const BOUND_ELSEWHERE =
  'Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
const NEEDS_BETA = ` That setting requires the \`${CONTROLS_BETA}\` value in the \`anthropic-beta\` header.`;

type Judged = { violations: string[]; transformations: Json[] };

/** What happens to the thinking blocks of a request: rejected, dropped or used. */
export function judgeThinking(request: VendorRequest): Judged {
  const judged: Judged = { violations: [], transformations: [] };
  const behavior = behaviorOf(request);
  const latest = records(request.body.messages).findLastIndex(({ role }) => role === 'assistant');
  let dropping = false;
  for (const found of walkRequest(request.body).blocks) {
    const { at, block, message } = found;
    const bound = decodeSignature(block.signature ?? block.data);
    const damage = damageOf(block, bound, { isLatest: message === latest });
    if (damage !== undefined || bound === undefined) {
      judged.violations.push(`${at}${damage}`);
      continue;
    }
    const drop = (type: string, reason: string) => judged.transformations.push({ type, path: at, reason });
    const unreadable = unreadableBy(request, bound);
    if (unreadable) drop('thinking_dropped', unreadable);
    else if (dropping) drop('thinking_dropped', 'prefix_binding_mismatch');
    else if (behavior !== 'unchecked' && changeOf(found, bound) !== undefined) {
      if (behavior === 'allow') drop('thinking_mismatch_allowed', 'prefix_binding_mismatch');
      else if (behavior === 'error') judged.violations.push(boundElsewhere(request, found, bound));
      else {
        dropping = true;
        drop('thinking_dropped', 'prefix_binding_mismatch');
      }
    }
  }
  return judged;
}

type Behavior = 'error' | 'drop_block' | 'allow' | 'unchecked';

function behaviorOf({ body, model, settled }: VendorRequest): Behavior {
  const claude = claudeOf(model);
  if (!claude || !bindsThinking(claude)) return 'unchecked';
  const chosen = record(record(body.thinking).block_binding).prefix_mismatch_behavior;
  if (chosen === 'error' || chosen === 'drop_block') return chosen;
  const onEveryAccount = claude.line === 'mythos' || (isFableOrMythos(claude) && claude.version >= 5.2);
  const isNew = Date.parse(settled.account.createdAt) >= ENFORCED_SINCE;
  return onEveryAccount || isNew ? 'error' : 'allow';
}

/** Undefined if the block is as this server made it; otherwise the rest of the error after the path. */
function damageOf(
  block: Json,
  bound: Binding | undefined,
  { isLatest }: { isLatest: boolean },
): string | undefined {
  if (block.type === 'redacted_thinking')
    return bound?.kind === 'redacted' ? undefined : ': Invalid `data` in `redacted_thinking` block';
  if (typeof block.signature !== 'string') return '.thinking.signature: Field required';
  if (bound?.kind !== 'thinking') return ': Invalid `signature` in `thinking` block';
  // Text put into the empty thinking of an omitted block is ignored.
  if (bound.text === '' || bound.text === digest(block.thinking)) return undefined;
  return isLatest
    ? ': `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.'
    : ': Invalid `signature` in `thinking` block';
}

function unreadableBy({ model, settled }: VendorRequest, bound: Binding): string | undefined {
  const [reader, maker] = [claudeOf(model), claudeOf(bound.model)];
  if (!reader || !maker) return undefined;
  const staysInAccount = maker.version === 5.5 && (maker.line === 'sonnet' || maker.line === 'haiku');
  if (staysInAccount && bound.account !== settled.account.id) return 'organization_binding_mismatch';
  return canRead(reader, maker) ? undefined : 'model_binding_mismatch';
}

/** What differs from the prefix the block was made with; undefined if nothing does. */
function changeOf({ before }: ThinkingBlock, bound: Binding): keyof Prefix | undefined {
  if (!bindsThinking(claudeOf(bound.model))) return undefined;
  if (before.system !== bound.system) return 'system';
  if (before.tools !== bound.tools) return 'tools';
  if (before.messages !== bound.messages) return 'messages';
  // The oldest blocks may be removed, so nothing before it is as good as the original.
  return before.previous === '' || before.previous === bound.previous ? undefined : 'previous';
}

function boundElsewhere(request: VendorRequest, found: ThinkingBlock, bound: Binding): string {
  const beta = betasOf(request).has(CONTROLS_BETA) ? '' : NEEDS_BETA;
  return `${found.at}: ${BOUND_ELSEWHERE}${beta}${namedChange(request, found, bound)}`;
}

function namedChange({ sent }: VendorRequest, found: ThinkingBlock, bound: Binding): string {
  switch (changeOf(found, bound)) {
    case 'system':
      return ' The system prompt changed since the block was created.';
    case 'tools':
      return ' The tools changed since the block was created.';
    case 'previous':
      return ' The thinking blocks before it changed since the block was created.';
    default: {
      const original = sent.trailOf(bound.messages);
      const first = original?.findIndex((step, i) => step !== found.before.trail[i]) ?? -1;
      const where = first === -1 ? 'The messages before it' : `messages.${first}`;
      return ` ${where} changed since the block was created.`;
    }
  }
}

/** Calls that this server made after a thought have ids that start with it. */
export const THOUGHT_BEFORE = 'toolu_01T';

export const preservedThinkingRules: Rule[] = [
  {
    rule: 'thinking blocks come back unmodified, and bound to the conversation they were made in',
    page: PAGE,
    check: (request) => judgeThinking(request).violations,
  },
  {
    rule: 'block_binding needs its beta header',
    page: PAGE,
    *check(request) {
      const { type, block_binding } = record(request.body.thinking);
      if (block_binding === undefined) return;
      if (!betasOf(request).has(CONTROLS_BETA) || (type !== 'adaptive' && type !== 'enabled')) {
        yield `thinking.${String(type)}.block_binding: Extra inputs are not permitted`;
        return;
      }
      const behavior = record(block_binding).prefix_mismatch_behavior;
      if (behavior !== undefined && behavior !== 'error' && behavior !== 'drop_block')
        yield `thinking.${type}.block_binding.prefix_mismatch_behavior: Input should be 'error' or 'drop_block'`;
    },
  },
  {
    rule: 'with a thinking budget, a turn with calls starts with its thinking block',
    page: 'build-with-claude/thinking',
    *check({ body }) {
      if (record(body.thinking).type !== 'enabled') return;
      const turn = openTurn(body);
      const first = turn?.blocks[0];
      if (turn && owesThinking(turn.blocks) && !(first && isThinking(first))) {
        yield `messages.${turn.at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first?.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`;
      }
    },
  },
  {
    rule: 'the thinking of a tool loop goes back with its calls',
    page: 'build-with-claude/preserved-thinking',
    *check({ body, model, counting, sent }): Generator<Violation> {
      // A request for a summary goes on with no turn.
      if (counting || body.compaction !== undefined || !claudeOf(model) || sent.refusedThinking) return;
      const turn = openTurn(body);
      if (!turn || !owesThinking(turn.blocks) || turn.blocks.some(isThinking)) return;
      const uses = turn.blocks.filter(({ type }) => type === 'tool_use');
      const original = sent.find(uses.map(({ name, input }) => ({ name: String(name), input })));
      if (original?.model === model)
        yield { degraded: `messages.${turn.at} came back without the thinking before its calls` };
    },
  },
  {
    rule: 'no thinking is dropped because the prefix changed',
    page: PAGE,
    *check(request): Generator<Violation> {
      if (request.counting) return;
      for (const { type, path, reason } of judgeThinking(request).transformations) {
        if (type === 'thinking_dropped' && reason === 'prefix_binding_mismatch')
          yield { degraded: `${String(path)} was dropped: what comes before it changed` };
      }
    },
  },
];

type OpenTurn = { at: number; blocks: Json[] };

/** The assistant turn whose calls are being answered. */
function openTurn(body: Json): OpenTurn | undefined {
  const messages = records(body.messages);
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const start = messages.findLastIndex(({ role }, i) => role !== 'assistant' && i < at) + 1;
  const blocks = messages.slice(start, at + 1).flatMap(({ content }) => records(content));
  return at === -1 ? undefined : { at, blocks };
}

function owesThinking(blocks: Json[]): boolean {
  return blocks.some(({ type, id }) => type === 'tool_use' && String(id).startsWith(THOUGHT_BEFORE));
}
