import { describe, type TestContext, type TestOptions, test } from 'vitest';

/** For tests that only `npm run test:soak` runs: `test('title', soak, body)`. */
export const soak = { tags: ['soak'] };

/** How often a loop of the soak run goes round: `few` times, or `all` with `ACA_SOAK=all npm run test:soak`. */
export function rounds(few: number, all: number): number {
  return process.env.ACA_SOAK === 'all' ? all : few;
}

type Define<Row extends readonly unknown[]> = (
  title: string,
  body: (...row: Row) => unknown,
  options?: TestOptions,
) => void;

/** `test.each`, of whose rows `npm test` runs the first few; `npm run test:soak` runs the others. */
export function sweep<T extends unknown[] | [unknown]>(rows: readonly T[], few?: number): Define<T>;
export function sweep<T extends readonly unknown[]>(rows: readonly T[], few?: number): Define<[...T]>;
export function sweep<T>(rows: readonly T[], few?: number): Define<[T]>;
export function sweep(rows: readonly unknown[], few = 1): Define<unknown[]> {
  return (title, body, options = {}) => {
    test.each(rows.slice(0, few))(title, options, body as () => void);
    test.each(rows.slice(few))(title, { ...options, ...soak }, body as () => void);
  };
}

/** `test.for`, of whose rows `npm test` runs those that `isUsual` accepts; `npm run test:soak` runs the others. */
export function sweepFor<T>(rows: readonly T[], isUsual: (row: T) => boolean) {
  return (title: string, body: (row: T, context: TestContext) => void | Promise<void>): void => {
    test.for(rows.filter(isUsual))(title, body);
    test.for(rows.filter((row) => !isUsual(row)))(title, soak, body);
  };
}

/** `describe.each`, of whose groups `npm test` runs the first; `npm run test:soak` runs the others. */
export function sweepGroups<T extends readonly unknown[] | [unknown]>(rows: readonly T[]): Define<[...T]>;
export function sweepGroups<T>(rows: readonly T[]): Define<[T]>;
export function sweepGroups(rows: readonly unknown[]): Define<unknown[]> {
  return (title, body, options = {}) => {
    describe.each(rows.slice(0, 1))(title, options, body as () => void);
    describe.each(rows.slice(1))(title, { ...options, ...soak }, body as () => void);
  };
}
