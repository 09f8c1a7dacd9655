import { signsCalls } from './google.ts';
import { signCall } from './pieces.ts';
import { type Head, isRecord, type Json, list, record, records } from './protocol.ts';
import { modelIn } from './view-google.ts';

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

/** Everything in a request that Gemini answers with `INVALID_ARGUMENT`. */
export function* googleFaults(body: Json, { path }: Pick<Head, 'path'>): Generator<string> {
  for (const field of Object.keys(body)) {
    if (!FIELDS.has(field)) yield unknownName(field, '');
  }
  yield* toolFaults(records(body.tools));
  const contents = records(body.contents);
  if (contents.length === 0) yield '* GenerateContentRequest.contents: contents is not specified';
  for (const [i, content] of contents.entries()) yield* contentFaults(content, `contents[${i}]`);
  yield* turnFaults(contents);
  if (signsCalls(modelIn(path))) yield* signatureFaults(contents);
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
  const count = (content: Json | undefined, key: string) =>
    records(content?.parts).filter((part) => part[key] !== undefined).length;
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
      yield `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call \`default_api:${String(record(first.functionCall).name)}\`, position ${i + 1}.`;
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
