import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { schemaOf } from '../scripts/json-schema.ts';
import { rollUp } from '../scripts/roll-up-types.ts';

const files = (parts: Record<string, string>) => new Map(Object.entries(parts));

describe('many files of declarations become one', () => {
  test('with what is exported and what that is made of, and nothing else', () => {
    const text = rollUp(
      files({
        'index.d.ts': "export { make, type Made } from './make/make.ts';",
        'make/make.d.ts': `import type { z } from 'zod';
import type { Part } from '../part.ts';
import type { Hidden } from '../hidden.ts';
/** What was made. */
export type Made = { part: Part; schema: z.ZodType };
/** Makes it. */
export declare function make(count?: number): Made;
export declare function notExported(hidden: Hidden): void;`,
        'part.d.ts':
          'export type Part = { inner: Inner; self?: Part };\ntype Inner = string;\nexport type Other = 1;',
        'hidden.d.ts': 'export type Hidden = 1;',
      }),
      'index.d.ts',
    );
    expect(text).toBe(`import type { z } from 'zod';

/** Makes it. */
declare function make(count?: number): Made;

/** What was made. */
type Made = { part: Part; schema: z.ZodType };

type Part = { inner: Inner; self?: Part };

type Inner = string;

export {
  type Made,
  make,
};
`);
  });

  test('a name that a file passes on is found where it is declared', () => {
    const parts = {
      'index.d.ts': "export { A } from './a.ts';",
      'a.d.ts': "export { A } from './b.ts';",
      'b.d.ts':
        'export declare class A extends Error { b: B; }\nexport interface B { x: typeof y }\nexport declare const y: 1;',
    };
    expect(rollUp(files(parts), 'index.d.ts')).toBe(`declare class A extends Error { b: B; }

interface B { x: typeof y }

declare const y: 1;

export {
  A,
};
`);
  });

  test.each([
    [
      'two declarations of one name',
      {
        'index.d.ts': "export type { A } from './a.ts';\nexport type { B } from './b.ts';",
        'a.d.ts': 'export type A = X;\ntype X = 1;',
        'b.d.ts': 'export type B = X;\ntype X = 2;',
      },
      'X is declared in a.d.ts and in b.d.ts',
    ],
    [
      'an export of everything',
      { 'index.d.ts': "export * from './a.ts';", 'a.d.ts': 'export type A = 1;' },
      'list the exports by name',
    ],
    [
      'an import in the middle of a type',
      { 'index.d.ts': "export type { A } from './a.ts';", 'a.d.ts': "export type A = import('./b.ts').B;" },
      'import the type by name',
    ],
    [
      'an export under another name',
      { 'index.d.ts': "export type { A as B } from './a.ts';", 'a.d.ts': 'export type A = 1;' },
      'export it under its own name',
    ],
  ])('%s is refused with a sentence', (_, parts, words) => {
    expect(() => rollUp(files(parts as Record<string, string>), 'index.d.ts')).toThrow(words);
  });
});

describe('types of plain data become JSON Schema', () => {
  const declarations = `
/** An event. */
type Event =
  /** It said something. */
  | { type: 'text'; text: string; note?: string }
  | ({ type: 'inner' } & Wrapped)
  | { type: 'verdict'; verdict: Exclude<Verdict, 'ask'>; cost: number | null; extra: Record<string, unknown> };
type Wrapped = { event: Event; list: readonly Level[] };
type Verdict = 'allow' | 'ask' | 'deny';
type Level = 1 | true;
`;
  const schema = schemaOf('Event', declarations);
  const fits = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(schema);

  test('with what was written about them', () => {
    const { Event } = schema.$defs as { Event: { description: string; anyOf: { description?: string }[] } };
    expect(Event.description).toBe('An event.');
    expect(Event.anyOf.map(({ description }) => description)).toEqual([
      'It said something.',
      undefined,
      undefined,
    ]);
  });

  test.each([
    [{ type: 'text', text: 'x' }, true],
    [{ type: 'text', text: 'x', note: 'y', unheardOf: 1 }, true],
    [{ type: 'text' }, false],
    [{ type: 'text', text: 'x', note: 1 }, false],
    [{ type: 'inner', event: { type: 'text', text: 'x' }, list: [1, true] }, true],
    [{ type: 'inner', event: { type: 'text' }, list: [] }, false],
    [{ type: 'inner', event: { type: 'text', text: 'x' }, list: [2] }, false],
    [{ type: 'verdict', verdict: 'deny', cost: null, extra: { a: [] } }, true],
    [{ type: 'verdict', verdict: 'ask', cost: 1, extra: {} }, false],
    [{ type: 'other' }, false],
  ])('%j fits: %s', (value, expected) => {
    expect(fits(value)).toBe(expected);
  });

  test('what JSON cannot say is refused with a sentence', () => {
    expect(() => schemaOf('A', 'type A = { run(): void };')).toThrow('cannot be expressed in JSON Schema');
    expect(() => schemaOf('A', 'type A = Map<string, string>;')).toThrow(
      'Map cannot be expressed in JSON Schema.',
    );
  });
});
