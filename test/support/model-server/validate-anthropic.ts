import { Ajv2020 } from 'ajv/dist/2020.js';
import { isSealed, sign } from './pieces.ts';
import { type Head, isRecord, type Json, list, record, records } from './protocol.ts';

const FIELDS = new Set(
  `model messages max_tokens system tools tool_choice stream temperature top_p top_k stop_sequences thinking metadata
  service_tier cache_control container context_management mcp_servers output_config output_format inference_geo
  speed diagnostics`.split(/\s+/),
);
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const TOOL_ID = /^[a-zA-Z0-9_-]+$/;
/** Prefix of the call ids this server created after a thought: the thought must be sent back with them. */
export const THOUGHT_BEFORE = 'toolu_01T';
const schemas = new Ajv2020({ strict: false });

/** Everything in a request that the Messages API answers with `invalid_request_error`. */
export function* anthropicFaults(body: Json, { headers }: Pick<Head, 'headers'>): Generator<string> {
  if (!headers['anthropic-version']) yield 'anthropic-version: header is required';
  for (const field of ['model', 'max_tokens', 'messages'])
    if (body[field] === undefined) yield `${field}: Field required`;
  yield* countedFaults(body);
}

/** The part that also applies to counting tokens. */
export function* countedFaults(body: Json): Generator<string> {
  for (const field of Object.keys(body))
    if (!FIELDS.has(field)) yield `${field}: Extra inputs are not permitted`;
  if (body.max_tokens !== undefined && !(Number.isInteger(body.max_tokens) && Number(body.max_tokens) >= 1)) {
    yield 'max_tokens: Input should be greater than or equal to 1';
  }
  if (typeof body.temperature === 'number' && (body.temperature < 0 || body.temperature > 1)) {
    yield 'temperature: range: 0..1';
  }
  yield* thinkingFaults(body);
  yield* systemFaults(body.system);
  yield* toolFaults(records(body.tools));
  yield* messageFaults(records(body.messages));
  yield* lostThoughtFaults(body);
  const marks = countMarks(body);
  if (marks > 4) yield `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`;
}

function* thinkingFaults(body: Json): Generator<string> {
  const thinking = record(body.thinking);
  if (thinking.type !== 'enabled') return;
  const budget = Number(thinking.budget_tokens);
  if (!(budget >= 1024))
    yield 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
  if (Number(body.max_tokens) <= budget) yield '`max_tokens` must be greater than `thinking.budget_tokens`.';
  if (body.temperature !== undefined && body.temperature !== 1) {
    yield '`temperature` may only be set to 1 when thinking is enabled.';
  }
}

function* systemFaults(system: unknown): Generator<string> {
  for (const block of records(system)) {
    if (block.type !== 'text') yield 'system: Input should be a list of text blocks';
    if (block.text === '') yield 'system: text content blocks must be non-empty';
  }
}

