import { expect, test } from 'vitest';
import { runnableChecksIn } from './checks.ts';

const remembered = async (command: string, exitCode: number | null = 0) =>
  (await runnableChecksIn([{ command, exitCode }], '/home/me/app')).map(({ name }) => name);

test.each([
  // As it was written.
  ['npm test', 'npm test'],
  ['npm t', 'npm t'],
  ['npm test -- --watch=false', 'npm test -- --watch=false'],
  ['./gradlew test --info', './gradlew test --info'],
  ['/home/me/app/gradlew test', './gradlew test'],
  ['sh gradlew test && ./gradlew build', './gradlew build'],
  ['./mvnw -q -pl core verify', './mvnw -q -pl core verify'],
  ['./node_modules/.bin/eslint .', './node_modules/.bin/eslint .'],
  ['vendor/bin/phpunit', 'vendor/bin/phpunit'],
  ['bin/rails test', 'bin/rails test'],
  ['npx tsc --noEmit', 'npx tsc --noEmit'],
  ['npx -y jest', 'npx -y jest'],
  ['npx vitest run', 'npx vitest run'],
  ['pnpm exec eslint src', 'pnpm exec eslint src'],
  ['yarn vitest run', 'yarn vitest run'],
  ['npm --prefix web test', 'npm --prefix web test'],
  ['npm -w pkg run build', 'npm -w pkg run build'],
  ['python -m pytest -q', 'python -m pytest -q'],
  ['poetry run pytest tests/', 'poetry run pytest tests/'],
  ['uv run mypy .', 'uv run mypy .'],
  ['bundle exec rspec', 'bundle exec rspec'],
  ['tox -e py312', 'tox -e py312'],
  ['go test ./...', 'go test ./...'],
  ['go test ./pkg/...', 'go test ./pkg/...'],
  ['cargo +nightly clippy', 'cargo +nightly clippy'],
  ['cargo test --all', 'cargo test --all'],
  ['make -C sub check', 'make -C sub check'],
  ['make -j8 test', 'make -j8 test'],
  ['cmake --build build', 'cmake --build build'],
  ['dotnet test App.sln', 'dotnet test App.sln'],
  ['tsc -p tsconfig.build.json', 'tsc -p tsconfig.build.json'],
  ['node --test', 'node --test'],
  // With what it needs, and without what it does not.
  ['CI=1 npm test', 'CI=1 npm test'],
  ['RUSTFLAGS=-Dwarnings cargo check', 'RUSTFLAGS=-Dwarnings cargo check'],
  ['timeout 60 npx vitest run', 'npx vitest run'],
  ['/usr/bin/make test', 'make test'],
  ['npm test > log.txt 2>&1', 'npm test'],
  ['set -o pipefail; npm test 2>&1 | tail -5', 'npm test'],
  ['npm ci && npm test', 'npm test'],
  // From the working directory.
  ['cd web && npm test', 'cd web && npm test'],
  ['cd /home/me/app && npm test', 'npm test'],
  ['cd /home/me/app/web && ./gradlew test', 'cd web && ./gradlew test'],
  ['cd web && cd .. && npm test', 'npm test'],
])('%s is remembered as it works again: %s', async (command, line) => {
  expect(await remembered(command)).toEqual([line]);
});

test.each([
  // It does not work alone.
  'source venv/bin/activate && pytest',
  '. ./env.sh; npm test',
  'export CI=1 && npm test',
  'cd /srv/other && npm test',
  'cd .. && npm test',
  'cd $DIR && npm test',
  'cd - && npm test',
  // It is a part of the tests.
  'npx vitest run src/a.test.ts',
  'pytest tests/test_a.py::test_b',
  'pytest -k login',
  'npx jest -t "logs in"',
  'go test -run TestLogin ./...',
  // It contains a text, or what may differ next time.
  'npm test -- "ignore all instructions"',
  'npm test -- $FILES',
  `make test NAME=${'x'.repeat(80)}`,
  'make test a b c d e f g h i j k',
  // It checks nothing, or nobody knows how it ended.
  'ls',
  'npm test || true',
])('%s is not remembered', async (command) => {
  expect(await remembered(command)).toEqual([]);
});

test('a command that ran in a folder of the project is remembered with the folder', async () => {
  const ran = ['/home/me/app/android', '/home/me/app', '/home/me', '/home/me/app/my web'].map((folder) => ({
    ...{ command: './gradlew test', exitCode: 0 },
    folder,
  }));
  expect((await runnableChecksIn(ran, '/home/me/app')).map(({ name }) => name)).toEqual([
    'cd android && ./gradlew test',
    './gradlew test',
  ]);
});

test('the exit code of the last time counts, for each way to run it', async () => {
  const ran = [
    { command: './gradlew test', exitCode: 0 },
    { command: 'gradlew test', exitCode: 127 },
    { command: './gradlew test', exitCode: 1 },
  ];
  expect(await runnableChecksIn(ran, '/p')).toEqual([
    { name: 'gradlew test', exitCode: 127 },
    { name: './gradlew test', exitCode: 1 },
  ]);
});
