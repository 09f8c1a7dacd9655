import { signCall } from '../pieces.ts';
import { isRecord, type Json, list, record, records } from '../protocol.ts';
import { signsCalls } from '../protocols/google.ts';
import type { Rule, Violation } from './rule.ts';

const FIELDS = new Set(
  `contents tools toolConfig safetySettings systemInstruction generationConfig cachedContent model labels
  serviceTier store`.split(/\s+/),
);
const SCHEMA_FIELDS = new Set(
  `anyOf default description enum example format items maxItems maxLength maxProperties maximum minItems minLength
  minProperties minimum nullable pattern properties propertyOrdering required title type`.split(/\s+/),
);
const PART_DATA = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
];
const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;
/** Documented for histories that another model wrote. */
const WAIVERS = ['context_engineering_is_the_way_to_go', 'skip_thought_signature_validator'];

const SIGNATURES = 'gemini-api/docs/thought-signatures';
const THINKING = 'gemini-api/docs/thinking';

/** What the Gemini API rejects or silently degrades. Pages are those of ai.google.dev. */
export const googleRules: Rule[] = [
  {
    rule: 'a request has contents, and only known fields',
    page: 'api/generate-content',
    *check({ body, counting }) {
      if (counting) return;
      for (const field of Object.keys(body)) if (!FIELDS.has(field)) yield unknownName(field, '');
      const contents = records(body.contents);
      if (contents.length === 0) yield '* GenerateContentRequest.contents: contents is not specified';
      for (const [i, content] of contents.entries()) yield* contentFaults(content, `contents[${i}]`);
    },
  },
  {
    rule: 'function declarations use the part of JSON Schema that is supported',
    page: 'gemini-api/docs/function-calling',
    check: ({ body }) => toolFaults(records(body.tools)),
  },
  {
    rule: 'every call is answered in the next content, as many as there are',
    page: 'gemini-api/docs/function-calling',
    check: ({ body }) => turnFaults(records(body.contents)),
  },
  {
    rule: 'the first call of each step of the current turn has its thought signature',
    page: SIGNATURES,
    *check({ body, model }) {
      if (signsCalls(model)) yield* signatureFaults(records(body.contents));
    },
  },
  {
    rule: 'responses repeat the id and the order of their calls',
    page: SIGNATURES,
    *check({ body }): Generator<Violation> {
      const contents = records(body.contents);
      for (const [i, content] of contents.entries()) {
        const asked = partsWith(contents[i - 1], 'functionCall').map((part) => record(part.functionCall));
        for (const [j, part] of partsWith(content, 'functionResponse').entries()) {
          const { id, name } = record(part.functionResponse);
          const call = asked[j];
          if (call && (call.name !== name || call.id !== id))
            yield { degraded: `contents[${i}].parts[${j}] answers another call than the one in its place` };
        }
      }
    },
  },
  {
    rule: 'Argon takes a thinking level from low to high, and no budget',
    page: THINKING,
    *check({ body, model }) {
      if (!isArgon(model)) return;
      const { thinkingLevel, thinkingBudget } = record(record(body.generationConfig).thinkingConfig);
      if (thinkingBudget !== undefined)
        yield 'Thinking budget is not supported for this model. Please use thinking_level instead.';
      const level = String(thinkingLevel).toLowerCase();
      if (thinkingLevel !== undefined && !['low', 'medium', 'high'].includes(level))
        yield `Thinking level ${level.toUpperCase()} is not supported for this model.`;
    },
  },
  {
    rule: 'level and budget of thinking are not combined',
    page: THINKING,
    *check({ body }) {
      const { thinkingLevel, thinkingBudget } = record(record(body.generationConfig).thinkingConfig);
      if (thinkingLevel !== undefined && thinkingBudget !== undefined)
        yield 'You can only set only one of thinking budget and thinking level.';
    },
  },
  {
    rule: 'a reply has at most 65,536 tokens',
    page: 'gemini-api/docs/latest-model',
    *check({ body }) {
      const { maxOutputTokens } = record(body.generationConfig);
      if (Number(maxOutputTokens) > 65_536)
        yield `Unable to submit request because it has a maxOutputTokens value of ${Number(maxOutputTokens)} but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.`;
    },
  },
  {
    rule: 'a temperature under 1 can make newer models repeat themselves',
    page: 'gemini-api/docs/latest-model',
    *check({ body, model }): Generator<Violation> {
      const { temperature } = record(body.generationConfig);
      if (signsCalls(model) && temperature !== undefined && Number(temperature) < 1)
        yield { degraded: `temperature ${Number(temperature)}` };
    },
  },
];

function isArgon(model: string): boolean {
  return model.startsWith('gemini-4-argon');
}

function partsWith(content: Json | undefined, key: string): Json[] {
  return records(content?.parts).filter((part) => part[key] !== undefined);
}

