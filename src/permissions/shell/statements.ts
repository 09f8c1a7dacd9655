import { isPlainVariable } from '../rules/read-only-arguments.ts';
import { asWritten } from './documents.ts';
import type { Doubt } from './doubts.ts';
import { isEndless } from './endless.ts';
import { type After, type Around, merge, unsure } from './folders.ts';
import { checkGaps } from './gaps.ts';
import { loopOf, type SyntaxNode } from './grammar.ts';
import type { HereDocument } from './quotes.ts';
import { isPiece, RESERVED, readRedirect, sourceOf, WORDS } from './redirects.ts';
import type {
  Redirect,
  Separator,
  ShellFunction,
  ShellLine,
  SimpleCommand,
  Word,
  WordReader,
} from './shell-line.ts';
import { loopValues } from './unroll.ts';
import { plainWord, readWords, substitutionsIn } from './word.ts';

type Source = {
  text: string;
  documents: readonly HereDocument[];
  inner(script: string): ShellLine;
};

/** All commands below a syntax tree node. */
export function readStatements(root: SyntaxNode, source: Source): ShellLine {
  const reader = new StatementReader(source);
  checkGaps(root, reader);
  reader.sequence(root.children, {
    folder: { ways: [[]], sure: true },
    loops: new Map(),
    pipeline: null,
    next: null,
  });
  const { commands, doubts, functions, endless } = reader;
  return { commands, doubts: [...doubts], functions, endless };
}

/** The state of one parse. */
class StatementReader implements WordReader {
  readonly text: string;
  readonly documents: readonly HereDocument[];
  readonly doubts = new Set<Doubt>();
  readonly values = new Map<string, string>();
  readonly commands: SimpleCommand[] = [];
  readonly functions: ShellFunction[] = [];
  readonly endless: SimpleCommand[][] = [];
  readonly inner: (script: string) => ShellLine;
  private readonly read = new Set<string>();
  private pipelines = 0;

  constructor({ text, documents, inner }: Source) {
    this.text = text;
    this.documents = documents;
    this.inner = inner;
  }

  /** Consecutive statements with separators between them. */
  sequence(nodes: SyntaxNode[], around: Around): After {
    let folder = around.folder;
    let after: After = { success: folder, failure: folder };
    for (const [i, node] of nodes.entries()) {
      if (/^;;|^;&$/.test(node.type)) this.doubts.add('unparsed');
      if (!node.named || node.type === 'comment') continue;
      const separator = nodes.slice(i + 1).find(({ type }) => type !== 'comment');
      const isBackground = separator?.type === '&';
      const next: Separator | null = isBackground ? '&' : separator === undefined ? around.next : ';';
      const { loops, pipeline } = around;
      const before = this.commands.length;
      after = this.statement(node, { folder, loops, pipeline, next });
      if (isBackground) for (const one of this.commands.slice(before)) one.background = true;
      // A background command does not change the directory of others.
      if (isBackground) after = { success: folder, failure: folder };
      folder = merge(after.success, after.failure);
    }
    return after;
  }

  private statement(node: SyntaxNode, around: Around): After {
    const before = this.commands.length;
    const after = this.anyStatement(node, around);
    // Copies: whether the loop as a whole runs in the background does not affect its iterations.
    if (isEndless(node, this.text)) this.endless.push(this.commands.slice(before).map((one) => ({ ...one })));
    return after;
  }

