import { isRecord, type Json, record, records } from '../protocol.ts';
import type { Rule } from './rule.ts';

/** The vendor's own fields, and those that compatible vendors add. */
const FIELDS = new Set(
  `model messages audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens
  metadata modalities n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options
  prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream
  stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options
  reasoning thinking enable_thinking chat_template_kwargs provider plugins transforms usage top_k min_p
  repetition_penalty reasoning_format reasoning_split cache_prompt keep_alive options`.split(/\s+/),
);
const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];
const NAME = /^[a-zA-Z0-9_-]+$/;

/** The format that OpenAI and its compatible vendors share. */
export const chatCompletionsRules: Rule[] = [
  {
    rule: 'a chat request names its model and messages, and only known fields',
    page: 'developers.openai.com api-reference/chat',
    *check({ body }) {
      if (typeof body.model !== 'string' || body.model === '') yield 'you must provide a model parameter';
      if (!Array.isArray(body.messages)) yield "Missing required parameter: 'messages'.";
      else if (body.messages.length === 0)
        yield "Invalid 'messages': empty array. Expected an array with minimum length 1.";
      for (const field of Object.keys(body)) {
        if (!FIELDS.has(field)) yield `Unrecognized request argument supplied: ${field}`;
      }
      if (body.stream_options !== undefined && body.stream !== true)
        yield "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    },
  },
  {
    rule: 'functions have short names and an object schema',
    page: 'developers.openai.com guides/function-calling',
    *check({ body }) {
      if (body.tools === undefined) return;
      yield* functionFaults(body.tools, (tool) => ({ at: '.function', fn: record(tool.function) }));
    },
  },
  {
    rule: 'chat messages have known roles, content and whole calls',
    page: 'developers.openai.com api-reference/chat',
    *check({ body }) {
      for (const [i, message] of records(body.messages).entries())
        yield* messageFaults(message, `messages[${i}]`);
    },
  },
  {
    rule: 'every call of a chat is answered by the messages after it',
    page: 'developers.openai.com guides/function-calling',
    check: ({ body }) => pairingFaults(records(body.messages)),
  },
];

/** `reach` finds the function in a tool: the two OpenAI protocols store it in different places. */
export function* functionFaults(
  tools: unknown,
  reach: (tool: Json) => { at: string; fn: Json },
): Generator<string> {
  if (!Array.isArray(tools) || tools.length === 0) {
    yield "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.";
    return;
  }
  for (const [i, tool] of records(tools).entries()) {
    const { at, fn } = reach(tool);
    const where = `tools[${i}]${at}`;
    if (typeof fn.name !== 'string') {
      yield `Missing required parameter: '${where}.name'.`;
      continue;
    }
    yield* nameFaults(fn.name, `${where}.name`);
    const schema = record(fn.parameters);
    if (fn.parameters !== undefined && fn.parameters !== null && schema.type !== 'object') {
      yield `Invalid schema for function '${fn.name}': schema must be a JSON Schema of 'type: "object"', got 'type: "${String(schema.type ?? 'None')}"'.`;
    }
    if (fn.strict === true) yield* strictFaults(schema, { name: fn.name, context: [] });
  }
}

export function* nameFaults(name: string, at: string): Generator<string> {
  if (!NAME.test(name)) {
    yield `Invalid '${at}': string does not match pattern. Expected a string that matches the pattern '${NAME.source}'.`;
  }
  if (name.length > 64) yield `Invalid '${at}': string too long. Expected a string with maximum length 64.`;
}

/** Strict functions: every object closed, every property required. */
function* strictFaults(
  schema: Json,
  { name, context }: { name: string; context: string[] },
): Generator<string> {
  const where = `Invalid schema for function '${name}': In context=(${context.join(', ')})`;
  if (schema.type === 'object' && schema.additionalProperties !== false) {
    yield `${where}, 'additionalProperties' is required to be supplied and to be false.`;
  }
  const properties = record(schema.properties);
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  for (const [key, value] of Object.entries(properties)) {
    if (!required.has(key))
      yield `${where}, 'required' is required to include every key in properties. Missing '${key}'.`;
    yield* strictFaults(record(value), { name, context: [...context, 'properties', key] });
  }
  if (isRecord(schema.items)) yield* strictFaults(schema.items, { name, context: [...context, 'items'] });
}

function* messageFaults(message: Json, at: string): Generator<string> {
  if (!ROLES.includes(String(message.role))) {
    yield `Invalid value: '${String(message.role)}'. Supported values are: ${ROLES.map((role) => `'${role}'`).join(', ')}.`;
  }
  const calls = message.tool_calls;
  if (calls !== undefined) {
    if (!Array.isArray(calls) || calls.length === 0)
      yield `Invalid '${at}.tool_calls': empty array. Expected an array with minimum length 1.`;
    for (const [j, call] of records(calls).entries()) yield* callFaults(call, `${at}.tool_calls[${j}]`);
  }
  const nothing = message.content === null || message.content === undefined;
  if (nothing && !(message.role === 'assistant' && calls !== undefined)) {
    yield `Invalid value for 'content': expected a string, got null. (${at})`;
  }
  if (Array.isArray(message.content) && message.content.length === 0)
    yield `Invalid '${at}.content': empty array.`;
}

function* callFaults(call: Json, at: string): Generator<string> {
  const fn = record(call.function);
  if (call.type !== 'function') yield `Missing required parameter: '${at}.type'.`;
  if (typeof call.id !== 'string') yield `Missing required parameter: '${at}.id'.`;
  else if (call.id.length > 40)
    yield `Invalid '${at}.id': string too long. Expected a string with maximum length 40.`;
  if (typeof fn.arguments !== 'string')
    yield `Invalid type for '${at}.function.arguments': expected a string.`;
  yield* nameFaults(String(fn.name), `${at}.function.name`);
}

function* pairingFaults(messages: Json[]): Generator<string> {
  let open: unknown[] = [];
  let known: unknown[] = [];
  const unanswered = () =>
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`;
  for (const [i, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!known.includes(message.tool_call_id)) {
        yield `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages[${i}])`;
      } else if (!open.includes(message.tool_call_id)) {
        yield `Duplicate value for 'tool_call_id' of '${String(message.tool_call_id)}' in message[${i}]`;
      }
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) yield unanswered();
    known = records(message.tool_calls).map((call) => call.id);
    open = known;
  }
  if (open.length > 0) yield unanswered();
}
