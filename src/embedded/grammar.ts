import type { ToolDefinition } from '../contract/request/tool-definition.ts';
import { isObject } from '../lib/text/json.ts';

type Schema = Record<string, unknown>;

/** The format of a call: its delimiters, and the key of its arguments. */
export type CallForm = { open: string; close: string; argumentsKey: 'arguments' | 'parameters' };

const BASE = String.raw`
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ( string ": " value ( ", " string ": " value )* )? "}"
array ::= "[" ( value ( ", " value )* )? "]"
string ::= "\"" char* "\""
char ::= [^"\\\x7F\x00-\x1F] | "\\" ( ["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] )
number ::= integer ( "." [0-9]+ )? ( [eE] [-+]? [0-9]+ )?
integer ::= "-"? ( "0" | [1-9] [0-9]* )
`;

/**
 * A grammar (GBNF) for calls of these tools, starting after the first opening delimiter. Tool names exist,
 * arguments are JSON with the keys and types of the schema, required ones first; finer constraints are
 * validated afterwards.
 */
export function callGrammar(
  tools: readonly ToolDefinition[],
  form: CallForm,
  count: 'one' | 'several' = 'several',
): string {
  const rules = new Rules();
  const key = `", \\"${form.argumentsKey}\\": "`;
  const calls = tools.map(({ name, parameters }) => {
    return `"{\\"name\\": " ${literal(JSON.stringify(name))} ${key} ${rules.of(parameters)} "}"`;
  });
  const call = rules.add(calls.join(' | '));
  const one = `"\\n"? ${call} "\\n"? ${literal(form.close)}`;
  const more = count === 'one' ? '' : ` ( "\\n"? ${literal(form.open)} ${one} )*`;
  return `root ::= ${one}${more}\n${rules.text()}${BASE}`;
}

/** A grammar for JSON that matches a schema. */
export function schemaGrammar(schema: Record<string, unknown>): string {
  const rules = new Rules();
  const root = rules.of(schema);
  return `root ::= ${root}\n${rules.text()}${BASE}`;
}

class Rules {
  readonly #rules: string[] = [];

  add(body: string): string {
    this.#rules.push(body);
    return `r${this.#rules.length - 1}`;
  }

  text(): string {
    return this.#rules.map((body, i) => `r${i} ::= ${body}\n`).join('');
  }

  /** The name of a rule that generates values of a schema. */
  of(schema: unknown): string {
    if (!isObject(schema)) return 'value';
    if ('const' in schema) return this.add(literal(JSON.stringify(schema.const)));
    if (Array.isArray(schema.enum))
      return this.add(schema.enum.map((value) => literal(JSON.stringify(value))).join(' | '));
    const choices = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(choices)) return this.add(choices.map((choice) => this.of(choice)).join(' | '));
    if (Array.isArray(schema.type))
      return this.add(schema.type.map((type) => this.of({ ...schema, type })).join(' | '));
    switch (schema.type) {
      case 'string':
      case 'integer':
      case 'number':
        return schema.type;
      case 'boolean':
        return this.add('"true" | "false"');
      case 'null':
        return this.add('"null"');
      case 'array':
        return this.#list(this.of(schema.items ?? {}), Number(schema.minItems ?? 0));
      case 'object':
        return isObject(schema.properties) ? this.#object(schema, schema.properties) : 'object';
      default:
        return 'value';
    }
  }

  #list(item: string, least: number): string {
    const more = `${item} ( ", " ${item} )*`;
    return this.add(least > 0 ? `"[" ${more} "]"` : `"[" ( ${more} )? "]"`);
  }

  #object({ required }: Schema, properties: Schema): string {
    const needed = Array.isArray(required) ? required : [];
    const pair = ([key, schema]: [string, unknown]) =>
      this.add(`${literal(`${JSON.stringify(key)}: `)} ${this.of(schema)}`);
    const entries = Object.entries(properties);
    const must = entries.filter(([key]) => needed.includes(key)).map(pair);
    const may = entries.filter(([key]) => !needed.includes(key)).map(pair);
    const behind = (pairs: string[]) => pairs.map((rule) => `( ", " ${rule} )?`).join(' ');
    if (must.length > 0) return this.add(`"{" ${must.join(' ", " ')} ${behind(may)} "}"`);
    // Any of them may be the first; earlier ones are then omitted.
    const firsts = may.map((rule, i) => `${rule} ${behind(may.slice(i + 1))}`);
    return this.add(firsts.length > 0 ? `"{" ( ${firsts.join(' | ')} )? "}"` : '"{}"');
  }
}

/** A literal in grammar syntax. */
function literal(text: string): string {
  const escaped = text.replaceAll(/[\\"\n\r\t]/g, (char) => {
    return { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[char] ?? `\\${char}`;
  });
  return `"${escaped}"`;
}
