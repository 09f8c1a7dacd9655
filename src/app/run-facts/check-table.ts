/**
 * Programs that test, build or lint, and which of their subcommands do: `any` means all. A target such as
 * `test:unit` counts as `test`.
 */
export type CheckProgram = 'any' | readonly string[];

const words = (text: string): readonly string[] => text.split(' ');

/** Scripts and targets by the names that projects give them. */
const TARGETS = words('test tests check checks build lint typecheck type-check types verify ci e2e compile');

/** Run the scripts of a project; `runs` precedes their names. */
export const scriptRunners: Readonly<Record<string, { runs: readonly string[]; direct: readonly string[] }>> =
  {
    npm: { runs: words('run run-script'), direct: words('test t tst') },
    pnpm: { runs: words('run'), direct: [...TARGETS, 't'] },
    yarn: { runs: words('run'), direct: TARGETS },
    bun: { runs: words('run'), direct: TARGETS },
    deno: { runs: words('task'), direct: words('test check lint bench') },
    composer: { runs: words('run run-script'), direct: words('test lint check') },
  };

export const targets: ReadonlySet<string> = new Set(TARGETS);

/** Options whose value is the next word, so that it is not taken for a subcommand. */
export const valueOptions: ReadonlySet<string> = new Set(
  words(
    '--prefix -w --workspace -C --dir --filter -F --cwd --config -c -f --file -p --project -pl -D --package',
  ),
);

/** Run the program that follows them; the second word is needed if there is one. */
export const programRunners: readonly (readonly [program: string, word?: string])[] = [
  ['npx'],
  ['bunx'],
  ['pnpx'],
  ['uvx'],
  ['npm', 'exec'],
  ['npm', 'x'],
  ['pnpm', 'exec'],
  ['pnpm', 'dlx'],
  ['yarn', 'exec'],
  ['yarn', 'dlx'],
  ['bun', 'x'],
  ['python', '-m'],
  ['python3', '-m'],
  ['py', '-m'],
  ['poetry', 'run'],
  ['pipenv', 'run'],
  ['pdm', 'run'],
  ['hatch', 'run'],
  ['rye', 'run'],
  ['uv', 'run'],
  ['bundle', 'exec'],
  ['coverage', 'run'],
];

/** Take targets, and build everything without one. */
export const targetRunners: ReadonlySet<string> = new Set(words('make gmake just task ninja rake'));

export const checkPrograms: Readonly<Record<string, CheckProgram>> = {
  // JavaScript
  vitest: 'any',
  jest: 'any',
  mocha: 'any',
  ava: 'any',
  tap: 'any',
  karma: words('start'),
  playwright: words('test'),
  cypress: words('run'),
  tsc: 'any',
  'vue-tsc': 'any',
  'svelte-check': 'any',
  eslint: 'any',
  oxlint: 'any',
  stylelint: 'any',
  biome: words('check ci lint'),
  knip: 'any',
  vite: words('build'),
  next: words('build lint'),
  astro: words('build check'),
  nuxt: words('build'),
  ng: words('test build lint'),
  nx: words('test build lint run-many affected'),
  turbo: words('test build lint run'),
  webpack: 'any',
  rollup: 'any',
  // Python
  pytest: 'any',
  'py.test': 'any',
  unittest: 'any',
  tox: 'any',
  nox: 'any',
  ruff: words('check'),
  mypy: 'any',
  pyright: 'any',
  basedpyright: 'any',
  flake8: 'any',
  pylint: 'any',
  // Go, Rust, Zig
  go: words('test build vet'),
  'golangci-lint': words('run'),
  staticcheck: 'any',
  cargo: words('test build check clippy nextest'),
  zig: words('build test'),
  // The JVM and .NET
  mvn: words('test verify package install compile'),
  mvnw: words('test verify package install compile'),
  gradle: words('test build check assemble'),
  gradlew: words('test build check assemble'),
  sbt: words('test compile'),
  lein: words('test'),
  dotnet: words('test build'),
  // C and C++
  cmake: words('--build'),
  ctest: 'any',
  meson: words('test compile'),
  bazel: words('test build'),
  // The others
  phpunit: 'any',
  pest: 'any',
  phpstan: words('analyse analyze'),
  rspec: 'any',
  rubocop: 'any',
  rails: words('test'),
  mix: words('test compile credo'),
  swift: words('test build'),
  xcodebuild: words('test build'),
  flutter: words('test analyze build'),
  dart: words('test analyze'),
  stack: words('test build'),
  cabal: words('test build'),
  dune: words('test build runtest'),
  bats: 'any',
  prove: 'any',
  shellcheck: 'any',
  node: words('--test'),
};
