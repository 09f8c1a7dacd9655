import { styleText } from 'node:util';
import type { FooterPart } from '../../app/run-facts/footer.ts';
import { describeCompaction } from '../../commands/compact.ts';
import { claimLine, reasonLine, refusalLine } from '../../commands/format/decision.ts';
import { loadingLine } from '../../commands/format/loading.ts';
import { retryLine } from '../../commands/format/retry.ts';
import { sandboxLine } from '../../commands/format/sandbox.ts';
import { subagentLine } from '../../commands/format/subagent.ts';
import { type Display, linkText } from '../../contract/display.ts';
import { type AgentEvent, innermost } from '../../contract/event.ts';
import { textOf } from '../../contract/message.ts';
import type { CommandPart, PermissionRequest } from '../../contract/permission.ts';
import { counted } from '../../lib/text/counted.ts';
import { visible } from '../../lib/text/printable.ts';
import { exactLine, exactText, hangingRows, visibleLine, visibleText } from '../../lib/text/visible-text.ts';
import { type Marks, signs } from './marks.ts';

const OUTPUT_LINES = 12;
/** More would push the text before them out of view. */
const EMPTY_LINES = /\n{6,}/g;

type Style = Parameters<typeof styleText>[0];
type Todo = Extract<Display, { kind: 'todos' }>['items'][number];

type PlainViewOptions = {
  color: boolean;
  stream: boolean;
  /** The terminal width; undefined without a terminal. */
  columns?: () => number | undefined;
  marks?: Marks;
};

/**
 * Renders events as linear text: no repainting, so that pipes, dumb terminals and screen readers get
 * everything.
 */
export class PlainView {
  readonly #paint: (style: Style, text: string) => string;
  #saying: 'nothing' | 'text' | 'thinking' = 'nothing';
  /** Calls whose change was shown in the prompt; it is not shown twice. */
  readonly #previewed = new Set<string>();
  /** Titles of the running calls, which may end in any order. */
  readonly #titles = new Map<string, string>();

  readonly #stream: boolean;

  readonly #columns: () => number | undefined;

  readonly #marks: Marks;

  constructor({ color, stream, columns, marks = signs }: PlainViewOptions) {
    this.#marks = marks;
    this.#stream = stream;
    this.#columns = columns ?? (() => undefined);
    this.#paint = color
      ? (style, text) => styleText(style, text, { validateStream: false })
      : (_style, text) => text;
  }

  render(event: AgentEvent): string {
    switch (event.type) {
      case 'text':
        return this.#stream ? this.#say('text', visible(event.text)) : '';
      case 'thinking':
        return this.#stream ? this.#say('thinking', this.#paint('dim', visible(event.text))) : '';
      case 'reclassify':
        if (!this.#stream) return '';
        return this.#line(
          'dim',
          event.as === 'thinking' ? '(the text above was thinking)' : '(the text above was the answer)',
        );
      case 'tool_start':
        this.#titles.set(event.call.id, event.title);
        return this.#line('cyan', this.#marks.started(visibleLine(event.title)));
      case 'tool_progress':
        return '';
      case 'subagent':
        return this.#subagent(event);
      case 'tool_end':
        return this.#result(event);
      case 'judged':
        return event.verdict === 'deny' ? this.#line('yellow', `  ${refusalLine(event)}`) : '';
      case 'question':
        return this.#question(event.request);
      case 'retry':
        return this.#line('yellow', retryLine(event));
      case 'loading':
        return event.share === 0 ? this.#line('dim', loadingLine(event)) : '';
      case 'notice':
        return this.#line(event.level === 'warn' ? 'yellow' : 'dim', event.text);
      case 'end':
        return this.#end(event);
      case 'compacted':
        return this.#line('dim', describeCompaction(event));
      case 'run_start':
      case 'turn_start':
      case 'call_start':
      case 'cache':
      case 'input_transformed':
      case 'cache_miss':
      case 'model_call':
      case 'usage':
        return '';
      case 'message':
        return this.#stream || event.message.role !== 'assistant'
          ? ''
          : this.#say('text', visible(textOf(event.message)));
      default:
        return event satisfies never;
    }
  }

