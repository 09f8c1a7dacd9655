import { type Json, record, records } from '../../protocol.ts';
import { betasOf, type Rule } from '../rule.ts';
import { claudeOf, compacts } from './claude.ts';
import { blocksOf } from './prefix.ts';
import { decodeSignature } from './signature.ts';

const ON_DEMAND = 'build-with-claude/compaction-on-demand';
const DEMAND_BETA = 'compact-2026-09-04';
const THRESHOLD_BETA = 'compact-2026-01-12';
const EDITING_BETA = 'context-management-2025-06-27';

/** The request is answered with a compaction block. */
export function asksForCompaction(body: Json): boolean {
  return record(body.compaction).type === 'summarize';
}

export const compactionRules: Rule[] = [
  {
    rule: 'compaction on demand has its beta header, a model that compacts, and no other edits',
    page: ON_DEMAND,
    *check({ body, headers, model }) {
      if (body.compaction === undefined) return;
      if (!betasOf({ body, headers }).has(DEMAND_BETA)) {
        yield 'compaction: Extra inputs are not permitted';
        return;
      }
      const claude = claudeOf(model);
      if (!asksForCompaction(body)) yield "compaction.type: Input should be 'summarize'";
      if (claude && !compacts(claude)) yield 'compaction: this model does not support compaction';
      if (body.context_management !== undefined)
        yield 'compaction: `compaction` cannot be combined with `context_management`';
      if (body.stop_sequences !== undefined) yield 'compaction: `stop_sequences` is not supported';
      if (record(body.output_config).format !== undefined)
        yield 'compaction: `output_config.format` is not supported';
      if (['any', 'tool'].includes(String(record(body.tool_choice).type)))
        yield 'compaction: a forced `tool_choice` is not supported';
    },
  },
  {
    rule: 'a compaction block comes first, alone, signed and with its beta header',
    page: ON_DEMAND,
    *check({ body, headers }) {
      const betas = betasOf({ body, headers });
      const found = records(body.messages).flatMap(({ role, content }, i) =>
        blocksOf(content).flatMap((block, j) =>
          block.type === 'compaction' ? [{ role, block, i, j, at: `messages.${i}.content.${j}` }] : [],
        ),
      );
      for (const { role, block, i, j, at } of found) {
        if (!betas.has(DEMAND_BETA) && !betas.has(THRESHOLD_BETA))
          yield `${at}: Input tag 'compaction' found using 'type' does not match any of the expected tags`;
        if (block.signature === undefined) continue;
        if (decodeSignature(block.signature)?.kind !== 'compaction')
          yield `${at}: Invalid \`signature\` in \`compaction\` block`;
        if (i > 0 || j > 0 || role !== 'assistant' || found.length > 1)
          yield {
            status: 400,
            type: 'invalid_request_error',
            message: `${at}: compaction_block_misplaced: a \`compaction\` block must be the first block of the conversation, and the only one. Remove the messages that it summarizes.`,
          };
      }
    },
  },
  {
    rule: 'context editing has its beta header, and clears thinking first',
    page: 'build-with-claude/context-editing',
    *check({ body, headers }) {
      if (body.context_management === undefined) return;
      const betas = betasOf({ body, headers });
      if (!betas.has(EDITING_BETA) && !betas.has(THRESHOLD_BETA)) {
        yield 'context_management: Extra inputs are not permitted';
        return;
      }
      const types = records(record(body.context_management).edits).map(({ type }) => String(type));
      if (types.includes('compact_20260112') && !betas.has(THRESHOLD_BETA))
        yield `context_management.edits: Input tag 'compact_20260112' found using 'type' does not match any of the expected tags`;
      if (types.indexOf('clear_thinking_20251015') > 0)
        yield 'context_management.edits: `clear_thinking_20251015` must be listed first';
    },
  },
];
