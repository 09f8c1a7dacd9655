import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const manifest = JSON.parse(await readFile('package.json', 'utf8'));
const lock = JSON.parse(await readFile('package-lock.json', 'utf8')).packages as Record<
  string,
  { version: string; optional?: boolean; engines?: { node?: string } }
>;

/** The rows of every table of the page: [packages, reason]. */
const rows = (await readFile('docs/stack.md', 'utf8'))
  .split('\n')
  .map((line) => /^\|[^|]+\|([^|]+)\|([^|]+)\|$/.exec(line))
  .filter((match) => match !== null)
  .map(([, packages = '', reason = '']) => ({
    packages: [...packages.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    reason: reason.trim(),
  }))
  .filter(({ packages }) => packages.length > 0);

test('docs/stack.md gives a reason for every package in package.json, and names no other', () => {
  const { dependencies, optionalDependencies, devDependencies } = manifest;
  const installed = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
  expect(rows.flatMap(({ packages }) => packages).sort()).toEqual(installed.sort());
  expect(rows.filter(({ reason }) => reason === '')).toEqual([]);
});

test('every OpenTelemetry package is installed in one version', () => {
  const copies = Object.keys(lock).filter((place) => place.includes('/node_modules/@opentelemetry/'));
  expect(copies).toEqual([]);
});

test('`npm ci` does not install Bun', () => {
  expect(Object.keys(lock).filter((place) => /node_modules\/(bun|@oven\/.*)$/.test(place))).toEqual([]);
});

test('every package runs on the oldest Node that we support', () => {
  const oldest = (range: string) =>
    /^>=\s*(\d+)(?:\.(\d+))?[\d.]*$/
      .exec(range)
      ?.slice(1)
      .map((n = '0') => Number(n));
  const [major = 0, minor = 0] = oldest(manifest.engines.node) ?? [];
  const tooNew = Object.entries(lock).filter(([, { optional, engines }]) => {
    const [itsMajor = 0, itsMinor = 0] = oldest(engines?.node ?? '') ?? [];
    return !optional && (itsMajor > major || (itsMajor === major && itsMinor > minor));
  });
  expect(tooNew.map(([place]) => place)).toEqual([]);
});
