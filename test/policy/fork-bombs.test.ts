import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadJudge } from '../../src/assembly/safety/judge-command.ts';
import { classify } from '../../src/permissions/shell/classify.ts';
import { sweep } from '../support/soak.ts';

beforeAll(loadJudge);

const place = { cwd: '/srv/app', home: '/home/me', trusted: true, isInside: () => true };
const ruleOf = (line: string) => classify(line, place).by;
const BOMB = 'built-in fork-bomb';

const bombs = [
  ':(){ :|:& };:',
  ':(){:|:&};:',
  ':()\n{\n:|:&\n}\n:',
  ':(){ :|: & }; :',
  ':(){ : | : & } ; :',
  ':() { :|&:& };:',
  ':(){ :|:|:& };:',
  ':(){ (:)|(:)& };:',
  ':(){ { :; } | { :; } & };:',
  ':()(:|:&);:',
  'f(){ f|f; };f',
  'f(){ f|f& };f',
  'f() { f | f & }\nf',
  'function f { f|f& }; f',
  'function f() { f|f& }; f',
  'function : { :|:& }; :',
  'bomb-1(){ bomb-1|bomb-1& };bomb-1',
  '.(){ .|.& };.',
  '_(){ _|_& };_',
  '@(){ @|@& };@',
  '%(){ %|%& };%',
  'forkbomb(){ forkbomb|forkbomb & };forkbomb',
  'f(){ f & f & }; f',
  'f(){ f& f& wait; }; f',
  'f(){ f & f; }; f',
  'f(){ (f; f) & }; f',
  'f(){ { f; f; } & }; f',
  'f(){ f & }; f',
  'f(){ echo x; f & }; f',
  'f(){ f x | f x & }; f x',
  'f(){ f "$@" | f "$@" & }; f',
  'f(){ if true; then f|f& fi; }; f',
  'f(){ true && f|f& }; f',
  'f(){ while true; do f & f & done; }; f',
  'f(){ time f | f & }; f',
  'f(){ eval "f|f&"; }; f',
  'f(){ eval f \\| f \\&; }; f',
  "f(){ bash -c 'f|f' & }; export -f f; f",
  'f(){ $(f)$(f); }; f',
  'f(){ echo $(f); }; f',
  'f(){ x=`f`; }; f',
  'f(){ f | cat; }; f',
  'f(){ coproc f; f; }; f',
  'a(){ b|b& }; b(){ a|a& }; a',
  'a(){ b & b & }; b(){ a; }; a',
  'a(){ b; b & }; b(){ c; }; c(){ a; }; a',
  'a(){ b|c& }; b(){ a; }; c(){ a; }; a',
  "eval ':(){ :|:& };:'",
  'eval ":(){ :|:& };:"',
  "bash -c ':(){ :|:& };:'",
  "sh -c 'f(){ f|f& };f'",
  "zsh -c ':(){ :|:& };:'",
  "nohup bash -c ':(){ :|:& };:' &",
  "setsid sh -c ':(){ :|:& };:'",
  "timeout 5 bash -c ':(){ :|:& };:'",
  'bash <<< ":(){ :|:& };:"',
  "bash <<'E'\n:(){ :|:& };:\nE",
  'bash <<E\nf(){ f|f& }\nf\nE',
  "echo ':(){ :|:& };:' | bash",
  "printf ':(){ :|:& };:' | sh",
  "cat <<'E' | bash\n:(){ :|:& };:\nE",
  'echo OigpeyA6fDomIH07Og== | base64 -d | bash',
  ". /dev/stdin <<< ':(){ :|:& };:'",
  "source <(echo ':(){ :|:& };:')",
  "bash <(echo ':(){ :|:& };:')",
  'ls; :(){ :|:& };:',
  'cd /tmp && :(){ :|:& };:',
  'if true; then :(){ :|:& };:; fi',
  '(:(){ :|:& };:)',
  'x=$(:(){ :|:& };:)',
  'echo "$(f(){ f|f& };f)"',
  "find . -exec bash -c ':(){ :|:& };:' \\;",
  "xargs -I{} sh -c ':(){ :|:& };:'",
  "ssh host ':(){ :|:& };:'",
  "docker exec web bash -c ':(){ :|:& };:'",
  "docker run --rm x sh -c 'f(){ f|f& };f'",
  "kubectl exec pod -- sh -c ':(){ :|:& };:'",
  "tmux new -d ':(){ :|:& };:'",
  "trap ':(){ :|:& };:' EXIT",
  'while :; do $0 & done',
  'while true; do $0 & done',
  'while true; do bash & done',
  'while true\ndo\nsleep 1000 &\ndone',
  'while [ 1 ]; do x & done',
  'while [[ 1 ]]; do x & done',
  'while ((1)); do x & done',
  'while ! false; do x & done',
  'until false; do x & done',
  'for ((;;)); do x & done',
  'for((;;)) { x & }',
  'for ((i=0;;i++)); do x & done',
  'for i in {1..1000000}; do x & done',
  'for i in $(seq 1 9999999); do x & done',
  'for i in `seq 1000000`; do x & done',
  'while :; do (x &) ; done',
  'while :; do { x | y; } & done',
  'while :; do echo hi; x & done',
  'while :; do nohup x & done',
  'while :; do setsid x & done',
  'while :; do x & y & done',
  'f(){ x & }; while :; do f; done',
  'while :; do while :; do x & done & done',
  "bash -c 'while :; do x & done'",
  '$0 & $0 &',
  '$0|$0&',
  './$0|./$0&',
  '"$0" & "$0" &',
  'bash $0 & bash $0 &',
  'sh "$0" | sh "$0" &',
  '%0|%0',
  'yes | xargs -P0 -n1 sleep 99',
  'yes | xargs -P 0 sleep',
  'yes x | xargs --max-procs=0 -I{} sh -c "sleep 9"',
  'yes | xargs -P 5000 -n 1 sleep',
  'seq inf | xargs -P0 -n1 sleep',
  'yes | parallel -j0 sleep',
  "yes 'sleep 99 &' | sh",
  "yes 'bash &' | bash",
  "perl -e 'fork while fork'",
  "perl -e 'fork while 1'",
  "perl -e 'while(1){fork}'",
  "perl -e 'fork while(1)'",
  "perl -e 'fork() while fork()'",
  "perl -e 'for(;;){fork}'",
  "perl -le 'fork until 0 while 1'",
  'perl -e "fork while fork" &',
  "perl <<'E'\nwhile (1) { fork; }\nE",
  "echo 'fork while fork' | perl",
  "python -c 'import os\nwhile 1: os.fork()'",
  "python3 -c 'import os\nwhile True:\n  os.fork()'",
  'python3 -c "import os; [os.fork() for _ in iter(int, 1)]"',
  'python3 -c "exec(\'import os\\nwhile 1: os.fork()\')"',
  "python3 - <<'E'\nimport os\nwhile True: os.fork()\nE",
  "python3 <<< 'import os\nwhile 1: os.fork()'",
  "python3 -c 'import os,itertools\nfor _ in itertools.count(): os.fork()'",
  "python3 -c 'from os import fork\ndef f():\n  fork()\n  f()\nf()'",
  'python3 -c "import os; os.system(\':(){ :|:& };:\')"',
  "ruby -e 'loop { fork }'",
  "ruby -e 'loop do fork end'",
  "ruby -e 'fork while true'",
  "ruby -e 'fork while fork'",
  "php -r 'while(1) pcntl_fork();'",
  "php -r 'for(;;) pcntl_fork();'",
  'node -e \'while(true) require("child_process").spawn(process.argv[0], process.argv.slice(1))\'',
  'node -e \'(function f(){require("child_process").spawn("node",["x"]);f()})()\'',
  'node -e \'setInterval(() => require("child_process").fork("x"), 0)\'',
  'awk \'BEGIN{while(1) system("sleep 99 &")}\'',
  "echo 'int main(){while(1)fork();}' | gcc -xc - && ./a.out",
  "gcc -xc - <<'E'\nint main(){for(;;)fork();}\nE",
];

