import { describe, expect, test } from 'vitest';
import { type Check, checksIn } from './checks.ts';

const passed = async (command: string) =>
  (await checksIn([{ command, exitCode: 0 }])).map(({ name }) => name);
const outcomes = (...ran: [command: string, exitCode: number | null][]): Promise<Check[]> =>
  checksIn(ran.map(([command, exitCode]) => ({ command, exitCode })));

describe('commands that test, build or lint', () => {
  test.each([
    ['npm test', 'npm test'],
    ['npm t', 'npm test'],
    ['npm test -- --watch=false', 'npm test'],
    ['npm run lint', 'npm run lint'],
    ['npm run -s test:unit', 'npm run test:unit'],
    ['npm --prefix web test', 'npm test'],
    ['npm -w pkg run build', 'npm run build'],
    ['cd web && npm test', 'npm test'],
    ['cd "my web" && CI=1 npm test 2>&1', 'npm test'],
    ['CI=1 FORCE_COLOR=0 yarn test', 'yarn test'],
    ['env CI=1 pnpm -r test', 'pnpm test'],
    ['yarn vitest run', 'vitest'],
    ['bun test', 'bun test'],
    ['timeout 60 npx vitest run src/a.test.ts', 'vitest'],
    ['npx -y jest', 'jest'],
    ['npx tsc --noEmit', 'tsc'],
    ['./node_modules/.bin/eslint .', 'eslint'],
    ['pnpm exec eslint src', 'eslint'],
    ['python -m pytest -q', 'pytest'],
    ['python3 -m unittest', 'unittest'],
    ['poetry run pytest tests/', 'pytest'],
    ['uv run mypy .', 'mypy'],
    ['ruff check .', 'ruff check'],
    ['tox -e py312', 'tox'],
    ['go test ./...', 'go test'],
    ['go vet ./...', 'go vet'],
    ['cargo test --all', 'cargo test'],
    ['cargo +nightly clippy', 'cargo clippy'],
    ['RUSTFLAGS=-Dwarnings cargo check', 'cargo check'],
    ['make', 'make'],
    ['make -j8 test', 'make test'],
    ['make -C sub check', 'make check'],
    ['mvn -q verify', 'mvn verify'],
    ['./mvnw -pl core test', 'mvnw test'],
    ['./gradlew test --info', 'gradlew test'],
    ['dotnet test App.sln', 'dotnet test'],
    ['cmake --build build', 'cmake --build'],
    ['ctest --output-on-failure', 'ctest'],
    ['vendor/bin/phpunit', 'phpunit'],
    ['bundle exec rspec', 'rspec'],
    ['mix test', 'mix test'],
    ['swift test', 'swift test'],
    ['deno test -A', 'deno test'],
    ['deno task build', 'deno task build'],
    ['node --test', 'node --test'],
  ])('%s', async (command, name) => {
    expect(await passed(command)).toEqual([name]);
  });

  test.each([
    'ls',
    'echo npm test',
    'npm install',
    'npm run dev',
    'npm run format',
    'npm ci',
    'yarn add vitest',
    'git commit -m "npm test"',
    'vitest --version',
    'cargo --help',
    'cargo run',
    'go run .',
    'make install',
    'node server.js',
    'python script.py',
    'cat test.txt',
  ])('not %s', async (command) => {
    expect(await passed(command)).toEqual([]);
  });
});

describe('outcomes', () => {
  test('the last one of each counts', async () => {
    expect(
      await outcomes(['npm test', 1], ['go vet ./...', 0], ['npm test', 0], ['npm run lint', 2]),
    ).toEqual([
      { name: 'go vet', exitCode: 0 },
      { name: 'npm test', exitCode: 0 },
      { name: 'npm run lint', exitCode: 2 },
    ]);
    expect(await outcomes(['npm test', 0], ['npm test', null])).toEqual([
      { name: 'npm test', exitCode: null },
    ]);
  });

  test.each([
    ['npm run build && npm test', 0, { 'npm run build': 0, 'npm test': 0 }],
    // Which of them failed is not known, but the last has not passed.
    ['npm run build && npm test', 1, { 'npm test': 1 }],
    ['cd web && npm test', 1, { 'npm test': 1 }],
    ['npm test && echo ok', 0, { 'npm test': 0 }],
    ['npm test && echo ok', 1, { 'npm test': 1 }],
    ['echo start; npm test', 0, { 'npm test': 0 }],
    ['set -o pipefail; npm test | tail', 1, { 'npm test': 1 }],
    ['set -euo pipefail && npm test | tail', 0, { 'npm test': 0 }],
  ])('%s, exit %i', async (command, exitCode, expected) => {
    const found = await outcomes([command, exitCode]);
    expect(Object.fromEntries(found.map((check) => [check.name, check.exitCode]))).toEqual(expected);
  });

  test.each([
    'npm test | tail -5',
    'npm test 2>&1 | tee log',
    'npm test; echo done',
    'npm test || true',
    'npm test || npm run build',
    'npm test & wait',
    '! npm test',
    'if npm test; then echo ok; fi',
    'for i in 1 2; do npm test; done',
    '(npm test; true)',
    '{ npm test; true; }',
  ])('%s says nothing, and what was known before no longer counts', async (command) => {
    for (const exitCode of [0, 1]) {
      expect(await outcomes([command, exitCode])).toEqual([]);
      expect(await outcomes(['npm test', 0], [command, exitCode])).toEqual([]);
    }
  });
});
