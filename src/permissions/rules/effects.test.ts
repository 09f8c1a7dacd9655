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
  ['chmod +x run.sh', 'chmod makes run.sh executable'],
  ['chmod 755 a b', 'chmod makes a and b executable'],
  ['chmod g-w a', 'chmod changes who may use a'],
  ['chown me a', 'chown changes who owns a'],
  ['npm test', "npm runs the project's own script `test`: vitest run"],
  ['pnpm run build:web', "pnpm runs the project's own script `build:web`: vite build"],
  ['yarn run none', "yarn runs the project's own script `none`"],
  ['npm install left-pad', 'npm installs left-pad'],
  ['pip3 install -r requirements.txt', 'pip3 installs requirements.txt'],
  ['npm ci', 'npm installs the packages of the project'],
  ['git add -A src', 'git add adds src to the next commit'],
  ['git add -A', 'git add adds all changes to the next commit'],
  ['git add -p', 'git add adds what its options name to the next commit'],
  ['git checkout main', 'git checkout checks out main'],
  ['git checkout feature/x', 'git checkout checks out feature/x'],
  ['git checkout v1.2', 'git checkout checks out v1.2'],
  ['git checkout notes', 'git checkout overwrites notes with the committed version'],
  ['git checkout -- a', 'git checkout overwrites a with the committed version'],
  ['git checkout src/a.py', 'git checkout overwrites src/a.py with the committed version'],
  ['git checkout HEAD~1 -- a b', 'git checkout overwrites a and b with the committed version'],
  ['git checkout .', 'git checkout overwrites . with the committed version'],
  ['git checkout -b x main', 'git checkout creates and checks out the branch x'],
  ['git switch -c x', 'git switch creates and checks out the branch x'],
  ['git branch x', 'git branch creates the branch x'],
  ['git branch -d x', 'git branch deletes x if it is merged'],
  ['git branch -D x', 'git branch deletes commits or the names that lead to them'],
  ['git stash pop', 'git stash brings back the changes that were put aside'],
  ['git reset --hard', 'git reset discards changes that no commit holds'],
  ['find . -name "*.o" -delete', 'find deletes what it finds'],
  ["find . -exec sed -i s/a/b/ '{}' +", 'find runs sed on what it finds'],
  ['find . -fprint list', 'find writes to list'],
  ['apt-get update', 'apt-get updates packages'],
  ['pip uninstall -y x', 'pip removes x'],
  ['crontab jobs', 'crontab changes what the system runs: jobs'],
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
  expect(
    command &&
      effectOf(command, {
        scriptOf: (name) => scripts[name] ?? null,
        isThere: (name) => name === 'notes',
      }),
  ).toBe(wanted);
});
