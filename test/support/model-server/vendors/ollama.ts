import { countTokens } from '../pieces.ts';
import { isRecord, type Json, list, record, records } from '../protocol.ts';
import { lostReasoning } from './lost-reasoning.ts';
import type { Rule, Violation } from './rule.ts';

const ROLES = ['system', 'user', 'assistant', 'tool'];

/** What Ollama rejects, with the wording of its Go decoder, or silently degrades. Pages are those of docs.ollama.com. */
export const ollamaRules: Rule[] = [
  {
    rule: 'an Ollama request has the types that its decoder expects',
    page: 'api/chat',
    *check({ body }) {
      if (typeof body.model !== 'string' || body.model === '') yield 'model is required';
      if (body.messages !== undefined && !Array.isArray(body.messages))
        yield wrongType('object', 'messages', '[]api.Message');
      for (const message of records(body.messages)) yield* messageFaults(message);
      for (const tool of records(body.tools)) {
        if (typeof record(tool.function).name !== 'string') yield 'tool function name is required';
      }
      if (body.options !== undefined && !isRecord(body.options))
        yield wrongType('array', 'options', 'map[string]interface {}');
    },
  },
  {
    rule: 'only models that can take tools and thinking do',
    page: 'capabilities/thinking',
    *check({ body, settled: { capabilities } }) {
      if (list(body.tools).length > 0 && !capabilities.includes('tools'))
        yield `${String(body.model)} does not support tools`;
      const wantsThought = body.think !== undefined && body.think !== false;
      if (wantsThought && !capabilities.includes('thinking'))
        yield `"${String(body.model)}" does not support thinking`;
    },
  },
  {
    rule: 'Ollama gets the thinking of a tool loop back',
    page: 'capabilities/thinking',
    check: (request) => lostReasoning(request, { fields: ['thinking'], scope: 'loop' }),
  },
  {
    rule: 'a prompt longer than num_ctx is cut at the front, unless truncate is false',
    page: 'context-length',
    *check({ body }): Generator<Violation> {
      const window = Number(record(body.options).num_ctx);
      const tokens = countTokens(body.messages ?? []);
      // The count is an estimate: only a clear excess counts.
      if (!(window > 0 && tokens > 1.5 * window)) return;
      if (body.truncate === false) yield 'the input length exceeds the context length';
      else yield { degraded: `about ${tokens} tokens for a window of ${window}` };
    },
  },
];

function* messageFaults(message: Json): Generator<string> {
  if (!ROLES.includes(String(message.role))) {
    yield `invalid role: ${String(message.role)}, must be one of ${JSON.stringify(ROLES)}`;
  }
  if (message.content !== undefined && typeof message.content !== 'string') {
    yield wrongType(Array.isArray(message.content) ? 'array' : 'object', 'messages.content', 'string');
  }
  for (const call of records(message.tool_calls)) {
    if (!isRecord(record(call.function).arguments)) {
      yield wrongType('string', 'messages.tool_calls.function.arguments', 'api.ToolCallFunctionArguments');
    }
  }
  for (const image of list(message.images)) {
    if (typeof image !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(image))
      yield 'illegal base64 data at input byte 4';
  }
}

function wrongType(got: string, field: string, type: string): string {
  return `json: cannot unmarshal ${got} into Go struct field ChatRequest.${field} of type ${type}`;
}