  private anyStatement(node: SyntaxNode, around: Around): After {
    const still: After = { success: around.folder, failure: around.folder };
    switch (node.type) {
      case 'command':
      case 'declaration_command':
      case 'unset_command':
      case 'variable_assignment':
      case 'variable_assignments':
        return this.command(node, around);
      case 'test_command':
        this.test(node, around);
        return still;
      case 'redirected_statement':
        return this.redirected(node, around);
      case 'list':
        return this.list(node, around);
      case 'pipeline':
        this.pipeline(node, around);
        return still;
      case 'negated_command': {
        // `!x` is a word to the shell, whatever x is.
        if (!/^!([\s(<>]|$)/.test(this.slice(node))) this.doubts.add('unparsed_word');
        const after = this.sequence(node.children, around);
        return { success: after.failure, failure: after.success };
      }
      case 'subshell':
        this.sequence(node.children, around);
        return still;
      case 'compound_statement':
        return this.group(node, around);
      case 'if_statement':
      case 'elif_clause':
      case 'else_clause':
      case 'do_group':
        return this.perhaps(node, around);
      case 'while_statement':
        return this.repeat(node, around);
      case 'for_statement':
        return this.loop(node, around);
      case 'case_statement':
      case 'case_item':
      case 'last_case_item':
        return this.choice(node, around);
      case 'function_definition':
        this.define(node, around);
        return still;
      case 'ERROR':
        this.scraps(node, around);
        return unsure(around.folder);
      default:
        this.doubts.add(`syntax:${node.type}`);
        this.scraps(node, around);
        return unsure(around.folder);
    }
  }

  private list({ children }: SyntaxNode, around: Around): After {
    const [left, operator, right] = children.filter(({ type }) => type !== 'comment');
    if (!left || !right || children.length !== 3 || !/^(&&|\|\|)$/.test(operator?.type ?? '')) {
      this.doubts.add('unparsed');
      return this.sequence(children, around);
    }
    const isAnd = operator?.type === '&&';
    const between: Separator = around.next === '&' ? '&' : isAnd ? '&&' : '||';
    const first = this.statement(left, { ...around, next: between });
    const second = this.statement(right, { ...around, folder: isAnd ? first.success : first.failure });
    return isAnd
      ? { success: second.success, failure: merge(first.failure, second.failure) }
      : { success: merge(first.success, second.success), failure: second.failure };
  }

  private pipeline({ children }: SyntaxNode, around: Around): void {
    this.pipelines += 1;
    const pipeline = around.pipeline ?? this.pipelines;
    const parts = children.filter(({ named, type }) => named && type !== 'comment');
    for (const [i, part] of parts.entries()) {
      const isLast = i === parts.length - 1;
      const next: Separator | null = isLast ? around.next : '|';
      this.statement(part, { ...around, pipeline, next });
    }
  }

  private group(node: SyntaxNode, around: Around): After {
    if (node.children[0]?.type === '((') {
      this.doubts.add('arithmetic');
      this.scraps(node, around);
      return { success: around.folder, failure: around.folder };
    }
    return this.sequence(node.children, around);
  }

  /** Whether the parts run at all, and how often, is decided at run time. */
  private perhaps(node: SyntaxNode, around: Around): After {
    const after = this.sequence(node.children, around);
    const folder = merge(around.folder, merge(after.success, after.failure));
    return folder.ways.length > around.folder.ways.length
      ? unsure(folder)
      : { success: folder, failure: folder };
  }

  /** A loop that reads lines ends with its input; for other loops it is unknown. */
  private repeat(node: SyntaxNode, around: Around): After {
    const before = this.commands.length;
    const after = this.perhaps(node, around);
    const isRead = node.children[0]?.type === 'while' && this.commands[before]?.name === 'read';
    if (!isRead) this.doubts.add('may_never_end');
    return after;
  }

  private loop({ children }: SyntaxNode, around: Around): After {
    const names = children.filter(({ type }) => type === 'variable_name').map((node) => this.slice(node));
    if (!names.every(isPlainVariable) || children[0]?.type !== 'for') this.doubts.add('sets_variable');
    const list = children.filter(({ type }) => WORDS.test(type)).flatMap((node) => readWords(node, this));
    this.hold(list, around);
    const values = loopValues(list, this.text);
    const [name] = names;
    const [first] = list;
    if (name !== undefined && first !== undefined) this.values.set(name, first.text);
    const body = children.filter(({ type }) => type === 'do_group' || type === 'compound_statement');
    return this.perhaps(
      { ...loopOf(children), children: body },
      { ...around, loops: new Map([...around.loops, ...names.map((one) => [one, values] as const)]) },
    );
  }

  private choice(node: SyntaxNode, around: Around): After {
    const ends = node.children.findIndex(({ type }) => type === ')' || type === 'in');
    const head = node.children.slice(0, ends + 1);
    for (const child of head) this.hold(this.wordsOf(child), around);
    const body = node.children.slice(ends + 1).filter(({ type }) => !/^;;&?$|^;&$/.test(type));
    return this.perhaps({ ...node, children: body }, around);
  }

  private wordsOf(node: SyntaxNode): Word[] {
    return WORDS.test(node.type) ? readWords(node, this) : [];
  }

  /** Words that no command receives, but whose substitutions run. */
  private hold(words: Word[], around: Around): void {
    if (words.some(({ literal, glob }) => !literal || glob)) {
      this.push({ words: [plainWord(':'), ...words], assignments: [], redirects: [] }, around, null);
    }
  }

  private define(node: SyntaxNode, around: Around): void {
    const [name] = node.children.filter(({ type }) => type === 'word');
    this.doubts.add('defines_function');
    const before = this.commands.length;
    const body = node.children.filter(
      (child) => child.named && child !== name && !/redirect$/.test(child.type),
    );
    this.sequence(body, { ...around, next: null });
    for (const child of node.children) if (/redirect$/.test(child.type)) readRedirect(child, this);
    const commands = this.commands.slice(before);
    if (name) this.functions.push({ name: this.slice(name), commands, source: this.slice(node) });
  }

  private redirected(node: SyntaxNode, around: Around): After {
    const [body, ...others] = node.children;
    const redirects: Redirect[] = [];
    const extra: Word[] = [];
    const later: SyntaxNode[] = [];
    const own = body !== undefined && /redirect$/.test(body.type) ? [body, ...others] : others;
    for (const child of own) {
      const read = readRedirect(child, this);
      redirects.push(...read.redirects);
      extra.push(...read.words);
      later.push(...read.later);
    }
    const before = this.commands.length;
    let after: After = { success: around.folder, failure: around.folder };
    if (body !== undefined && own[0] !== body) {
      const next: Separator | null = later.length > 0 ? '|' : around.next;
      if (later.length > 0) this.pipelines += 1;
      const pipeline = later.length > 0 ? (around.pipeline ?? this.pipelines) : around.pipeline;
      after = this.statement(body, { ...around, next, pipeline });
      const mine = this.commands.slice(before);
      const simple = /^(command|pipeline|list|negated_command|declaration_command|test_command)$/.test(
        body.type,
      );
      // In a pipeline or list the last command is redirected; in a group every one.
      for (const command of simple ? mine.slice(-1) : mine) this.redirect(command, redirects, extra);
      const last = mine.at(-1);
      if (simple && last?.span) last.span = { start: last.span.start, end: node.end };
      for (const one of later) this.statement(one, { ...around, pipeline });
    } else {
      this.push({ words: extra, assignments: [], redirects }, around, node);
    }
    return after;
  }

  private redirect(command: SimpleCommand, redirects: Redirect[], extra: Word[]): void {
    command.redirects.push(...redirects);
    command.words.push(...extra);
    for (const { target } of redirects) command.nested.push(...target.nested);
    for (const word of extra) command.nested.push(...word.nested);
    command.source = [command.source, ...redirects.map(sourceOf), ...extra.map(({ raw }) => raw)].join(' ');
    if (command.name === '' && extra[0] !== undefined) command.name = extra[0].text;
  }

  private command(node: SyntaxNode, around: Around): After {
    const words: Word[] = [];
    const assignments: Word[] = [];
    const redirects: Redirect[] = [];
    for (const [i, child] of node.children.entries()) {
      const touches = i > 0 && node.children[i - 1]?.end === child.start;
      if (touches && node.type === 'command') this.doubts.add('unparsed_word');
      if (child.type === 'variable_assignment' && node.type !== 'declaration_command') {
        assignments.push(this.assignment(child));
      } else if (child.type === 'variable_assignment') words.push(this.assignment(child));
      else if (/redirect$/.test(child.type)) {
        const read = readRedirect(child, this);
        redirects.push(...read.redirects);
        words.push(...read.words);
      } else if (!child.named && node.type !== 'command') words.push(plainWord(this.slice(child)));
      else if (child.type !== 'comment') words.push(...readWords(child, this));
    }
    if (node.type === 'variable_assignment') assignments.push(this.assignment(node));
    const command = this.push({ words, assignments, redirects }, around, node);
    if (!/^(cd|pushd|popd)$/.test(command.name)) return { success: around.folder, failure: around.folder };
    const target = command.words.find((word, at) => at > 0 && !/^-[LPe@]+$|^--$/.test(word.text));
    const move = target ?? { ...plainWord('~'), literal: false };
    const moved = { ways: around.folder.ways.map((way) => [...way, move]), sure: around.folder.sure };
    return { success: moved, failure: around.folder };
  }

  private assignment(node: SyntaxNode): Word {
    const raw = this.slice(node);
    const nested = substitutionsIn(node)
      .flatMap((child) => readWords(child, this))
      .flatMap((word) => word.nested);
    const [name, , value] = node.children;
    if (name?.type === 'variable_name' && value !== undefined && node.children.length === 3) {
      const [word] = readWords(value, this);
      if (word !== undefined) this.values.set(this.slice(name), word.text);
    }
    return { ...plainWord(raw), literal: nested.length === 0 && !/[$`]/.test(raw), nested };
  }

  /** `[` is an ordinary command; so is `[[`, as long as it contains no special syntax. */
  private test(node: SyntaxNode, around: Around): void {
    const raw = this.slice(node);
    const [, open = '', inside = ''] = /^(\[\[?)([\s\S]*?)\]?\]$/.exec(raw) ?? [];
    const line = this.inner(`test ${inside}`);
    const [command, ...others] = line.commands;
    // `[a]` is a glob to the shell, and runs the file it matches.
    if (!/^\s/.test(inside) || !/\s$/.test(inside)) this.doubts.add('unparsed_test');
    if (open === '[[' && /[&|<>()]|=~/.test(inside)) this.doubts.add('unparsed_test');
    for (const doubt of line.doubts) this.doubts.add(doubt);
    if (command === undefined || others.length > 0) this.doubts.add('unparsed_test');
    for (const one of line.commands) {
      this.push({ words: one.words, assignments: one.assignments, redirects: one.redirects }, around, node);
    }
    if (node.children[0]?.type === '((') this.doubts.add('arithmetic');
  }

  /** In an unparseable part: anything that could be a command. */
  private scraps(node: SyntaxNode, around: Around): void {
    const words = node.children.flatMap((child) => this.wordsOf(child));
    if (words.length > 0) this.push({ words, assignments: [], redirects: [] }, around, node);
    const statements = node.children.filter(
      ({ named, type }) => named && !WORDS.test(type) && !isPiece(type),
    );
    if (statements.length > 0) this.sequence(statements, around);
    const held = substitutionsIn({ ...node, children: node.children.filter(({ type }) => isPiece(type)) });
    this.hold(
      held.flatMap((child) => readWords(child, this)),
      around,
    );
  }

  private push(
    parts: Pick<SimpleCommand, 'words' | 'assignments' | 'redirects'>,
    around: Around,
    node: SyntaxNode | null,
  ): SimpleCommand {
    const { words, assignments, redirects } = parts;
    const [first] = words;
    if (first !== undefined && (!first.literal || first.glob)) this.doubts.add('computed_name');
    if (RESERVED.test(first?.raw ?? '')) this.doubts.add('unparsed');
    if (around.pipeline === null) this.pipelines += 1;
    const nested: ShellLine[] = [];
    for (const word of words) nested.push(...word.nested);
    for (const word of assignments) nested.push(...word.nested);
    for (const { target } of redirects) nested.push(...target.nested);
    const command: SimpleCommand = {
      words,
      assignments,
      redirects,
      name: first?.text ?? '',
      pipeline: around.pipeline ?? this.pipelines,
      next: around.next,
      nested,
      folder: around.folder,
      set: [...around.loops.keys(), ...this.read],
      values: new Map([...around.loops].flatMap(([one, all]) => (all ? [[one, all] as const] : []))),
      source: node ? this.slice(node) : '',
      ...(node && { span: { start: node.start, end: node.end } }),
    };
    if (command.name === 'read') for (const { text } of words.slice(1)) this.read.add(text);
    this.commands.push(command);
    return command;
  }

  private slice({ start, end }: SyntaxNode): string {
    return asWritten(this.text.slice(start, end), this.documents);
  }
}