function* toolFaults(tools: Json[]): Generator<string> {
  const names = tools.map((tool) => tool.name);
  if (new Set(names).size < names.length) yield 'tools: Tool names must be unique.';
  for (const [i, tool] of tools.entries()) {
    // Tools of the vendor's own.
    if (tool.type === 'web_search_20250305' && tool.name === 'web_search') continue;
    const at = `tools.${i}.custom`;
    if (!TOOL_NAME.test(String(tool.name)))
      yield `${at}.name: String should match pattern '${TOOL_NAME.source}'`;
    if (!isRecord(tool.input_schema)) {
      yield `${at}.input_schema: Field required`;
      continue;
    }
    if (tool.input_schema.type !== 'object') yield `${at}.input_schema.type: Input should be 'object'`;
    if (['oneOf', 'anyOf', 'allOf'].some((word) => word in record(tool.input_schema))) {
      yield `${at}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
    }
    const { $schema: _dialect, ...schema } = tool.input_schema;
    if (!schemas.validateSchema(schema)) {
      yield `${at}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12`;
    }
  }
}

function* messageFaults(written: Json[]): Generator<string> {
  if (written.length === 0) yield 'messages: at least one message is required';
  for (const [i, { role, content }] of written.entries()) {
    if (role !== 'user' && role !== 'assistant') {
      yield `messages: Unexpected role "${String(role)}". Allowed roles are "user" or "assistant"`;
    }
    const empty = content === '' || (Array.isArray(content) && content.length === 0) || content === undefined;
    if (empty) yield `messages.${i}: all messages must have non-empty content`;
    for (const [j, block] of blocksOf(content).entries())
      yield* blockFaults(block, `messages.${i}.content.${j}`);
  }
  const turns = merged(written);
  if (turns[0] && turns[0].role !== 'user') yield 'messages: first message must use the "user" role';
  if (turns.at(-1)?.role === 'assistant') {
    yield 'This model does not support assistant message prefill. The conversation must end with a user message.';
  }
  yield* pairingFaults(turns);
}

function* blockFaults(block: Json, at: string): Generator<string> {
  switch (block.type) {
    case 'text':
      if (block.text === '') yield 'messages: text content blocks must be non-empty';
      else if (String(block.text).trim() === '')
        yield 'messages: text content blocks must contain non-whitespace text';
      return;
    case 'image':
      if (
        record(block.source).type === 'base64' &&
        !IMAGE_TYPES.includes(String(record(block.source).media_type))
      ) {
        yield `${at}.image.source.base64.media_type: Input should be ${IMAGE_TYPES.map((type) => `'${type}'`).join(', ')}`;
      }
      return;
    case 'tool_use':
      if (!TOOL_ID.test(String(block.id)))
        yield `${at}.tool_use.id: String should match pattern '${TOOL_ID.source}'`;
      if (!TOOL_NAME.test(String(block.name)))
        yield `${at}.tool_use.name: String should match pattern '${TOOL_NAME.source}'`;
      if (!isRecord(block.input)) yield `${at}.tool_use.input: Input should be a valid dictionary`;
      return;
    case 'tool_result':
      if (typeof block.tool_use_id !== 'string') yield `${at}.tool_result.tool_use_id: Field required`;
      for (const [k, part] of blocksOf(block.content).entries()) {
        yield* blockFaults(part, `${at}.tool_result.content.${k}`);
      }
      return;
    case 'thinking':
      if (typeof block.signature !== 'string') yield `${at}.thinking.signature: Field required`;
      else if (block.signature !== sign(String(block.thinking)))
        yield `${at}: Invalid \`signature\` in \`thinking\` block`;
      return;
    case 'redacted_thinking':
      if (!isSealed(block.data)) yield `${at}: Invalid \`data\` in \`redacted_thinking\` block`;
      return;
    case 'document':
      return;
    default:
      yield `${at}: Input tag '${String(block.type)}' found using 'type' does not match any of the expected tags`;
  }
}

/** While thinking is on, the turn whose calls are being answered must start with its original thought. */
function* lostThoughtFaults(body: Json): Generator<string> {
  if (!['enabled', 'adaptive'].includes(String(record(body.thinking).type))) return;
  const turns = merged(records(body.messages));
  const at = turns.findLastIndex(({ role }) => role === 'assistant');
  const first = turns[at]?.blocks[0];
  const owed = idsOf(turns[at], 'tool_use', 'id').some((id) => String(id).startsWith(THOUGHT_BEFORE));
  if (owed && first?.type !== 'thinking' && first?.type !== 'redacted_thinking') {
    yield `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first?.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`;
  }
}

type Turn = { role: unknown; blocks: Json[] };

function* pairingFaults(turns: Turn[]): Generator<string> {
  const seen = new Set<unknown>();
  for (const [i, { role, blocks }] of turns.entries()) {
    const before = i === 0 ? [] : idsOf(turns[i - 1], 'tool_use', 'id');
    const answered = idsOf({ role, blocks }, 'tool_result', 'tool_use_id');
    for (const id of answered) {
      if (!before.includes(id)) {
        yield `messages.${i}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
      }
    }
    if (new Set(answered).size < answered.length)
      yield `messages.${i}: each tool_use must have a single result`;
    const lastResult = blocks.findLastIndex((block) => block.type === 'tool_result');
    const late = lastResult >= answered.length;
    const open = before.filter((id) => !answered.includes(id));
    if (open.length > 0 || late) {
      yield `messages.${i - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${(late ? before : open).join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    }
    for (const id of idsOf({ role, blocks }, 'tool_use', 'id')) {
      if (seen.has(id)) yield `messages.${i}: \`tool_use\` ids must be unique`;
      seen.add(id);
    }
  }
}

function idsOf(turn: Turn | undefined, type: string, field: string): unknown[] {
  return (turn?.blocks ?? []).filter((block) => block.type === type).map((block) => block[field]);
}

/** The vendor treats adjacent messages of one role as one turn. */
function merged(messages: Json[]): Turn[] {
  const turns: Turn[] = [];
  for (const { role, content } of messages) {
    const last = turns.at(-1);
    if (last !== undefined && last.role === role) last.blocks.push(...blocksOf(content));
    else turns.push({ role, blocks: [...blocksOf(content)] });
  }
  return turns;
}

function blocksOf(content: unknown): Json[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return records(content);
}

function countMarks(body: Json): number {
  const inMessages = records(body.messages).flatMap(({ content }) => records(content));
  const inResults = inMessages.flatMap((block) => list(block.content));
  const all = [...records(body.system), ...records(body.tools), ...inMessages, ...records(inResults)];
  return all.filter((block) => isRecord(block.cache_control)).length;
}
