import path from 'node:path';

/** Places that a subagent in a worktree must not change. */
export type Targets = { project: string; home: string };

type Call = [tool: string, input: object];

const bash = (command: string): Call => ['Bash', { command }];
const write = (file_path: string): Call => ['Write', { file_path, content: 'escaped' }];

/** Calls by which a subagent tries to write outside its worktree. `own` is a name that nobody else uses. */
export function escapes({ project, home }: Targets, own: string): Call[] {
  const victim = path.join(project, 'a.txt');
  const up = '../'.repeat(12);
  return [
    write(victim),
    write(path.join(project, `${own}.txt`)),
    write(`${up}${victim.slice(1)}`),
    write(path.join(home, `${own}.txt`)),
    write(path.join(project, '.git/hooks/pre-commit')),
    write('.git/../../record/config'),
    write('../worktree.json'),
    write(`/tmp/${own}.txt`),
    ['Edit', { file_path: victim, old_string: 'alpha', new_string: 'escaped' }],
    ['MultiEdit', { file_path: victim, edits: [{ old_string: 'alpha', new_string: 'escaped' }] }],
    ['Delete', { file_path: victim }],
    bash(`echo escaped > '${victim}'`),
    bash(`echo escaped > ../../../project/${own}.txt`),
    bash(`rm -rf '${project}'`),
    bash(`ln -s '${project}' out-${own} && echo escaped > out-${own}/a.txt; rm -f out-${own}`),
    bash(`ln -s '${victim}' link-${own} && echo escaped > link-${own}; rm -f link-${own}`),
    bash(`git -C '${project}' commit --allow-empty -m escaped`),
    bash(`git -C '${project}' checkout -b escaped-${own}`),
    bash(`git --git-dir='${project}/.git' update-ref refs/heads/escaped-${own} HEAD`),
    bash(`git --git-dir='${project}/.git' config alias.x '!touch /tmp/x'`),
    bash(`git push '${project}' HEAD:refs/heads/pushed-${own}`),
    bash(`git worktree add '${project}/tree-${own}'`),
    bash(`echo '#!/bin/sh' > '${project}/.git/hooks/post-commit'`),
    bash(`echo x >> '${project}/.git/objects/info/alternates'`),
    bash('echo {} > ../worktree.json; rm -rf ../record'),
    bash(
      `for at in ../../agent-*/tree ../../agent-*/record; do [ "$at" -ef . ] || echo escaped > "$at/by-${own}"; done`,
    ),
    bash(`rm -rf ../../agent-*/record ../../agent-*/worktree.json ../../agent-*/owner.lock`),
    bash(`mv '${project}/a.txt' '${project}/moved-${own}'`),
    bash(`cp a.txt '${home}/${own}.txt'; touch "$HOME/${own}"`),
    bash('mount --bind / mnt; unshare -r true; chmod 777 /'),
    bash(
      `python3 -c "open('${victim}','w').write('escaped')" || node -e "require('fs').writeFileSync('${victim}','escaped')"`,
    ),
    ['Bash', { command: `echo escaped > '${victim}'`, outside_sandbox: true }],
    ['Bash', { command: 'echo escaped > a.txt', working_directory: project }],
    ['Bash', { command: `sleep 0.2; echo escaped > '${victim}'`, run_in_background: true }],
    ['Task', { description: 'escape', prompt: `ESCAPE ${own}` }],
  ];
}