  /** The facts of a run, as one line. */
  footer(parts: readonly FooterPart[]): string {
    if (parts.length === 0) return '';
    return this.#line('dim', parts.map(({ text }) => text).join(' · '));
  }

  display(display: Display): string {
    switch (display.kind) {
      case 'text':
        return indent(this.#firstLines(display.text));
      case 'command':
        return indent(this.#firstLines(display.output.trim()));
      case 'files':
        return indent(this.#firstLines(display.paths.join('\n')));
      case 'links':
        return indent(this.#firstLines(linkText(display.links)));
      case 'diff':
        return this.#patch(display.patch);
      case 'diffs':
        return `  ${sumOf(display.diffs)}\n${display.diffs.map(({ patch }) => this.#patch(patch)).join('')}`;
      case 'todos':
        if (display.items.length === 0) return indent('(no tasks)');
        return display.items.map((item) => this.#todo(item)).join('');
      default:
        return display satisfies never;
    }
  }

  #patch(patch: string): string {
    return patch
      .trimEnd()
      .split('\n')
      .flatMap((line) => {
        const told = this.#marks.patchLine(line);
        const rows = told === null ? [] : this.#rows(`  ${visibleText(told)}`);
        return rows.map((row) => `${this.#painted(styleOfLine(line), row)}\n`);
      })
      .join('');
  }

  /** Styles everything but the margin. */
  #painted(style: Style, row: string): string {
    return `  ${this.#paint(style, row.slice(2))}`;
  }

  #todo({ text, status }: Todo): string {
    const line = `${this.#marks.todo[status]} ${visible(text).replaceAll(/\s+/g, ' ')}`;
    return `  ${status === 'pending' ? line : this.#paint(status === 'done' ? 'dim' : 'bold', line)}\n`;
  }

  #say(kind: 'text' | 'thinking', text: string): string {
    const start = this.#saying === kind ? '' : this.#closeLine();
    this.#saying = kind;
    return start + text;
  }

  #line(style: Style, text: string): string {
    return `${this.#closeLine()}${this.#paint(style, visible(text))}\n`;
  }