function* toolFaults(tools: Json[]): Generator<string> {
  for (const [i, tool] of tools.entries()) {
    const names = records(tool.functionDeclarations).map((known) => known.name);
    for (const name of names.filter((other, at) => names.indexOf(other) !== at)) {
      yield `Duplicate function declaration found: ${String(name)}`;
    }
    for (const [j, known] of records(tool.functionDeclarations).entries()) {
      const at = `tools[${i}].function_declarations[${j}]`;
      if (!NAME.test(String(known.name))) {
        yield `* GenerateContentRequest.${at}.name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:) or dashes (-), with a maximum length of 128.`;
      }
      if (known.parameters !== undefined && known.parametersJsonSchema !== undefined) {
        yield `* GenerateContentRequest.${at}: only one of parameters and parameters_json_schema may be set`;
      }
      if (isRecord(known.parameters)) yield* schemaFaults(known.parameters, `${at}.parameters`);
    }
  }
}

function* schemaFaults(schema: Json, at: string): Generator<string> {
  for (const key of Object.keys(schema)) if (!SCHEMA_FIELDS.has(key)) yield unknownName(key, at);
  if (Array.isArray(schema.type))
    yield `Invalid value at '${at}.type': Proto field is not repeating, cannot start list.`;
  const type = String(schema.type).toUpperCase();
  if (type === 'OBJECT' && Object.keys(record(schema.properties)).length === 0) {
    yield `* GenerateContentRequest.${at}.properties: should be non-empty for OBJECT type`;
  }
  if (schema.enum !== undefined && type !== 'STRING')
    yield `* GenerateContentRequest.${at}.enum: only allowed for STRING type`;
  if (type === 'ARRAY' && schema.items === undefined)
    yield `* GenerateContentRequest.${at}.items: missing field.`;
  if (
    type === 'STRING' &&
    schema.format !== undefined &&
    !['enum', 'date-time'].includes(String(schema.format))
  ) {
    yield `* GenerateContentRequest.${at}.format: only 'enum' and 'date-time' are supported for STRING type`;
  }
  for (const [key, value] of Object.entries(record(schema.properties))) {
    yield* schemaFaults(record(value), `${at}.properties[${key}]`);
  }
  if (isRecord(schema.items)) yield* schemaFaults(schema.items, `${at}.items`);
  for (const [i, option] of list(schema.anyOf).entries())
    yield* schemaFaults(record(option), `${at}.any_of[${i}]`);
}

function* contentFaults({ role, parts }: Json, at: string): Generator<string> {
  if (!['user', 'model', 'function', undefined].includes(role as string | undefined)) {
    yield 'Please use a valid role: user, model.';
  }
  if (list(parts).length === 0)
    yield `* GenerateContentRequest.${at}.parts: contents.parts must not be empty.`;
  for (const [i, part] of records(parts).entries()) {
    const filled = PART_DATA.filter((key) => part[key] !== undefined);
    if (filled.length !== 1) {
      yield `* GenerateContentRequest.${at}.parts[${i}].data: required oneof field 'data' must have one initialized field`;
    }
    if (part.text === '' && part.thoughtSignature === undefined) {
      yield 'Unable to submit request because it has an empty text parameter.';
    }
  }
}

function* turnFaults(contents: Json[]): Generator<string> {
  const count = (content: Json | undefined, key: string) => partsWith(content, key).length;
  for (const [i, content] of contents.entries()) {
    const before = contents[i - 1];
    const calls = count(content, 'functionCall');
    const answers = count(content, 'functionResponse');
    if (calls > 0 && (before === undefined || before.role === 'model')) {
      yield 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
    }
    if (answers > 0 && count(before, 'functionCall') === 0) {
      yield 'Please ensure that function response turn comes immediately after a function call turn.';
    }
    if (i > 0 && answers !== count(before, 'functionCall')) {
      yield 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    }
  }
  if (count(contents.at(-1), 'functionCall') > 0) {
    yield 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
  }
}

/** Since the last user message, the first call of every model turn must have its signature. */
function* signatureFaults(contents: Json[]): Generator<string> {
  const asked = contents.findLastIndex(
    ({ role, parts }) => role !== 'model' && records(parts).some((part) => typeof part.text === 'string'),
  );
  for (const [i, { role, parts }] of contents.entries()) {
    if (role !== 'model') continue;
    const calls = records(parts).filter((part) => part.functionCall !== undefined);
    const first = calls[0];
    if (first && first.thoughtSignature === undefined && i > asked) {
      yield `Function call \`default_api:${String(record(first.functionCall).name)}\` in the ${i + 1}. content block is missing a \`thought_signature\``;
    }
    for (const part of calls) {
      const { name, args } = record(part.functionCall);
      const proof = part.thoughtSignature;
      if (proof !== undefined && proof !== signCall(name, args ?? {}) && !WAIVERS.includes(String(proof))) {
        yield 'Corrupted thought signature.';
      }
    }
  }
}

function unknownName(name: string, at: string): string {
  const where = at === '' ? '' : ` at '${at}'`;
  return `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`;
}
