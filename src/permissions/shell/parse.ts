import { type Redirect, type Separator, tokenize } from './tokenize.ts';
import type { Word } from './words.ts';

/** One program call. Commands with one `pipeline` number hand their output to each other. */
export type SimpleCommand = {
  name: string;
  /** The command as words, its name first. */
  words: Word[];
  assignments: Word[];
  redirects: Redirect[];
  pipeline: number;
  /** What stands between this command and the next. */
  next: Separator | null;
  /** Command lines substituted into this one. */
  nested: ShellLine[];
};

/** `doubts` say what is not understood: a line with any is never allowed by itself, its commands are a guess. */
export type ShellLine = { commands: SimpleCommand[]; doubts: string[]; functions: string[] };

const MAX_LENGTH = 20_000;
const MAX_DEPTH = 8;
const MAX_COMMANDS = 500;
const OPENERS = new Set(['if', 'while', 'until', '{']);
const HEADS = new Set(['for', 'select', 'case']);
const CLOSERS = new Set(['fi', 'done', 'esac', '}']);
const JOINTS = new Set(['then', 'do', 'else', 'elif', '!', 'time', 'coproc', '[[']);
const WITHOUT_COMMAND = new Set([...HEADS, '[[']);
const ASSIGNMENT = /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/;

/** A small conservative reading of bash. Pure; never throws. */
export function parseLine(text: string, depth = 0): ShellLine {
  if (text.length > MAX_LENGTH) return { commands: [], doubts: ['it is too long to judge'], functions: [] };
  if (depth > MAX_DEPTH) return { commands: [], doubts: ['it is nested too deeply to judge'], functions: [] };

  const { tokens, doubts } = tokenize(text);
  const reader = new LineReader(depth, doubts);
  for (const token of tokens) {
    if (token.type === 'word') reader.word(token.word);
    else if (token.type === 'redirect') reader.redirect(token.redirect);
    else if (token.type === 'paren') reader.paren(token.paren);
    else reader.end(token.separator);
  }
  return reader.finish();
}

/** The state of one reading: the command being gathered, and how deep in groups it stands. */
class LineReader {
  private readonly depth: number;
  private readonly doubts: Set<string>;
  private readonly commands: SimpleCommand[] = [];
  private readonly functions = new Set<string>();
  private current: SimpleCommand;
  private pipeline = 0;
  private groups = 0;
  /** The rest of `for x in …` and `case x in` names no command. */
  private skipping = false;
  private naming: 'function' | 'body' | null = null;

  constructor(depth: number, doubts: string[]) {
    this.depth = depth;
    this.doubts = new Set(doubts);
    this.current = this.blank();
  }

  word(word: Word): void {
    this.noteExpansion(word);
    if (this.skipping) return;
    if (this.current.words.length > 0) this.add(word);
    else if (this.naming === 'function') this.define(word.text);
    else if (this.naming === 'body' && /^\{./.test(word.raw)) this.openBody(word);
    else this.first(word);
  }

  redirect(redirect: Redirect): void {
    this.noteExpansion(redirect.target);
    this.current.redirects.push(redirect);
    this.descend(redirect.target);
  }

  paren(paren: '(' | ')'): void {
    const [name, ...others] = this.current.words;
    if (paren === '(' && name !== undefined && others.length === 0) {
      this.current = this.blank();
      this.define(name.text);
      return;
    }
    this.doubts.add('it uses a subshell or another group');
    if (paren === ')' && this.naming === 'body') return;
    if (paren === '(') {
      this.flush(';');
      this.groups += 1;
    } else {
      this.end(';');
      this.groups = Math.max(0, this.groups - 1);
    }
  }

  end(separator: Separator): void {
    this.skipping = false;
    this.flush(separator);
    // Inside a group everything may feed the pipeline the group stands in.
    if (separator !== '|' && this.groups === 0) this.pipeline += 1;
  }

  finish(): ShellLine {
    this.flush(null);
    if (this.commands.length > MAX_COMMANDS) {
      this.doubts.add('it has too many commands to judge');
      this.commands.length = MAX_COMMANDS;
    }
    return { commands: this.commands, doubts: [...this.doubts], functions: [...this.functions] };
  }

  private first(word: Word): void {
    this.naming = null;
    if (this.keyword(word.raw)) return;
    if (ASSIGNMENT.test(word.raw)) {
      this.current.assignments.push(word);
      this.descend(word);
      return;
    }
    if (!word.literal || word.glob) this.doubts.add("a command's name is computed");
    this.add(word);
  }

  private keyword(raw: string): boolean {
    if (OPENERS.has(raw) || HEADS.has(raw)) this.groups += 1;
    else if (CLOSERS.has(raw)) this.groups = Math.max(0, this.groups - 1);
    else if (raw === 'function') this.naming = 'function';
    else if (!JOINTS.has(raw)) return false;
    this.skipping = WITHOUT_COMMAND.has(raw);
    this.doubts.add(`it uses the shell's own "${raw}"`);
    return true;
  }

  private define(name: string): void {
    this.doubts.add('it defines a function');
    this.functions.add(name);
    this.naming = 'body';
  }

  /** `{:` behind `f()` is not a word to bash either, but people write it. */
  private openBody(word: Word): void {
    this.naming = null;
    this.groups += 1;
    this.add({ ...word, text: word.text.slice(1), raw: word.raw.slice(1) });
  }

  private add(word: Word): void {
    if (this.current.words.length === 0) this.current.name = word.text;
    this.current.words.push(word);
    this.descend(word);
  }

  private descend(word: Word): void {
    for (const script of word.scripts) this.current.nested.push(parseLine(script, this.depth + 1));
  }

  private noteExpansion(word: Word): void {
    if (word.scripts.length > 0) this.doubts.add('it substitutes the output of another command');
    else if (!word.literal) this.doubts.add(`it expands ${word.raw.slice(0, 40)}`);
  }

  private flush(separator: Separator | null): void {
    const { words, assignments, redirects } = this.current;
    if (words.length + assignments.length + redirects.length > 0) {
      this.commands.push({ ...this.current, pipeline: this.pipeline, next: separator });
    }
    this.current = this.blank();
  }

  private blank(): SimpleCommand {
    return { name: '', words: [], assignments: [], redirects: [], pipeline: 0, next: null, nested: [] };
  }
}
