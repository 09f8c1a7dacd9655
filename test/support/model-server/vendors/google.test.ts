import { describe, test } from 'vitest';
import { signCall } from '../pieces.ts';
import type { Json } from '../protocol.ts';
import { googleRules } from './google.ts';
import { ACCEPTED, changed, expectVerdict, sampleRequest, type Verdict } from './sample-request.ts';

describe('Gemini', () => {
  const asked = { role: 'user', parts: [{ text: 'hi' }] };
  const good = { contents: [asked] };
  const call = (extra: Json = {}) => ({ functionCall: { name: 'Read', args: { a: 1 } }, ...extra });
  const answer = { functionResponse: { name: 'Read', response: { output: 'text' } } };
  const model = (...parts: unknown[]) => ({ role: 'model', parts });
  const answered = (...parts: unknown[]) => ({ role: 'user', parts });
  const tool = (change: Json) => ({ tools: [{ functionDeclarations: [{ name: 'Read', ...change }] }] });
  const parameters = (properties: Json, extra: Json = {}) =>
    tool({ parameters: { type: 'OBJECT', properties, ...extra } });
  const signature = signCall('Read', { a: 1 });

  test.each<[string, Json, Verdict]>([
    ['a plain request passes', {}, ACCEPTED],
    ['answered calls pass', { contents: [asked, model(call(), call()), answered(answer, answer)] }, ACCEPTED],
    [
      'too few answers',
      { contents: [asked, model(call(), call()), answered(answer)] },
      /number of function response parts is equal/,
    ],
    [
      'no answer at the end',
      { contents: [asked, model(call())] },
      /number of function response parts is equal/,
    ],
    [
      'an answer to nothing',
      { contents: [asked, answered(answer)] },
      /immediately after a function call turn/,
    ],
    [
      'a call before any question',
      { contents: [model(call()), answered(answer)] },
      /immediately after a user turn/,
    ],
    [
      'a foreign role',
      { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] },
      /valid role: user, model/,
    ],
    ['no parts', { contents: [{ role: 'user', parts: [] }] }, /must not be empty/],
    ['an empty part', { contents: [{ role: 'user', parts: [{}] }] }, /required oneof field 'data'/],
    ['an empty text', { contents: [{ role: 'user', parts: [{ text: '' }] }] }, /empty text parameter/],
    ['no contents', { contents: undefined }, /contents is not specified/],
    ['an invented field', { messages: [] }, /Unknown name "messages": Cannot find field/],
    [
      'a closed schema',
      parameters({ a: { type: 'STRING' } }, { additionalProperties: false }),
      /Unknown name "additionalProperties" at 'tools\[0\]\.function_declarations\[0\]\.parameters'/,
    ],
    [
      'a schema with a dialect',
      parameters({ a: { type: 'STRING' } }, { $schema: 'x' }),
      /Unknown name "\$schema"/,
    ],
    [
      'a deep unknown keyword',
      parameters({ a: { type: 'ARRAY', items: { type: 'STRING', const: 'x' } } }),
      /Unknown name "const" at .*properties\[a\]\.items'/,
    ],
    [
      'both, as JSON Schema',
      tool({ parametersJsonSchema: { $schema: 'x', type: 'object', additionalProperties: false } }),
      ACCEPTED,
    ],
    ['an object without properties', parameters({}), /should be non-empty for OBJECT type/],
    ['a list without items', parameters({ a: { type: 'ARRAY' } }), /items: missing field/],
    [
      'numbers as an enum',
      parameters({ a: { type: 'INTEGER', enum: ['1'] } }),
      /only allowed for STRING type/,
    ],
    [
      'a format it does not know',
      parameters({ a: { type: 'STRING', format: 'uri' } }),
      /only 'enum' and 'date-time'/,
    ],
    ['two types', parameters({ a: { type: ['STRING', 'NULL'] } }), /Proto field is not repeating/],
    ['a name with a slash', tool({ name: 'a/b' }), /Invalid function name/],
    [
      'two tools of one name',
      { tools: [{ functionDeclarations: [{ name: 'a' }, { name: 'a' }] }] },
      /Duplicate function declaration/,
    ],
  ])('%s', (_sentence, change, refusal) => {
    const request = sampleRequest(changed(good, change), { protocol: 'google', model: 'gemini-2.5-pro' });
    expectVerdict(googleRules, request, refusal);
  });

  test.each<[string, Json, Verdict]>([
    [
      'a signed call passes',
      { contents: [asked, model(call({ thoughtSignature: signature }), call()), answered(answer, answer)] },
      ACCEPTED,
    ],
    [
      'an unsigned call',
      { contents: [asked, model(call()), answered(answer)] },
      /Function call `default_api:Read` in the 2. content block is missing a `thought_signature`/,
    ],
    [
      'a forged signature',
      { contents: [asked, model(call({ thoughtSignature: 'x' })), answered(answer)] },
      /Corrupted thought signature/,
    ],
    [
      'the documented waiver',
      {
        contents: [
          asked,
          model(call({ thoughtSignature: 'skip_thought_signature_validator' })),
          answered(answer),
        ],
      },
      ACCEPTED,
    ],
    [
      'an unsigned call before the last question',
      { contents: [asked, model(call()), answered(answer), model({ text: 'ok' }), asked] },
      ACCEPTED,
    ],
  ])('third generation: %s', (_sentence, change, refusal) => {
    const request = sampleRequest({ ...good, ...change }, { protocol: 'google', model: 'gemini-3-pro' });
    expectVerdict(googleRules, request, refusal);
  });

  const config = (generationConfig: Json) => ({ generationConfig });
  const named = (name: string, id?: string) => ({ functionCall: { name, ...(id && { id }) } });
  const answering = (name: string, id?: string) => ({
    functionResponse: { name, response: {}, ...(id && { id }) },
  });
  const steps = (...answers: Json[]) => ({
    contents: [
      asked,
      model({ ...named('Read', 'a'), thoughtSignature: signCall('Read', {}) }, named('Grep', 'b')),
      answered(...answers),
    ],
  });

  test.each<[string, Json, Verdict]>([
    ['a level', config({ thinkingConfig: { thinkingLevel: 'low' } }), ACCEPTED],
    [
      'the minimal level',
      config({ thinkingConfig: { thinkingLevel: 'minimal' } }),
      /MINIMAL is not supported/,
    ],
    ['a budget', config({ thinkingConfig: { thinkingBudget: 100 } }), /Thinking budget is not supported/],
    ['65,536 tokens', config({ maxOutputTokens: 65_536 }), ACCEPTED],
    ['more tokens', config({ maxOutputTokens: 65_537 }), /maxOutputTokens value of 65537/],
    ['a low temperature', config({ temperature: 0.2 }), { degraded: /temperature 0.2/ }],
    ['responses in order', steps(answering('Read', 'a'), answering('Grep', 'b')), ACCEPTED],
    [
      'responses without ids',
      steps(answering('Read'), answering('Grep', 'b')),
      { degraded: /parts\[0\] answers another call/ },
    ],
    [
      'a signature of another route',
      {
        contents: [
          asked,
          model(call({ thoughtSignature: 'x' })),
          answered(answer),
          model({ text: 'ok' }),
          asked,
        ],
      },
      'Corrupted thought signature.',
    ],
  ])('Argon: %s', (_sentence, change, verdict) => {
    const request = sampleRequest({ ...good, ...change }, { protocol: 'google', model: 'gemini-4-argon' });
    expectVerdict(googleRules, request, verdict);
  });
});
