import { isRecord, type Json, record, records } from '../../protocol.ts';
import type { Rule } from '../rule.ts';
import { blocksOf, isThinking } from './prefix.ts';
import { TOOL_NAME } from './request.ts';

const PAGE = 'api/messages';
const TOOL_USE = 'agents-and-tools/tool-use/implement-tool-use';
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const TOOL_ID = /^[a-zA-Z0-9_-]+$/;
/** Blocks without rules of their own here. */
const OTHER_BLOCKS = new Set(
  `thinking redacted_thinking document search_result compaction tool_addition tool_removal tool_reference
  server_tool_use container_upload mcp_tool_use mcp_tool_result web_search_tool_result web_fetch_tool_result
  tool_search_tool_result code_execution_tool_result`.split(/\s+/),
);

export const messageRules: Rule[] = [
  {
    rule: 'messages have known roles and content that is not empty',
    page: PAGE,
    *check({ body }) {
      const messages = records(body.messages);
      if (messages.length === 0) yield 'messages: at least one message is required';
      for (const [i, { role, content, output_config }] of messages.entries()) {
        if (role !== 'user' && role !== 'assistant' && role !== 'system')
          yield `messages: Unexpected role "${String(role)}". Allowed roles are "user" or "assistant"`;
        const blocks = blocksOf(content);
        // A system message may set nothing but the effort.
        if (blocks.length === 0 && output_config === undefined)
          yield `messages.${i}: all messages must have non-empty content`;
        if (role === 'assistant' && blocks.length > 0 && blocks.every(isThinking))
          yield `messages.${i}: assistant messages must contain more than \`thinking\` blocks`;
        for (const [j, block] of blocks.entries())
          yield* blockViolations(block, `messages.${i}.content.${j}`);
      }
    },
  },
  {
    rule: 'the user speaks first and last',
    page: PAGE,
    *check({ body }) {
      const turns = turnsOf(body);
      const isCompacted = blocksOf(records(body.messages)[0]?.content)[0]?.type === 'compaction';
      if (turns[0] && turns[0].role !== 'user' && !isCompacted)
        yield 'messages: first message must use the "user" role';
      if (turns.at(-1)?.role === 'assistant' && record(body.compaction).type === undefined)
        yield 'This model does not support assistant message prefill. The conversation must end with a user message.';
    },
  },
  {
    rule: 'every call is answered in the next message, once, before any text',
    page: TOOL_USE,
    *check({ body }) {
      const seen = new Set<unknown>();
      const turns = turnsOf(body);
      for (const [i, turn] of turns.entries()) {
        yield* answerViolations(turns[i - 1], turn, i);
        for (const id of idsOf(turn, 'tool_use', 'id')) {
          if (seen.has(id)) yield `messages.${i}: \`tool_use\` ids must be unique`;
          seen.add(id);
        }
      }
    },
  },
];

function* blockViolations(block: Json, at: string): Generator<string> {
  switch (block.type) {
    case 'text':
      if (block.text === '') yield 'messages: text content blocks must be non-empty';
      else if (String(block.text).trim() === '')
        yield 'messages: text content blocks must contain non-whitespace text';
      return;
    case 'image': {
      const { type, media_type } = record(block.source);
      if (type === 'base64' && !IMAGE_TYPES.includes(String(media_type)))
        yield `${at}.image.source.base64.media_type: Input should be ${IMAGE_TYPES.map((kind) => `'${kind}'`).join(', ')}`;
      return;
    }
    case 'tool_use':
      if (!TOOL_ID.test(String(block.id)))
        yield `${at}.tool_use.id: String should match pattern '${TOOL_ID.source}'`;
      if (!TOOL_NAME.test(String(block.name)))
        yield `${at}.tool_use.name: String should match pattern '${TOOL_NAME.source}'`;
      if (!isRecord(block.input)) yield `${at}.tool_use.input: Input should be a valid dictionary`;
      return;
    case 'tool_result':
      if (typeof block.tool_use_id !== 'string') yield `${at}.tool_result.tool_use_id: Field required`;
      if (block.is_error === true && blocksOf(block.content).length === 0)
        yield `${at}.tool_result: content cannot be empty if \`is_error\` is true`;
      for (const [k, part] of blocksOf(block.content).entries())
        yield* blockViolations(part, `${at}.tool_result.content.${k}`);
      return;
    default:
      if (!OTHER_BLOCKS.has(String(block.type)))
        yield `${at}: Input tag '${String(block.type)}' found using 'type' does not match any of the expected tags`;
  }
}

type Turn = { role: unknown; blocks: Json[] };

function* answerViolations(before: Turn | undefined, turn: Turn, i: number): Generator<string> {
  const asked = idsOf(before, 'tool_use', 'id');
  const answered = idsOf(turn, 'tool_result', 'tool_use_id');
  for (const id of answered) {
    if (!asked.includes(id))
      yield `messages.${i}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  }
  if (new Set(answered).size < answered.length)
    yield `messages.${i}: each tool_use must have a single result`;
  const isLate = turn.blocks.findLastIndex(({ type }) => type === 'tool_result') >= answered.length;
  const open = asked.filter((id) => !answered.includes(id));
  if (open.length > 0 || isLate)
    yield `messages.${i - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${(isLate ? asked : open).join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function idsOf(turn: Turn | undefined, type: string, field: string): unknown[] {
  return (turn?.blocks ?? []).filter((block) => block.type === type).map((block) => block[field]);
}

/** The vendor treats adjacent messages of one role as one turn. A compaction stands for earlier turns. */
function turnsOf(body: Json): Turn[] {
  const turns: Turn[] = [];
  for (const { role, content } of records(body.messages)) {
    const blocks = blocksOf(content).filter(({ type }) => type !== 'compaction');
    if (role === 'system' || blocks.length === 0) continue;
    const last = turns.at(-1);
    if (last !== undefined && last.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks: [...blocks] });
  }
  return turns;
}
