import { styleText } from 'node:util';
import type { Display } from '../contract/display.ts';
import type { AgentEvent } from '../contract/event.ts';
import { textOf } from '../contract/message.ts';
import type { PermissionRequest } from '../contract/permission.ts';

const OUTPUT_LINES = 12;

type Style = Parameters<typeof styleText>[0];

/** One event as linear text: no repaint, so that pipes, dumb terminals and screen readers get all of it. */
export class PlainView {
  readonly #paint: (style: Style, text: string) => string;
  #saying: 'nothing' | 'text' | 'thinking' = 'nothing';
  /** Calls whose change was shown with the question; it is not shown twice. */
  readonly #previewed = new Set<string>();

  readonly #stream: boolean;

  constructor({ color, stream }: { color: boolean; stream: boolean }) {
    this.#stream = stream;
    this.#paint = color
      ? (style, text) => styleText(style, text, { validateStream: false })
      : (_style, text) => text;
  }

  render(event: AgentEvent): string {
    switch (event.type) {
      case 'text':
        return this.#stream ? this.#say('text', event.text) : '';
      case 'thinking':
        return this.#stream ? this.#say('thinking', this.#paint('dim', event.text)) : '';
      case 'reclassify':
        if (!this.#stream) return '';
        return this.#line('dim', event.as === 'thinking' ? '(that was thinking)' : '(that was the answer)');
      case 'tool_start':
        return this.#line('cyan', `→ ${event.title}`);
      case 'tool_progress':
        return '';
      case 'tool_end':
        return this.#result(event);
      case 'judged':
        return event.verdict === 'deny' ? this.#line('yellow', `  refused: ${event.because}`) : '';
      case 'question':
        return this.#closeLine() + this.#preview(event.request);
      case 'retry':
        return this.#line(
          'yellow',
          `${event.message} Trying again in ${(event.delayMs / 1000).toFixed(1)} s.`,
        );
      case 'notice':
        return this.#line(event.level === 'warn' ? 'yellow' : 'dim', event.text);
      case 'end':
        return this.#end(event);
      case 'run_start':
      case 'turn_start':
      case 'call_start':
      case 'usage':
        return '';
      case 'message':
        return this.#stream || event.message.role !== 'assistant'
          ? ''
          : this.#say('text', textOf(event.message));
      default:
        return event satisfies never;
    }
  }

  display(display: Display): string {
    switch (display.kind) {
      case 'text':
        return indent(firstLines(display.text));
      case 'command':
        return indent(firstLines(display.output.trim()));
      case 'files':
        return indent(firstLines(display.paths.join('\n')));
      case 'diff':
        return `${display.patch
          .trimEnd()
          .split('\n')
          .map(
            (line) =>
              `  ${this.#paint(line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim', line)}`,
          )
          .join('\n')}\n`;
      default:
        return display satisfies never;
    }
  }

  #say(kind: 'text' | 'thinking', text: string): string {
    const start = this.#saying === kind ? '' : this.#closeLine();
    this.#saying = kind;
    return start + text;
  }

  #line(style: Style, text: string): string {
    return `${this.#closeLine()}${this.#paint(style, text)}\n`;
  }

  #closeLine(): string {
    const open = this.#saying !== 'nothing';
    this.#saying = 'nothing';
    return open ? '\n' : '';
  }

  #preview({ callId, preview }: PermissionRequest): string {
    if (!preview) return '';
    this.#previewed.add(callId);
    return this.display(preview);
  }

  #result({ callId, success, display, durationMs }: Extract<AgentEvent, { type: 'tool_end' }>): string {
    const shown = display && !this.#previewed.has(callId) ? this.display(display) : '';
    const mark = success ? this.#paint('green', '✓') : this.#paint('red', '✗');
    return `${this.#closeLine()}${shown}  ${mark} ${this.#paint('dim', `${durationMs} ms`)}\n`;
  }

  #end({ reason, turns, error }: Extract<AgentEvent, { type: 'end' }>): string {
    switch (reason) {
      case 'done':
        return this.#closeLine();
      case 'max_turns':
        return this.#line('yellow', `Stopped after ${turns} turns, the limit.`);
      case 'max_tokens':
        return this.#line('yellow', 'The answer was cut off at the output limit.');
      case 'refusal':
        return this.#line('yellow', 'The model declined to answer.');
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

function firstLines(text: string): string {
  const lines = text.trimEnd().split('\n');
  if (lines.length <= OUTPUT_LINES) return lines.join('\n');
  return [...lines.slice(0, OUTPUT_LINES), `… ${lines.length - OUTPUT_LINES} more lines`].join('\n');
}

function indent(text: string): string {
  return text === '' ? '' : `${text.replaceAll(/^/gm, '  ')}\n`;
}
