import path from 'node:path';
import { startOf } from '../../lib/text/cut-line.ts';
import type { SimpleCommand } from '../shell/shell-line.ts';
import { argsOf, programOf } from '../shell/wrappers.ts';
import { irreversibleEffect } from './irreversible.ts';

/** What is looked up to say what a command does. */
export type EffectPlace = {
  /** The script of that name in the `package.json` of a folder, or null. */
  scriptOf?(name: string): string | null;
  /** Whether there is a file or folder of that name. */
  isThere?(name: string): boolean;
};

const NAMED = 3;
const MAX_NAME = 60;
const SCRIPTED = /^(npm|pnpm|yarn|bun)$/;
const INTERPRETERS = /^(python[\d.]*|node|deno|ruby|perl|php|lua|Rscript|tsx|ts-node)$/;
const INSTALLERS =
  /^(pip[\d.]*|pipx|uv|poetry|npm|pnpm|yarn|bun|cargo|gem|brew|apt|apt-get|dnf|yum|apk|conda|mamba|composer|go)$/;
const TESTERS = /^(pytest|py\.test|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest)$/;
const BUILDERS =
  /^(make|gmake|ninja|cmake|gradle|gradlew|mvn|mvnw|cargo|go|dotnet|just|rake|bazel|meson|tsc)$/;

type Surroundings = {
  cwd: string;
  walls?: 'sandbox' | 'none';
  disk?: {
    kindOf(file: string): 'file' | 'folder' | null;
    scriptOf(folder: string, name: string): string | null;
  };
};

/** What a command does; `otherwise` where nothing is known about it. */
export function doing(command: SimpleCommand, { disk, cwd }: Surroundings, otherwise: string): string {
  const known = effectOf(command, {
    scriptOf: (name) => disk?.scriptOf(cwd, name) ?? null,
    isThere: (name) => Boolean(disk?.kindOf(path.resolve(cwd, name))),
  });
  return known ?? otherwise;
}