const ordinary = [
  'fact(){ if [ $1 -le 1 ]; then echo 1; else echo $(( $1 * $(fact $(($1-1))) )); fi; }; fact 5',
  'fact(){ [ $1 -le 1 ] && { echo 1; return; }; local n=$1; echo $((n * $(fact $((n-1))))); }; fact 5',
  'f() { [ $1 -gt 0 ] && f $(($1 - 1)); }; f 3',
  'countdown(){ echo $1; if [ $1 -gt 0 ]; then countdown $(($1-1)); fi; }; countdown 10',
  'walk(){ for d in "$1"/*; do [ -d "$d" ] && walk "$d"; done; }; walk .',
  'walk(){ for d in "$1"/*; do [ -d "$d" ] && walk "$d" & done; wait; }; walk .',
  'walk(){ case "$1" in *) ls "$1" | while read x; do walk "$x"; done;; esac; }; walk .',
  'msort(){ if [ $# -le 1 ]; then echo "$@"; else msort "$1" & msort "$2" & wait; fi; }; msort 3 2',
  'f(){ f; }; f',
  'greet() { echo hi; }; greet; greet; greet',
  'greet() { echo hi; }; greet | greet',
  'greet() { echo hi; }; greet & greet & wait',
  'server(){ npm start & }; server; curl localhost',
  'f(){ sleep 1 & }; f',
  'f(){ make & wait; }; f',
  'f(){ g | h & }; g(){ echo 1; }; h(){ cat; }; f',
  'a(){ b; }; b(){ c; }; c(){ echo 1; }; a | a',
  'poll(){ curl -s localhost; sleep 5; poll & }; poll',
  'retry(){ "$@" || retry "$@"; }; retry make',
  ':() { echo hi; }; :',
  ': | :',
  ': & :',
  'while true; do sleep 1; done &',
  'while true; do sleep 1; done',
  'while :; do date; sleep 5; done &',
  'while true; do npm test; sleep 2; done',
  'while true; do server & wait; done',
  'while true; do curl x & sleep 1; done',
  'while true; do inotifywait -e modify src; make & done',
  'while read x; do echo $x & done < list.txt',
  'while read x; do convert $x & done < list.txt; wait',
  'while kill -0 $pid; do sleep 1; done',
  'until curl -s localhost; do sleep 1; done',
  'for f in *.png; do convert $f & done; wait',
  'for i in {1..10}; do curl localhost & done; wait',
  'for i in $(seq 100); do ab & done; wait',
  'for ((i=0;i<10;i++)); do x & done',
  'for i in 1 2 3; do (sleep $i; echo $i) & done',
  'npm start & npm test',
  'a & b & c & wait',
  'yes | apt-get install x',
  'yes | head',
  'yes | xargs -n1 echo',
  'yes y | rm -i a',
  'ls | xargs -P0 -n1 wc',
  'find . -name "*.png" | xargs -P 8 optipng',
  'seq 100 | xargs -P0 -I{} curl localhost',
  'seq 10 | parallel -j0 echo',
  '$0 --help',
  'bash -c \'eval "$0"\' ls',
  'echo $0',
  'basename "$0"',
  'exec "$0" "$@"',
  'exec bash',
  'bash script.sh & bash script.sh &',
  "perl -e 'print fork'",
  'perl -e \'if (fork) { wait } else { exec "ls" }\'',
  "perl -e 'while (<>) { print }'",
  "perl -ne 'print while 1..3'",
  "python3 -c 'import os; os.fork()'",
  "python3 -c 'import os\nwhile True:\n  pid = os.fork()\n  if pid == 0: os._exit(0)\n  os.wait()'",
  'python3 -c "import subprocess; subprocess.run([\'ls\'])"',
  "python3 -c 'while True: print(1)'",
  'python3 -m http.server & python3 client.py',
  "ruby -e 'fork { puts 1 }; Process.wait'",
  'node -e \'require("child_process").spawn("ls")\'',
  'node -e \'function run(){ require("child_process").spawn("ls") } run()\'',
  "node -e 'setInterval(() => console.log(1), 1000)'",
  'node server.js & node client.js',
  'gh repo fork owner/name',
  'git log --grep fork',
  "echo ':(){ :|:& };:'",
  "printf '%s\\n' ':(){ :|:& };:'",
  'git commit -m "refuse :(){ :|:& };:"',
  "grep -n ':(){ :|:& };:' README.md",
  "rg 'fork while fork'",
  'cat docs/fork-bomb.md',
  "cat > notes.md <<'E'\n:(){ :|:& };:\nE",
  "echo 'while :; do x & done' > notes.txt",
  'python3 forkbomb.py',
  'man fork',
  'ssh host uptime',
  'docker compose up -d && docker compose logs',
];

