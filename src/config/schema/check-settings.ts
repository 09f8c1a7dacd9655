import * as z from 'zod';
import defaultSettings from './defaults.json' with { type: 'json' };
import { type Config, type ConfigInput, type Shape, settings } from './schema.ts';

/** For checks at start: compiling a checker, zod's default, costs more than the few checks it would speed up. */
export const checkOnce = { jitless: true } as const;

type Name = keyof typeof settings;
// The keys of an object literal are its own.
const names = Object.keys(settings) as Name[];

const made = new Map<Name, z.ZodType>();

function schemaOf(name: Name): z.ZodType {
  const schema = made.get(name) ?? settings[name]();
  made.set(name, schema);
  return schema;
}

/** Whether a look is enough. */
function isRight(name: Name, value: unknown): boolean {
  const setting = settings[name];
  return 'isRight' in setting && setting.isRight(value);
}

let whole: z.ZodObject<Shape, z.core.$strict> | undefined;

/** All settings in one, for those who need every one of them. */
export function configSchema(): z.ZodObject<Shape, z.core.$strict> {
  whole ??= z.strictObject(
    // Entries lose which schema belongs to which key.
    Object.fromEntries(names.map((name) => [name, schemaOf(name)])) as Shape,
  );
  return whole;
}

/** What is wrong with an input. Only what it says is looked at. */
export function issuesIn(input: Readonly<Record<string, unknown>>): z.core.$ZodIssue[] {
  const wrong = names.flatMap((name) => {
    const issues =
      Object.hasOwn(input, name) && !isRight(name, input[name])
        ? schemaOf(name).safeParse(input[name], checkOnce).error?.issues
        : undefined;
    return (issues ?? []).map((issue) => ({ ...issue, path: [name, ...issue.path] }));
  });
  const unknown = Object.keys(input).filter((key) => !Object.hasOwn(settings, key));
  if (unknown.length === 0) return wrong;
  return [...wrong, { code: 'unrecognized_keys', keys: unknown, path: [], message: '' }];
}

/** What the input says, and the defaults for all else. Throws where it is wrong. */
export function settled(input: ConfigInput): Config {
  const otherwise = defaults();
  const entries = names.flatMap((name) => {
    if (Object.hasOwn(input, name)) {
      const value = input[name];
      return [[name, isRight(name, value) ? value : schemaOf(name).parse(value, checkOnce)]];
    }
    return Object.hasOwn(otherwise, name) ? [[name, otherwise[name]]] : [];
  });
  // Entries lose which value belongs to which key.
  return Object.fromEntries(entries) as Config;
}

/**
 * Each time its own: whoever gets them may change them. They are what `configSchema().parse({})` comes to, written down
 * by `npm run docs`: most starts need no schema, and to make them all takes 20 ms.
 */
function defaults(): Config {
  // JSON has lost that some texts are one of a few.
  return structuredClone(defaultSettings) as unknown as Config;
}
