import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { UserError } from '../../contract/errors.ts';
import { parseJson } from '../../lib/text/json.ts';

/** Checks a model's final answer against the user's JSON Schema. */
export type StructuredResult = {
  /** Instructions for the model, before it starts. */
  instruction: string;
  check(answer: string): { valid: true; value: unknown } | { valid: false; problem: string };
};

export async function structuredResult(schemaOrFile: string): Promise<StructuredResult> {
  const schema = await readSchema(schemaOrFile);
  const ajv = new Ajv({ allErrors: true, strict: false });
  const validate = compile(schema);
  return {
    instruction: `When you are done, answer with one JSON value and nothing else. It must satisfy this JSON Schema:\n${JSON.stringify(schema)}`,
    check(answer) {
      const parsed = parseAnswer(answer);
      if (!parsed) return { valid: false, problem: 'The answer is not JSON.' };
      if (validate(parsed.value)) return { valid: true, value: parsed.value };
      return {
        valid: false,
        problem: ajv.errorsText(validate.errors, { dataVar: 'answer', separator: '\n' }),
      };
    },
  };

  function compile(from: object) {
    try {
      return ajv.compile(from);
    } catch (error) {
      throw new UserError(
        `--json-schema is not a valid JSON Schema: ${(error as Error).message}`,
        'Fix it and try again.',
      );
    }
  }
}

async function readSchema(schemaOrFile: string): Promise<object> {
  const inline = schemaOrFile.trimStart().startsWith('{');
  const text = inline ? schemaOrFile : await readFile(schemaOrFile, 'utf8').catch(() => null);
  if (text === null) {
    throw new UserError(
      `--json-schema: ${schemaOrFile} cannot be read.`,
      'Give the path of a file, or the schema itself.',
    );
  }
  try {
    return JSON.parse(text) as object;
  } catch (error) {
    throw new UserError(`--json-schema is not JSON: ${(error as Error).message}`, 'Fix it and try again.');
  }
}

/** Models often wrap JSON in a code fence or a sentence; only the value counts. */
function parseAnswer(answer: string): { value: unknown } | null {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(answer)?.[1];
  for (const candidate of [answer, fenced]) {
    const value = candidate === undefined ? undefined : parseJson(candidate);
    if (value !== undefined) return { value };
  }
  return null;
}