describe('[P02] [Y07] fork bombs', () => {
  test.each(bombs)('%s is refused', (line) => {
    expect(ruleOf(line)).toBe(BOMB);
  });

  test.each(ordinary)('%s is not taken for one', (line) => {
    expect(ruleOf(line)).not.toBe(BOMB);
  });
});

const name = fc.oneof(
  fc.constantFrom(':', '.', '_', 'f', 'bomb', 'x1', 'a-b', 'fork_bomb', '@', '%', 'é', 'ls', 'echo'),
  fc
    .stringMatching(/^[a-z_][a-z0-9_-]{0,7}$/)
    .filter(
      (text) =>
        !/^(if|then|else|elif|fi|for|while|until|do|done|case|esac|in|function|select|time|coproc|eval|exec|source|command|builtin|sh|bash|env|nice|test|cd|set|exit|return|wait|sleep|trap)$/.test(
          text,
        ),
    ),
);
const gap = fc.constantFrom(' ', '  ', '\t', '\n', ' \n ');
const blank = fc.constantFrom('', ' ', '  ', '\t');
const end = fc.constantFrom(';', '\n', ' ; ', '\n\n', ';\n');
/** Side by side with itself: piped, or left running at least once and run again. */
const multiplying = fc.record({ a: blank, b: blank, shape: fc.nat(6) });