/** What a command does, and the variables that it does it with. */
export function settingBecause(command: SimpleCommand, place: Surroundings): string {
  const names = command.assignments.map(({ text }) => text.split(/\+?=|\[/)[0]).join(', ');
  const [first] = command.words;
  if (first === undefined) return `sets ${names}`;
  return `${doing(command, place, `runs ${shown(first.raw)}`)}, with ${names} set`;
}

export function withoutWalls(name: string): string {
  return `nothing keeps ${name} from changing files without a sandbox`;
}

export function unknownOption(name: string, option: string, { walls }: Surroundings): string {
  return walls === 'none'
    ? `without a sandbox, ${name} ${shown(option)} is not approved by itself`
    : `aca does not know what ${name} does with ${shown(option)}`;
}

/** What a command does, as a fact about its words; null if nothing is known about it. */
export function effectOf(command: SimpleCommand, place: EffectPlace = {}): string | null {
  const program = programOf(command);
  const words = argsOf(command).map(({ text }) => text);
  const operands = words.filter((word) => !word.startsWith('-'));
  return (
    irreversibleEffect(command) ||
    fileEffect(program, words, operands) ||
    projectEffect(program, operands, place) ||
    installEffect(program, operands) ||
    (program === 'git' ? gitEffect(words, operands, place) : null) ||
    codeEffect(command, words, operands) ||
    otherEffect(program, words, operands) ||
    null
  );
}

function fileEffect(program: string, words: readonly string[], operands: readonly string[]): string | null {
  const all = listed(operands);
  const last = listed(operands.slice(-1));
  const isRecursive = words.some((word) => /^-[a-zA-Z]*[rR]|^--recursive$/.test(word));
  switch (program) {
    case 'rm':
      return (
        all &&
        `rm deletes ${all}${isRecursive ? ` and everything in ${operands.length > 1 ? 'them' : 'it'}` : ''}`
      );
    case 'rmdir':
    case 'unlink':
    case 'shred':
      return all && `${program} deletes ${all}`;
    case 'mv':
      return operands.length > 1 ? `mv moves ${listed(operands.slice(0, -1))} to ${last}` : null;
    case 'cp':
    case 'install':
    case 'rsync':
      return operands.length > 1 ? `${program} copies ${listed(operands.slice(0, -1))} to ${last}` : null;
    case 'ln':
      return operands.length > 1 ? `ln makes ${last} a link to ${listed(operands.slice(0, -1))}` : null;
    case 'mkdir':
      return all && `mkdir creates ${all}`;
    case 'touch':
      return all && `touch creates or updates ${all}`;
    case 'tee':
    case 'truncate':
      return all && `${program} writes to ${all}`;
    case 'find':
    case 'fd':
      return findEffect(program, words);
    case 'chmod':
      if (/^\+x$|^[0-7]*[157][0-7]{2}$/.test(operands[0] ?? '') && operands.length > 1)
        return `chmod makes ${listed(operands.slice(1))} executable`;
      return operands.length > 1 ? `chmod changes who may use ${listed(operands.slice(1))}` : null;
    case 'chown':
    case 'chgrp':
      return operands.length > 1 ? `${program} changes who owns ${listed(operands.slice(1))}` : null;
    case 'sed':
    case 'perl':
      return words.some((word) => /^-[a-zA-Z]*i|^--in-place/.test(word)) && operands.length > 0
        ? `${program} changes ${last} in place`
        : null;
    default:
      return null;
  }
}

function findEffect(program: string, words: readonly string[]): string | null {
  const valueAfter = (flag: RegExp) => words[words.findIndex((word) => flag.test(word)) + 1] ?? '';
  const runs = /^-(exec|execdir|ok|okdir|x|X)$|^--exec(-batch)?$/;
  if (words.includes('-delete')) return `${program} deletes what it finds`;
  if (words.some((word) => runs.test(word)))
    return `${program} runs ${shown(valueAfter(runs))} on what it finds`;
  const prints = /^-f(print0?|printf|ls)$/;
  return words.some((word) => prints.test(word)) ? `${program} writes to ${shown(valueAfter(prints))}` : null;
}

function projectEffect(
  program: string,
  operands: readonly string[],
  { scriptOf }: EffectPlace,
): string | null {
  const [first = '', second = ''] = operands;
  if (!SCRIPTED.test(program)) return null;
  const name = first === 't' || first === 'test' ? 'test' : /^run(-script)?$/.test(first) ? second : '';
  if (name === '') return first === 'start' ? `${program} runs the project's own script \`start\`` : null;
  const script = scriptOf?.(name) ?? null;
  return `${program} runs the project's own script \`${shown(name)}\`${script === null ? '' : `: ${shown(script)}`}`;
}

function installEffect(program: string, operands: readonly string[]): string | null {
  if (!INSTALLERS.test(program)) return null;
  const [verb = ''] = operands;
  if (/^(update|upgrade|remove|uninstall|rm|purge)$/.test(verb)) {
    const named = listed(operands.slice(1)) || 'packages';
    return `${program} ${/^up/.test(verb) ? 'updates' : 'removes'} ${named}`;
  }
  const at = operands.findIndex((word) => /^(install|i|ci|add|get|sync)$/.test(word));
  if (at === -1 || at > 1) return null;
  const packages = listed(operands.slice(at + 1));
  return `${program} installs ${packages || 'the packages of the project'}`;
}

const GIT: Readonly<Record<string, string>> = {
  add: 'adds LIST to the next commit',
  am: 'applies patches',
  apply: 'applies a patch to files',
  bisect: 'checks out other commits',
  'cherry-pick': 'adds commits to this branch',
  clean: 'deletes files that git does not track',
  clone: 'downloads LIST',
  commit: 'records a commit',
  config: 'changes the setting LIST',
  fetch: 'downloads commits from LIST',
  init: 'creates a repository',
  merge: 'merges LIST into this branch',
  mv: 'moves files',
  pull: 'downloads commits and merges them',
  push: 'sends commits to LIST',
  rebase: 'rewrites the commits of this branch',
  remote: 'changes which repositories are known: LIST',
  reset: 'moves this branch or takes changes out of the next commit',
  restore: 'puts an older version in place of LIST',
  revert: 'adds a commit that undoes others',
  rm: 'deletes LIST',
  stash: 'puts changes aside or brings them back',
  switch: 'checks out LIST',
  tag: 'creates the tag LIST',
  worktree: 'changes working trees: LIST',
};

function gitEffect(
  words: readonly string[],
  [sub = '', ...rest]: readonly string[],
  place: EffectPlace,
): string | null {
  const options = words.filter((word) => word.startsWith('-'));
  const has = (flag: RegExp) => options.some((option) => flag.test(option));
  const does = () => {
    switch (sub) {
      case 'add':
        return has(/^(-A|--all|-u|--update)$/) && rest.length === 0
          ? 'adds all changes to the next commit'
          : GIT.add;
      case 'branch':
        if (has(/^(-d|--delete)$/)) return 'deletes LIST if it is merged';
        return has(/^(-m|--move)$/) ? 'renames a branch to LIST' : 'creates the branch LIST';
      case 'checkout':
        return checkoutEffect(words, rest, place);
      case 'switch':
        return has(/^(-c|-C|--create|--orphan)/) ? 'creates and checks out the branch LIST' : GIT.switch;
      case 'stash':
        return /^(pop|apply)$/.test(rest[0] ?? '')
          ? 'brings back the changes that were put aside'
          : 'puts uncommitted changes aside';
      default:
        return Object.hasOwn(GIT, sub) ? GIT[sub] : undefined;
    }
  };
  const text = does();
  return text === undefined
    ? null
    : `git ${sub} ${text.replace('LIST', () => listed(rest) || defaultOf(sub))}`;
}

/** Git takes a word for a branch or commit unless it follows `--` or there is only a file of that name. */
function checkoutEffect(words: readonly string[], rest: readonly string[], { isThere }: EffectPlace): string {
  if (words.some((word) => /^(-[bB]|--orphan)$/.test(word)))
    return `creates and checks out the branch ${listed(rest.slice(0, 1))}`;
  const dashes = words.indexOf('--');
  const named = dashes === -1 ? rest : words.slice(dashes + 1);
  const [first = ''] = named;
  const isCommit =
    dashes === -1 && named.length === 1 && !isThere?.(first) && !/[/.][^/]*\.\w+$|^\.$/.test(first);
  return isCommit ? 'checks out LIST' : `overwrites ${listed(named)} with the committed version`;
}

function defaultOf(sub: string): string {
  return /^(fetch|push)$/.test(sub) ? 'the usual remote' : 'what its options name';
}

function codeEffect(
  command: SimpleCommand,
  words: readonly string[],
  operands: readonly string[],
): string | null {
  const program = programOf(command);
  const isShell = /^(ba|z|da|k)?sh$/.test(program);
  if (/^(source|\.)$/.test(program))
    return operands.length > 0 ? `runs ${shown(operands[0] ?? '')} in this shell` : null;
  if (!isShell && !INTERPRETERS.test(program)) return runsFile(command);
  const module = words[words.indexOf('-m') + 1];
  if (words.includes('-m') && module !== undefined) return `${program} runs its module ${shown(module)}`;
  if (words.some((word) => /^-(c|e|p|r|-eval|-print)$/.test(word)))
    return `${program} runs code from its command line`;
  if (command.redirects.some(({ body }) => body !== undefined))
    return `${program} runs the program in the here-document`;
  const [file] = operands;
  return file === undefined ? `${program} runs what it reads` : `${program} runs ${shown(file)}`;
}

/** A program by its path. */
function runsFile({ name }: SimpleCommand): string | null {
  return name.includes('/') && !/^\/(usr\/)?(local\/)?s?bin\//.test(name)
    ? `runs the program ${shown(name)}`
    : null;
}

function otherEffect(program: string, words: readonly string[], operands: readonly string[]): string | null {
  const all = listed(operands);
  if (TESTERS.test(program)) return `${program} runs the project's tests`;
  if (BUILDERS.test(program)) return `${program} runs the project's own build${all && `: ${all}`}`;
  switch (program) {
    case 'curl':
    case 'wget': {
      const address = operands.find((word) => /[/.:]/.test(word));
      const sends = words.some((word) => /^(-[a-zA-Z]*[dFT]$|--data|--form|--upload-file|--post)/.test(word));
      return address === undefined
        ? null
        : `${program} ${sends ? 'sends data to' : 'requests'} ${shown(address)}`;
    }
    case 'ssh':
    case 'scp':
    case 'sftp':
      return all && `${program} connects to another machine: ${all}`;
    case 'kill':
    case 'pkill':
    case 'killall':
      return all && `${program} ends processes: ${all}`;
    case 'docker':
    case 'podman':
      return all && `${program} acts on containers: ${all}`;
    case 'crontab':
    case 'systemctl':
    case 'service':
      return `${program} changes what the system runs${all && `: ${all}`}`;
    case 'npx':
    case 'bunx':
    case 'uvx':
      return operands[0] === undefined ? null : `${program} runs the package ${shown(operands[0])}`;
    case 'tar':
    case 'unzip':
    case 'zip':
    case 'gzip':
    case 'gunzip':
      return all && `${program} packs or unpacks ${all}`;
    default:
      return null;
  }
}

function listed(words: readonly string[]): string {
  const names = words.slice(0, NAMED).map(shown);
  const rest = words.length - names.length;
  if (rest > 0) return `${names.join(', ')} and ${rest} more`;
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? '');
}

/** As it appears in a reason. */
export function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_NAME ? `${startOf(line, MAX_NAME)}…` : line;
}
