// @module-tag soak
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { noBubblewrap, sandboxedShellIn } from '../support/sandboxed.ts';
import { workspace } from '../support/workspace.ts';

type Build = {
  program: string;
  files: Record<string, string>;
  /** Outside the sandbox: what the user did before, with the network. */
  before?: string;
  command: string;
  prints: string;
  /** Caches that it needs to write to: the user opens them. */
  writablePaths?: string[];
};

const node = { 'package.json': '{"name":"a","version":"1.0.0","dependencies":{"is-odd":"3.0.1"}}' };
const odd = `node -p "require('is-odd')(3)"`;

const builds: Build[] = [
  {
    program: 'npm',
    files: node,
    before: 'npm install && rm -rf node_modules',
    command: `npm ci --offline >/dev/null && ${odd}`,
    prints: 'true\n',
  },
  {
    program: 'pnpm',
    files: node,
    before: 'pnpm install && rm -rf node_modules',
    command: `pnpm install --offline --frozen-lockfile >/dev/null && ${odd}`,
    prints: 'true\n',
  },
  {
    program: 'yarn',
    files: node,
    before: 'yarn install && rm -rf node_modules',
    command: `yarn install --offline --frozen-lockfile >/dev/null && ${odd}`,
    prints: 'true\n',
    writablePaths: ['~/.cache/yarn'],
  },
  {
    program: 'bun',
    files: node,
    before: 'bun install && rm -rf node_modules',
    command: `bun install --frozen-lockfile >/dev/null && bun -p "require('is-odd')(3)"`,
    prints: 'true\n',
  },
  {
    program: 'cargo',
    files: {
      'Cargo.toml': '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/main.rs': 'fn main() { println!("built"); }\n',
    },
    command: 'cargo run --offline -q',
    prints: 'built\n',
  },
  {
    program: 'go',
    files: {
      'go.mod': 'module a\n\ngo 1.18\n',
      'main.go': 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("built") }\n',
    },
    before: 'go build -o /dev/null .',
    command: 'go run .',
    prints: 'built\n',
  },
  {
    program: 'python3',
    files: {
      'pyproject.toml':
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n\n[project]\nname = "a"\nversion = "1"\n\n[tool.setuptools]\npy-modules = ["a"]\n',
      'a.py': 'print("built")\n',
    },
    before: 'python3 -m pip download -q -d wheels setuptools wheel && python3 -m venv .venv',
    command:
      '.venv/bin/pip install -q --no-index --find-links wheels . && cd / && "$OLDPWD/.venv/bin/python" -m a',
    prints: 'built\n',
  },
  {
    program: 'uv',
    files: {
      'pyproject.toml': '[project]\nname = "a"\nversion = "1"\nrequires-python = ">=3.8"\n',
      'a.py': 'print("built")\n',
    },
    command: 'uv run --offline --no-managed-python a.py',
    prints: 'built\n',
  },
  {
    program: 'mvn',
    files: {
      'pom.xml':
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId><version>1</version><packaging>pom</packaging></project>',
    },
    command: 'mvn -B -o -q validate >/dev/null && echo built',
    prints: 'built\n',
  },
  {
    program: 'gradle',
    files: { 'build.gradle': "task hello { doLast { println 'built' } }\n", 'settings.gradle': '' },
    before: 'gradle --offline -q hello',
    command: 'gradle --offline -q hello',
    prints: 'built\n',
    writablePaths: ['~/.gradle'],
  },
  {
    program: 'dotnet',
    files: {},
    // The template names the framework of the installed version.
    before: `dotnet new console --name a --output . && echo 'class A { static void Main() => System.Console.WriteLine("built"); }' > Program.cs && dotnet restore`,
    command: 'dotnet run --no-restore',
    prints: 'built\n',
  },
  {
    program: 'bundle',
    files: {
      Gemfile: "gem 'a', path: 'a'\n",
      'a/a.gemspec':
        "Gem::Specification.new { |s| s.name = 'a'; s.version = '1'; s.summary = 'a'; s.authors = ['a']; s.files = ['lib/a.rb'] }\n",
      'a/lib/a.rb': "puts 'built'\n",
    },
    command: 'bundle install --local --quiet && bundle exec ruby -e "require %q(a)"',
    prints: 'built\n',
  },
  {
    program: 'composer',
    files: {
      'composer.json':
        '{"repositories":[{"type":"path","url":"lib"},{"packagist.org":false}],"require":{"a/b":"*"}}',
      'lib/composer.json': '{"name":"a/b","version":"1.0.0","autoload":{"files":["b.php"]}}',
      'lib/b.php': '<?php echo "built\\n";',
    },
    command: 'composer install -q && php -r "require \'vendor/autoload.php\';"',
    prints: 'built\n',
  },
  {
    program: 'git',
    files: { 'a.txt': 'a' },
    before:
      'git config --global user.name Ada && git config --global user.email a@b && git config --global alias.who "log -1 --format=%an"',
    command: 'git init -q . && git add . && git commit -qm one && git who',
    prints: 'Ada\n',
  },
];

const present = ({ program }: Build) =>
  noBubblewrap === null && spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

for (const build of builds) {
  test.skipIf(!present(build))(
    `${build.program} works offline in the closed home folder`,
    async () => {
      const space = await workspace(build.files);
      const own = homedir();
      const env = {
        PATH: process.env.PATH,
        HOME: space.home,
        LANG: 'C.UTF-8',
        RUSTUP_HOME: path.join(own, '.rustup'),
        PYENV_ROOT: path.join(own, '.pyenv'),
        PIP_CONFIG_FILE: path.join(own, '.config/pip/pip.conf'),
        YARN_CACHE_FOLDER: path.join(space.home, '.cache/yarn'),
        GRADLE_USER_HOME: path.join(space.home, '.gradle'),
      };
      await mkdir(path.join(space.home, '.cache'), { recursive: true });
      if (build.before)
        execFileSync('sh', ['-c', build.before], { cwd: space.root, env, stdio: 'pipe', timeout: 120_000 });
      const { run } = sandboxedShellIn(space, { env, writablePaths: build.writablePaths ?? [] });
      const { stdout, stderr } = await run(build.command, { timeoutMs: 120_000 });
      expect(stdout, stderr).toBe(build.prints);
    },
    300_000,
  );
}
