import { describe, type TestContext, type TestOptions, test } from 'vitest';

/** For tests that only `npm run test:soak` runs: `test('title', soak, body)`. */
export const soak = { tags: ['soak'] };

/** How often a loop of the soak run goes round: `few` times, or `all` with `ACA_SOAK=all npm run test:soak`. */
export function rounds(few: number, all: number): number {
  return process.env.ACA_SOAK === 'all' ? all : few;
}

/**
 * Rows for a table whose tests take long: `few` of them, spread evenly from the first on, or all with
 * `ACA_SOAK=all npm run test:soak`.
 */
export function sampled<T>(rows: readonly T[], few: number): T[] {
  const step = Math.max(1, rows.length / rounds(few, rows.length));
  return rows.filter((_, index) => index % step < 1);
}

/** What `npm test` leaves of a table to the soak run: half of it by day, all with `ACA_SOAK=all`. */
function rest<T>(rows: readonly T[]): T[] {
  return sampled(rows, Math.ceil(rows.length / 2));
}

type Define<Row extends readonly unknown[]> = (
  title: string,
  body: (...row: Row) => unknown,
  options?: TestOptions,
) => void;

/** `test.each`, of whose rows `npm test` runs the first few; `npm run test:soak` runs half of the others, or all. */
export function sweep<T extends unknown[] | [unknown]>(rows: readonly T[], few?: number): Define<T>;
export function sweep<T extends readonly unknown[]>(rows: readonly T[], few?: number): Define<[...T]>;
export function sweep<T>(rows: readonly T[], few?: number): Define<[T]>;
export function sweep(rows: readonly unknown[], few = 1): Define<unknown[]> {
  return (title, body, options = {}) => {
    test.each(rows.slice(0, few))(title, options, body as () => void);
    test.each(rest(rows.slice(few)))(title, { ...options, ...soak }, body as () => void);
  };
}

/** The same for `test.for`; `npm test` runs the rows that `isUsual` accepts. */
export function sweepFor<T>(rows: readonly T[], isUsual: (row: T) => boolean) {
  return (title: string, body: (row: T, context: TestContext) => void | Promise<void>): void => {
    test.for(rows.filter(isUsual))(title, body);
    test.for(rest(rows.filter((row) => !isUsual(row))))(title, soak, body);
  };
}

/** The same for `describe.each`; `npm test` runs the first group. */
export function sweepGroups<T extends readonly unknown[] | [unknown]>(rows: readonly T[]): Define<[...T]>;
export function sweepGroups<T>(rows: readonly T[]): Define<[T]>;
export function sweepGroups(rows: readonly unknown[]): Define<unknown[]> {
  return (title, body, options = {}) => {
    describe.each(rows.slice(0, 1))(title, options, body as () => void);
    describe.each(rest(rows.slice(1)))(title, { ...options, ...soak }, body as () => void);
  };
}
