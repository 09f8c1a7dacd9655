import { newBudget, parseLine } from '../shell/parse.ts';
import { printedInto, type Reached, SHELLS, scriptsOf } from '../shell/reach.ts';
import type { ShellFunction, ShellLine, SimpleCommand } from '../shell/shell-line.ts';
import { argsOf, programOf, unwrapped } from '../shell/wrappers.ts';
import { codeForksForever } from './forking-code.ts';

/** A command that a body runs, at any depth, with the line it is written in. */
type Call = { command: SimpleCommand; line: ShellLine; substituted: boolean };

const MAX_DEPTH = 4;
/** The running script, by the name it has for itself. */
const ITSELF = /^["']?(\.\/)?(\$\{?(0|BASH_SOURCE(\[0\])?)\}?|%0)["']?$/;
/** These end at once, so a loop of them does not wait for anything. */
const AT_ONCE =
  /^(|\d+|:|\.|\[|\[\[|alias|basename|cat|cd|cut|date|declare|dirname|disown|echo|eval|exec|export|expr|false|head|hostname|id|let|local|ls|printf|pwd|readonly|set|shift|source|test|touch|true|tr|type|uname|unset|wc|whoami)$/;
/** Programs that pass words to a shell elsewhere. */
const CARRIES = /^(ssh|docker|podman|nerdctl|kubectl|oc|lxc|tmux|screen|vagrant|heroku|at|batch)$/;
const INTERPRETER =
  /^(python[\d.]*|pypy[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|php[\d.]*|lua[\d.]*|tclsh|awk|gawk|mawk|pwsh|powershell|gcc|g\+\+|cc|clang|tcc|osascript)$/;

/** Depends on the whole line, so it is checked once, with the line's first command. */
export function forksForever({ line, written, command }: Reached): boolean {
  if (INTERPRETER.test(programOf(command)) && codeForksForever(codeOf(command, written, line))) return true;
  if (isFedForEver(command, written, line)) return true;
  return line.commands[0] === written && lineForksForever(line, 0);
}

function lineForksForever(line: ShellLine, depth: number): boolean {
  const budget = newBudget();
  const calls = (commands: readonly SimpleCommand[]) => callsIn(commands, { line, budget, depth: 0 });
  const functions = line.functions.map((one) => ({ ...one, calls: calls(one.commands) }));
  const inFunctions = new Set(line.functions.flatMap(({ commands }) => commands));
  const script = line.commands.filter((command) => !inFunctions.has(command));
  const source = script.map((command) => command.source).join('; ');
  // The `$0` argument of `bash -c 'eval "$0"' 'ls'` is run once.
  const itself = calls(script)
    .filter(runsItself)
    .map((call) => ({ ...call, substituted: false }));
  if (multiplies(itself, { source, commands: script })) return true;
  const reached = reachedBy(functions);
  for (const one of functions) {
    const again = one.calls.filter((call) => reached.get(nameOf(call))?.has(one.name));
    if (multiplies(again, one)) return true;
  }
  if (line.endless.some((body) => startsWithoutWaiting(body, line))) return true;
  if (depth >= MAX_DEPTH) return false;
  return line.commands
    .filter((command) => unwrapped(command).some((step) => CARRIES.test(programOf(step))))
    .flatMap((command) => argsOf(command).filter(({ text }) => /[{|&]/.test(text)))
    .some(({ text }) => lineForksForever(parseLine(text, budget), depth + 1));
}

/**
 * Whether a body that runs itself through these calls multiplies endlessly: twice in parallel, or once
 * alongside its caller. Recursion that checks its arguments before it continues is ordinary.
 */
function multiplies(
  again: readonly Call[],
  { source, commands }: Pick<ShellFunction, 'source' | 'commands'>,
): boolean {
  const decides = /\b(if|case|test)\b[^\n]*\$|\[[^\]]*\$|\(\([^)]*[$a-z]/.test(source);
  const goesOn = again.every(({ command }) => argsOf(command).some(({ literal }) => !literal));
  if (again.length === 0 || (decides && goesOn)) return false;
  const isBeside = again.some((call) => isBackground(call.command));
  if (again.length > 1 && (isBeside || arePiped(again))) return true;
  if (isBeside)
    return commands.every((command) => again.some((call) => call.command === command) || isAtOnce(command));
  const forks = again.some((call) => call.substituted || isPiped(call));
  return forks && !decides && !/\b(return|exit|break)\b|&&|\|\|/.test(source);
}

/** `:|:`: two calls piped into each other. */
function arePiped(calls: readonly Call[]): boolean {
  return calls.some((one, i) =>
    calls
      .slice(i + 1)
      .some((other) => other.line === one.line && other.command.pipeline === one.command.pipeline),
  );
}

function isPiped({ command, line }: Call): boolean {
  return line.commands.some((other) => other !== command && other.pipeline === command.pipeline);
}

function isBackground(command: SimpleCommand): boolean {
  return command.background === true || command.next === '&' || programOf(command) === 'coproc';
}

/** An endless loop that leaves a process running in each iteration, without waiting. */
function startsWithoutWaiting(body: readonly SimpleCommand[], line: ShellLine): boolean {
  const flat = body.flatMap(
    (command) => line.functions.find(({ name }) => name === command.name)?.commands ?? [command],
  );
  const started = flat.filter((command) => isBackground(command) && !isAtOnceBuiltin(command));
  return (
    started.length > 0 &&
    flat.every((command) => started.includes(command) || isAtOnce(command) || feeds(command, flat))
  );
}

/** `echo x & ` in a loop also starts processes, but each ends at once. */
function isAtOnceBuiltin(command: SimpleCommand): boolean {
  return /^(|:|true|false|\[|test)$/.test(programOf(command));
}

/** Precedes a pipe that is in the background as a whole. */
function feeds(command: SimpleCommand, all: readonly SimpleCommand[]): boolean {
  return all.some((other) => other.pipeline === command.pipeline && isBackground(other));
}

function isAtOnce(command: SimpleCommand): boolean {
  const last = unwrapped(command).at(-1) ?? command;
  return AT_ONCE.test(programOf(last)) || /^\w+\s*=/.test(command.source);
}

function runsItself({ command }: Call): boolean {
  const steps = unwrapped(command);
  return steps.some(({ words: [first, second] }) => {
    const runs = first !== undefined && (SHELLS.has(first.text) || /^(source|\.)$/.test(first.text));
    return ITSELF.test(first?.raw ?? '') || (runs && ITSELF.test(second?.raw ?? ''));
  });
}

function nameOf({ command }: Call): string {
  return unwrapped(command).at(-1)?.name ?? command.name;
}

type Known = { name: string; calls: readonly Call[] };

/** For each function, the functions reachable from it, including itself. */
function reachedBy(functions: readonly Known[]): Map<string, Set<string>> {
  const called = new Map<string, Set<string>>(functions.map(({ name }) => [name, new Set()]));
  for (const { name, calls } of functions)
    for (const call of calls) if (called.has(nameOf(call))) called.get(name)?.add(nameOf(call));
  const reached = new Map<string, Set<string>>();
  for (const name of called.keys()) {
    const found = new Set([name]);
    // Iterating a growing set also visits the added elements.
    for (const one of found) for (const next of called.get(one) ?? []) found.add(next);
    reached.set(name, found);
  }
  return reached;
}

type Collecting = { line: ShellLine; budget: ReturnType<typeof newBudget>; depth: number };

/**
 * Everything that commands run: themselves, their substitutions, and the arguments of `eval` and other
 * shells.
 */
function callsIn(commands: readonly SimpleCommand[], { line, budget, depth }: Collecting): Call[] {
  return commands.flatMap((command): Call[] => {
    const own: Call = { command, line, substituted: depth > 0 };
    if (depth >= MAX_DEPTH) return [own];
    const texts = unwrapped(command).flatMap((step) => scriptsOf(step, { written: command, line, budget }));
    const inner = [...command.nested, ...texts].flatMap((one) =>
      callsIn(one.commands, { line: one, budget, depth: depth + 1 }).map((call) => ({
        ...call,
        // `eval 'f &'` runs in the background, and so does what `eval f &` runs.
        command: isBackground(command) ? { ...call.command, next: '&' as const } : call.command,
      })),
    );
    return [own, ...inner];
  });
}

/** `yes | xargs -P0 x`: as many processes at once as there is input, and the input never ends. */
function isFedForEver(command: SimpleCommand, written: SimpleCommand, line: ShellLine): boolean {
  const program = programOf(command);
  const feeder = line.commands[line.commands.indexOf(written) - 1];
  if (feeder === undefined || feeder.pipeline !== written.pipeline || !printsForEver(feeder)) return false;
  if (SHELLS.has(program)) {
    const text = argsOf(feeder)
      .map((word) => word.text)
      .join(' ');
    return parseLine(text).commands.some(isBackground);
  }
  const args = argsOf(command).map(({ text }) => text);
  const many = /^(0|\d{3,})$/;
  const glued = args.some((text) => many.test(/^(?:-P|--max-procs=|-j|--jobs=)(.+)$/.exec(text)?.[1] ?? ''));
  const apart = args.some(
    (text, i) => /^(-P|--max-procs|-j|--jobs)$/.test(text) && many.test(args[i + 1] ?? ''),
  );
  return /^(xargs|parallel)$/.test(program) && (glued || apart);
}

function printsForEver(command: SimpleCommand): boolean {
  const texts = argsOf(command).map(({ text }) => text);
  const program = programOf(command);
  if (program === 'yes') return true;
  if (program === 'seq') return texts.some((text) => /^inf/i.test(text));
  return program === 'cat' && texts.some((text) => /^\/dev\/(zero|u?random)$/.test(text));
}

/** Program text passed to an interpreter: as arguments, as a here-document, or through a pipe. */
function codeOf(command: SimpleCommand, written: SimpleCommand, line: ShellLine): string {
  const bodies = written.redirects.map(({ body, op, target }) => body ?? (op === '<<<' ? target.text : ''));
  const words = argsOf(command).map(({ text }) => text);
  return [...words, ...bodies, printedInto(written, line) ?? ''].join('\n');
}