function bodyOf(self: string, { a, b, shape }: { a: string; b: string; shape: number }): string {
  const shapes = [
    `${self}${a}|${b}${self}${a}&`,
    `${self}${a}|&${b}${self}${a}&`,
    `${self} &${b} ${self} &`,
    `${self} &${b} ${self};`,
    `${self}${a}|${b}${self}${a}|${b}${self};`,
    `( ${self}${a}|${b}${self} )${a}&`,
    `echo x;${b} ${self}${a}|${b}${self};`,
  ];
  return shapes[shape] ?? '';
}

const definition = fc
  .record({ self: name, body: multiplying, style: fc.nat(3), gap, blank, end })
  .map(({ self, body, style, gap: g, blank: b, end: e }) => {
    const inside = bodyOf(self, body);
    const heads = [`${self}()${b}`, `${self} ()${b}`, `function ${self} `, `function ${self}()${b}`];
    return `${heads[style]}{${g}${inside}${g}}${e}${self}`;
  });

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const wrapped = fc.tuple(definition, fc.nat(9)).map(([bomb, way]) => {
  const ways = [
    bomb,
    `ls; ${bomb}`,
    `cd src && ls\n${bomb}`,
    `eval ${quote(bomb)}`,
    `bash -c ${quote(bomb)}`,
    `nohup sh -c ${quote(bomb)} &`,
    `bash <<'END'\n${bomb}\nEND`,
    `echo ${quote(
      bomb
        .replaceAll('\n', ';')
        .replaceAll(/;[\s;]*;/g, ';')
        .replaceAll(/([{&])\s*;/g, '$1 '),
    )} | bash`,
    `(\n${bomb}\n)`,
    `if true; then\n${bomb}\nfi`,
  ];
  return ways[way] ?? bomb;
});

sweep([100, 500])(
  '[P02] [Y07] whatever it is called and however it is written, it is refused (%i runs)',
  (numRuns) => {
    fc.assert(
      fc.property(wrapped, (line) => {
        // One that is called `su` is refused for its name.
        expect({ line, verdict: classify(line, place).verdict }).toEqual({ line, verdict: 'deny' });
      }),
      { numRuns },
    );
  },
);

sweep([60, 300])(
  'a function that runs others, or itself only after a look at what it was given, is never refused (%i runs)',
  (numRuns) => {
    const other = name.filter((text) => /^[a-z]/.test(text) && !/^(ls|echo|make|cat|npm|xargs)$/.test(text));
    fc.assert(
      fc.property(other, other, fc.nat(4), (one, two, shape) => {
        fc.pre(one !== two);
        const lines = [
          `${one}(){ make | cat & }; ${one}`,
          `${one}(){ npm start & sleep 1; }; ${one} & ${one}`,
          `${one}(){ ${two}; ${two} & }; ${two}(){ make; }; ${one} | ${one}`,
          `${one}(){ [ "$1" -gt 0 ] && ${one} $(($1 - 1)); }; ${one} 3 & ${one} 4 &`,
          `${one}(){ if [ -d "$1" ]; then ls "$1" | xargs -n1 echo; ${one} "$1/x" & fi; }; ${one} .`,
        ];
        const line = lines[shape] ?? '';
        expect({ line, by: ruleOf(line) }).not.toEqual({ line, by: BOMB });
      }),
      { numRuns },
    );
  },
);
