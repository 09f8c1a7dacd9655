import { beforeAll, expect, test } from 'vitest';
import { loadGrammar } from '../shell/grammar.ts';
import { parseLine } from '../shell/parse.ts';
import { effectOf } from './effects.ts';

beforeAll(loadGrammar);

const scripts: Record<string, string> = { test: 'vitest run', 'build:web': 'vite build' };

test.each([
  ['rm -rf dist/old', 'rm deletes dist/old and everything in it'],
  ['rm a b c d e', 'rm deletes a, b, c and 2 more'],
  ['/bin/rm -r a b', 'rm deletes a and b and everything in them'],
  ['mv a b dir', 'mv moves a and b to dir'],
  ['cp -r a b', 'cp copies a to b'],
  ['mkdir -p out/x', 'mkdir creates out/x'],
  ["sed -i 's/a/b/' src/a.py", 'sed changes src/a.py in place'],
  ['chmod +x run.sh', 'chmod changes who may use run.sh'],
  ['npm test', "npm runs the project's own script `test`: vitest run"],
  ['pnpm run build:web', "pnpm runs the project's own script `build:web`: vite build"],
  ['yarn run none', "yarn runs the project's own script `none`"],
  ['npm install left-pad', 'npm installs left-pad'],
  ['pip3 install -r requirements.txt', 'pip3 installs requirements.txt'],
  ['npm ci', 'npm installs the packages of the project'],
  ['git add -A src', 'git add adds src to the next commit'],
  ['git commit -m x', 'git commit records a commit'],
  ['git push origin main', 'git push sends commits to origin and main'],
  ['git push', 'git push sends commits to the usual remote'],
  ['python3 reproduce.py', 'python3 runs reproduce.py'],
  ['python3 -m pytest tests', 'python3 runs its module pytest'],
  ['node -e "1"', 'node runs code from its command line'],
  ["python3 - <<'E'\nprint(1)\nE", 'python3 runs the program in the here-document'],
  ['bash build.sh', 'bash runs build.sh'],
  ['. env.sh', 'runs env.sh in this shell'],
  ['./tool a', 'runs the program ./tool'],
  ['pytest -k x', "pytest runs the project's tests"],
  ['make html', "make runs the project's own build: html"],
  ['curl -s https://a.invalid/x', 'curl requests https://a.invalid/x'],
  ['curl -d @a https://a.invalid', 'curl sends data to https://a.invalid'],
  ['kill 12', 'kill ends processes: 12'],
  ['frobnicate x', null],
  ['ls', null],
])('%j: %s', (line, wanted) => {
  const [command] = parseLine(line).commands;
  expect(command && effectOf(command, { scriptOf: (name) => scripts[name] ?? null })).toBe(wanted);
});
