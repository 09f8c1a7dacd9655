// Programs in languages other than shell: which of them start processes endlessly.

const FORKS = /\b(fork|vfork|pcntl_fork)\b/;
const STARTS =
  /\bchild_process\b|\bspawn\s*\(|\bPopen\s*\(|\bStart-Process\b|\bmultiprocessing\b|\b(system|popen|proc_open|exec)\s*\(?[^)\n]*&\s*["'`]|\bDeno\.Command\b/;
const ENDLESS = [
  /\b(while|until)\b\s*[([{]?\s*(1\b|!0|true\b|True\b|\$true|not\s+(False|0)\b|false\b|nil\b|:|((os|posix|Process)\.)?(fork|pcntl_fork)\b)/,
  /\b((os|posix|Process)\.)?fork(\s*\(\s*\))?\s*(;\s*)?\}?\s*(while|until)\b/,
  /\bfor\s*\(\s*[^;()]*;\s*;/,
  /\bloop\b\s*(do\b|\{|\()/,
  /\brepeat\b[\s\S]*\buntil\s+(false|nil)\b/,
  /\biter\(\s*int\s*,\s*1\s*\)|\bitertools\.(count|repeat|cycle)\b|\bcount\(\s*\)/,
  /\brange\(\s*(\d{5,}|\d+\s*\*\*\s*\d+|int\(\d+e\d+\)|[\w.]*maxsize)/,
  /\bsetInterval\b|\bsetImmediate\b|\b1\.step\b|\.cycle\b|\.\.\s*(Float::INFINITY|Inf\b|\*)|\bgoto\b/,
];
/** What ordinary programs do with the processes they start. */
const CARES =
  /\b(wait|waitpid|wait4|sleep|usleep|exit|_exit|die|break|last|join|communicate|await|setTimeout|return|listen|accept)\b/;
/** A shell fork bomb inside a program that passes it to a shell. */
const SHELL_BOMB = /([^\s(){};|&"'`]+)\s*\(\s*\)\s*[{(][^})]*?(?<![^\s{(;&|])\1\s*\|&?\s*\1(?![^\s})&;|])/;

export function codeForksForever(text: string): boolean {
  const code = text.replaceAll('\\n', '\n');
  if (SHELL_BOMB.test(code)) return true;
  if (!FORKS.test(code) && !STARTS.test(code)) return false;
  if (CARES.test(code.replaceAll(/"[^"\n]*"/g, '""'))) return false;
  return ENDLESS.some((shape) => shape.test(code)) || callsItself(code);
}

/**
 * `def f(): fork(); f()`: defined, called inside, and called at all; or a function that calls itself and is
 * invoked in place.
 */
function callsItself(code: string): boolean {
  const names = [...code.matchAll(/\b(?:def|function|sub|func|fn)\s+(\w+)/g)].map(([, name = '']) => name);
  return names.some((name) => {
    const uses = code.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;
    return uses >= (new RegExp(`\\(\\s*function\\s+${name}\\b`).test(code) ? 2 : 3);
  });
}
