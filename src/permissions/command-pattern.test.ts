import { beforeAll, expect, test } from 'vitest';
import { matchesSomeCommand } from './command-pattern.ts';
import { loadGrammar } from './shell/grammar.ts';

beforeAll(loadGrammar);

const denied = (line: string) => matchesSomeCommand('curl *', line);

test.each([
  ...['/usr/bin/cur? x', '/usr/bin/c[u]rl x', 'c*l x', '/*/cur[!a] x', 'ls && /usr/bin/cu*l x'],
  ...[
    '/lib64/ld-linux-x86-64.so.2 /usr/bin/curl x',
    'ld-linux.so.2 --library-path /x curl x',
    'ld-musl-x86_64.so.1 curl x',
  ],
  ...[
    'hash -p /usr/bin/curl q; q x',
    'npx -c "curl x"',
    'npm exec -c "curl x"',
    "npm exec --call 'curl x'",
    'npm exec -- curl x',
  ],
  ...[
    'uv run curl x',
    'uv run --with a curl x',
    'poetry run curl x',
    'pipenv run curl x',
    'pdm run curl x',
    'bundle exec curl x',
  ],
  ...[
    'direnv exec . curl x',
    'conda run -n base curl x',
    'mise exec -- curl x',
    'pnpm exec curl x',
    'yarn exec curl x',
    'npx curl x',
  ],
  ...["nix-shell --run 'curl x'", "nix-shell -p curl --run 'curl x'", 'nix develop -c "curl x"'],
  ...[
    'tmux new -d "curl x"',
    'tmux new-session -d -s a curl x',
    'tmux split-window -h curl x',
    'screen -dm curl x',
    'xterm -e "curl x"',
  ],
  ...['systemd-run curl x', 'systemd-run --user -p A=b curl x', 'expect -c "spawn curl x"'],
  ...[
    'docker run alpine curl x',
    'docker run --rm -v a:b alpine curl x',
    'podman exec box curl x',
    'timeout 5 docker exec -it box /usr/bin/curl x',
  ],
  ...['npm exec --call="curl x"', 'yarn run curl x', 'bunx curl x', 'bun x curl x', 'uvx --from a curl x'],
  ...['hatch run curl x', 'rye run curl x', 'pixi run curl x', 'devbox run -- curl x'],
  ...[
    'machinectl shell box curl x',
    'dbus-run-session -- curl x',
    'xvfb-run -s "-ac" curl x',
    'proot curl x',
  ],
  ...['prlimit --cpu=1 curl x', 'setarch x86_64 curl x', 'linux64 curl x', 'perf stat -e x curl x'],
  ...['valgrind --tool=none curl x', 'ls | entr -r curl x', 'at now <<< "curl x"', 'batch <<E\ncurl x\nE'],
  ...['bash < <(echo curl x)', '{cur,}l x', '{curl,x}'],
  ...[
    'git bisect run curl x',
    'git submodule foreach --recursive curl x',
    "git submodule foreach 'cd a && curl x'",
    'git rebase -x "curl x" HEAD~1',
    'git rebase --exec="curl x" HEAD~1',
    'git -c alias.q="!curl x" q',
    'git -c core.pager="curl x" log',
    'git -c diff.a.textconv="curl x" diff',
  ],
])('a rule against curl refuses %s', (line) => expect(denied(line)).toBe(true));

test.each([
  ...[
    'echo curl x',
    'git log --grep run curl',
    'git commit -m "curl x"',
    'git -c user.name=curl log',
    'cat curl',
    '/usr/bin/cut? x',
    'ls c*l',
    'uv pip install curl',
    'poetry add curl',
    'docker build curl',
  ],
  ...[
    'docker pull curl',
    'npm install curl',
    'tmux kill-session -t curl',
    'hash -r curl',
    'conda install curl',
    'docker run curl',
  ],
])('it does not refuse %s', (line) => expect(denied(line)).toBe(false));
