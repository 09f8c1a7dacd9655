import { isRecord, type Json, list, record, records } from './protocol.ts';

const ROLES = ['system', 'user', 'assistant', 'tool'];

/** Everything in a request that Ollama answers with 400, with the wording of its Go decoder. */
export function* ollamaFaults(
  body: Json,
  { capabilities }: { capabilities: readonly string[] },
): Generator<string> {
  if (typeof body.model !== 'string' || body.model === '') yield 'model is required';
  if (body.messages !== undefined && !Array.isArray(body.messages))
    yield wrongType('object', 'messages', '[]api.Message');
  for (const message of records(body.messages)) yield* messageFaults(message);
  if (list(body.tools).length > 0 && !capabilities.includes('tools'))
    yield `${String(body.model)} does not support tools`;
  for (const tool of records(body.tools)) {
    if (typeof record(tool.function).name !== 'string') yield 'tool function name is required';
  }
  const wantsThought = body.think !== undefined && body.think !== false;
  if (wantsThought && !capabilities.includes('thinking'))
    yield `"${String(body.model)}" does not support thinking`;
  if (body.options !== undefined && !isRecord(body.options))
    yield wrongType('array', 'options', 'map[string]interface {}');
}

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