  #closeLine(): string {
    const open = this.#saying !== 'nothing';
    this.#saying = 'nothing';
    return open ? '\n' : '';
  }

  /** A subagent's steps, one line each; its text goes to the agent that started it. */
  #subagent(told: Extract<AgentEvent, { type: 'subagent' }>): string {
    const { event, agents } = innermost(told);
    const line = subagentLine(event, this.#marks.started);
    if (line !== null) return this.#line('dim', `  ${this.#marks.subagent(agents, line)}`);
    if (event.type === 'question') return this.render(event);
    const changes = event.type === 'tool_end' && event.success && event.display?.kind.startsWith('diff');
    return changes ? this.render(event) : '';
  }

  /** Everything the user needs to decide, in reading order; the question itself is printed by the caller. */
  #question(request: PermissionRequest): string {
    const { parts = [], leadsTo = [], sandbox, agent } = request;
    const reason = reasonLine(request);
    const risky = parts.find(({ verdict }) => verdict !== 'allow');
    const facts = [
      ...(agent === undefined ? [] : [`requested by the subagent ${agent}`]),
      ...(parts.length > 1 ? parts.map((part) => this.#part(part, risky)) : []),
      ...leadsTo.map(({ written, real }) => `${written} leads to ${real}`),
      ...[reason, claimLine(request)].filter((line) => line !== ''),
      ...(sandbox ? [sandboxLine(sandbox)] : []),
    ];
    const told = facts
      .flatMap((fact) => this.#rows(`  ${exactLine(fact)}`))
      .map((row) => `${this.#painted('dim', row)}\n`)
      .join('');
    return this.#closeLine() + this.#preview(request) + told;
  }

  #preview({ callId, preview }: PermissionRequest): string {
    if (!preview) return '';
    // The request is shown to its last line: nothing may be approved unseen.
    if (preview.kind === 'text') return this.#quoted(preview.text);
    if (preview.kind === 'files') return this.#files(preview);
    this.#previewed.add(callId);
    return this.display(preview);
  }

  #files({ paths, total }: Extract<Display, { kind: 'files' }>): string {
    const more = total > paths.length ? [this.#marks.more(total - paths.length, 'file')] : [];
    const lines = [...paths.map(exactLine), ...more].map((line) => `  ${line}`);
    return lines.flatMap((line) => this.#rows(line).map((row) => `${row}\n`)).join('');
  }

  /** Every result names its call: calls may end in any order. */
  #result(event: Extract<AgentEvent, { type: 'tool_end' }>): string {
    const { callId, name, success, display } = event;
    const title = visibleLine(this.#titles.get(callId) ?? name);
    this.#titles.delete(callId);
    const shown = display && !this.#previewed.has(callId) ? this.display(display) : '';
    const line = this.#paint(success ? 'green' : 'red', this.#marks.finished({ ...event, title }));
    return `${this.#closeLine()}${shown}  ${line}\n`;
  }

  /** The part that requires approval is marked. */
  #part(part: CommandPart, risky: CommandPart | undefined): string {
    return part === risky ? `${this.#marks.risky}${part.text}   (${part.because})` : `  ${part.text}`;
  }

  /** Each line of the request follows a prefix, so that none can imitate our own lines or the question. */
  #quoted(text: string): string {
    const lines = exactText(text)
      .replaceAll(EMPTY_LINES, (lines) => `\n<${lines.length - 1} empty lines>\n`)
      .split('\n');
    return lines
      .flatMap((line) => this.#rows(`${this.#marks.quote}${line}`).map((row) => `${row}\n`))
      .join('');
  }

  #rows(text: string): string[] {
    return questionRows(text, this.#columns(), this.#marks.quote);
  }

  #firstLines(text: string): string {
    const lines = text.trimEnd().split('\n');
    const more = lines.length - OUTPUT_LINES;
    if (more <= 0) return lines.join('\n');
    return [...lines.slice(0, OUTPUT_LINES), this.#marks.more(more, 'line')].join('\n');
  }

  #end({ reason, turns, error }: Extract<AgentEvent, { type: 'end' }>): string {
    switch (reason) {
      case 'done':
        return this.#closeLine();
      case 'max_turns':
        return this.#line('yellow', `Stopped at the limit of ${turns} turns.`);
      case 'budget':
      case 'refusal':
        return this.#line('yellow', [error?.message, error?.hint].filter(Boolean).join('\n'));
      case 'max_tokens':
        return this.#line('yellow', 'The answer was cut off at the output limit.');

      case 'interrupted':
        return this.#line('yellow', 'Interrupted.');
      case 'error':
        return this.#line(
          'red',
          [error?.message ?? 'The run failed.', error?.hint].filter(Boolean).join('\n'),
        );
      default:
        return reason satisfies never;
    }
  }
}

/** A line of a prompt as terminal rows: only the first starts at the margin. */
export function questionRows(text: string, columns: number | undefined, prefix = signs.quote): string[] {
  // Too narrow for both: the terminal wraps the lines itself.
  if (columns === undefined || columns < 4 * prefix.length) return [text];
  return hangingRows(text, { prefix, columns });
}

function styleOfLine(line: string): Style {
  return line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim';
}

function sumOf(diffs: Extract<Display, { kind: 'diffs' }>['diffs']): string {
  const added = diffs.reduce((sum, diff) => sum + diff.added, 0);
  const removed = diffs.reduce((sum, diff) => sum + diff.removed, 0);
  return `${counted(diffs.length, 'file')}, +${added} -${removed}`;
}

function indent(text: string): string {
  return text === '' ? '' : `${visible(text).replaceAll(/^/gm, '  ')}\n`;
}
