import { isSealed } from '../pieces.ts';
import { type Json, record, records } from '../protocol.ts';
import { functionFaults, nameFaults } from './chat-completions.ts';
import type { Rule } from './rule.ts';

const FIELDS = new Set(
  `background context_management conversation include input instructions max_output_tokens max_tool_calls metadata model
  moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options
  prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text
  tool_choice tools top_logprobs top_p truncation user`.split(/\s+/),
);
const ID_PREFIXES: Record<string, string> = { function_call: 'fc', message: 'msg', reasoning: 'rs' };
const PARTS: Record<string, string[]> = {
  user: ['input_text', 'input_image', 'input_file'],
  system: ['input_text', 'input_image', 'input_file'],
  developer: ['input_text', 'input_image', 'input_file'],
  assistant: ['output_text', 'refusal'],
};

/** The format of the Responses API. */
export const responsesRules: Rule[] = [
  {
    rule: 'a request for a response names its model and input, and only known fields',
    page: 'developers.openai.com api-reference/responses',
    *check({ body, counting }) {
      if (typeof body.model !== 'string' || body.model === '') yield "Missing required parameter: 'model'.";
      if (body.input === undefined && !counting) yield "Missing required parameter: 'input'.";
      for (const field of Object.keys(body)) if (!FIELDS.has(field)) yield `Unknown parameter: '${field}'.`;
      if (typeof body.max_output_tokens === 'number' && body.max_output_tokens < 16)
        yield "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.";
    },
  },
  {
    rule: 'functions of a response have short names and an object schema, and are at most 128',
    page: 'developers.openai.com guides/function-calling',
    *check({ body }) {
      const tools = Array.isArray(body.tools) ? body.tools : [];
      if (tools.length > 128)
        yield `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${tools.length} instead.`;
      const functions = tools.filter((tool) => ['function', undefined].includes(record(tool).type as string));
      if (functions.length > 0) yield* functionFaults(functions, (tool) => ({ at: '', fn: tool }));
    },
  },
  {
    rule: 'items are whole, with ids of their own kind',
    page: 'developers.openai.com guides/conversation-state',
    *check({ body }) {
      for (const [i, item] of records(body.input).entries())
        yield* itemFaults(item, { at: `input[${i}]`, stored: body.store !== false });
    },
  },
  {
    rule: 'every call has its output, and every reasoning item what followed it',
    page: 'developers.openai.com guides/reasoning',
    check: ({ body }) => pairingFaults(records(body.input)),
  },
  {
    rule: 'context_management compacts at a threshold',
    page: 'developers.openai.com guides/compaction',
    *check({ body }) {
      if (body.context_management === undefined) return;
      if (!Array.isArray(body.context_management))
        yield "Invalid type for 'context_management': expected an array of objects.";
      for (const [i, { type, compact_threshold }] of records(body.context_management).entries()) {
        if (type !== 'compaction')
          yield `Invalid value: '${String(type)}'. Supported values are: 'compaction'. (context_management[${i}].type)`;
        if (compact_threshold !== undefined && !Number.isInteger(compact_threshold))
          yield `Invalid type for 'context_management[${i}].compact_threshold': expected an integer.`;
      }
    },
  },
];

function* itemFaults(item: Json, { at, stored }: { at: string; stored: boolean }): Generator<string> {
  const type = String(item.type ?? 'message');
  const prefix = ID_PREFIXES[type];
  if (prefix !== undefined && typeof item.id === 'string' && !item.id.startsWith(prefix)) {
    yield `Invalid '${at}.id': '${item.id}'. Expected an ID that begins with '${prefix}'.`;
  }
  switch (type) {
    case 'message':
      yield* contentFaults(item, at);
      return;
    case 'function_call':
      yield* callIdFaults(item, at);
      if (typeof item.arguments !== 'string') yield `Invalid type for '${at}.arguments': expected a string.`;
      yield* nameFaults(String(item.name), `${at}.name`);
      return;
    case 'function_call_output':
      yield* callIdFaults(item, at);
      if (typeof item.output !== 'string' && !Array.isArray(item.output))
        yield `Missing required parameter: '${at}.output'.`;
      return;
    case 'reasoning':
      if (!Array.isArray(item.summary)) yield `Missing required parameter: '${at}.summary'.`;
      if (item.encrypted_content) {
        if (!isSealed(item.encrypted_content))
          yield `The encrypted content for item ${String(item.id)} could not be verified.`;
      } else if (!stored) {
        yield `Item with id '${String(item.id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
      }
      return;
    case 'compaction':
      if (!isSealed(item.encrypted_content))
        yield `The encrypted content for item ${String(item.id)} could not be verified.`;
      return;
    // Which models take it is a rule of its own.
    case 'configuration_update':
      return;
    default:
      yield `Invalid value: '${type}'. (${at}.type)`;
  }
}

function* contentFaults({ role, content, phase }: Json, at: string): Generator<string> {
  if (phase !== undefined && !(role === 'assistant' && /^(commentary|final_answer)$/.test(String(phase))))
    yield `Invalid value: '${String(phase)}'. (${at}.phase)`;
  const allowed = PARTS[String(role)];
  if (allowed === undefined) {
    yield `Invalid value: '${String(role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'. (${at}.role)`;
    return;
  }
  if (content === undefined || content === null) yield `Missing required parameter: '${at}.content'.`;
  for (const [j, part] of records(content).entries()) {
    if (!allowed.includes(String(part.type))) {
      yield `Invalid value: '${String(part.type)}'. Supported values are: ${allowed.map((type) => `'${type}'`).join(', ')}. (${at}.content[${j}])`;
    }
  }
}

function* callIdFaults(item: Json, at: string): Generator<string> {
  if (typeof item.call_id !== 'string') yield `Missing required parameter: '${at}.call_id'.`;
  else if (item.call_id.length > 64)
    yield `Invalid '${at}.call_id': string too long. Expected a string with maximum length 64.`;
}

function* pairingFaults(items: Json[]): Generator<string> {
  const called = new Set<unknown>();
  const answered = new Set(
    items.filter((item) => item.type === 'function_call_output').map((item) => item.call_id),
  );
  for (const [i, item] of items.entries()) {
    if (item.type === 'function_call') {
      called.add(item.call_id);
      if (!answered.has(item.call_id))
        yield `No tool output found for function call ${String(item.call_id)}.`;
    }
    if (item.type === 'function_call_output' && !called.has(item.call_id)) {
      yield `No tool call found for function call output with call_id ${String(item.call_id)}.`;
    }
    if (item.type === 'reasoning') {
      const next = items.slice(i + 1).find((later) => later.type !== 'reasoning');
      const follows = next?.type === 'function_call' || next?.role === 'assistant';
      if (!follows) {
        yield `Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`;
      }
    }
  }
}
