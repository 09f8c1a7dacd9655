import type { Display } from '../../../contract/display.ts';
import { type AgentEvent, innermost } from '../../../contract/event.ts';
import type { Message } from '../../../contract/message.ts';
import type { LateMarkdown } from '../markdown/late.ts';
import type { HeldTerminal } from '../painter/held-terminal.ts';
import { paint } from '../painter/paint.ts';
import type { Now, Surroundings } from '../surroundings.ts';
import type { Key } from '../view/types.ts';
import type { PagerDocument, Transcript } from './document.ts';
import type { Pager, PagerNews } from './pager.ts';

const BEGIN_UPDATE = '\u001b[?2026h';
const END_UPDATE = '\u001b[?2026l';
/** Changes are kept as they were shown; the session has only what the model was told about them. */
const MOST_CHANGES = 1_000;

/** What is drawn in place of the conversation. */
export type Overlay = { draw(now: Now): void; press(key: Key): void };

type PagerScreenOptions = {
  terminal: HeldTerminal;
  surroundings: Surroundings;
  markdown: LateMarkdown;
  /** Draws this instead of the conversation; null ends it. */
  overlay(overlay: Overlay | null): void;
  /** Whether the user is asked something: the pager stays open and says so. */
  isAsked(): boolean;
};

export type PagerStart = {
  /** Default: the conversation of the session. */
  transcript?: Transcript;
  /** Starts at this call instead of the end. */
  callId?: string;
};

/** Shows a whole conversation on the alternate screen. The conversation goes on meanwhile, and is drawn afterwards. */
export class PagerScreen {
  readonly #options: PagerScreenOptions;
  readonly #changes = new Map<string, Display>();
  readonly #subagents = new Map<string, { name: string; messages: readonly Message[] }>();
  #transcript: Transcript | null = null;
  #state: 'closed' | 'opening' | 'open' = 'closed';

  constructor(options: PagerScreenOptions) {
    this.#options = options;
  }

  /** The conversation that is shown by default. */
  shows(transcript: Transcript): void {
    this.#transcript = transcript;
  }

  /** The conversation of a subagent of the current run, by the calls that started it and its parents. */
  subagent(path: readonly string[]): Transcript | null {
    const id = path.join(' ');
    const known = this.#subagents.get(id);
    return known ? { title: known.name, messages: () => this.#subagents.get(id)?.messages ?? [] } : null;
  }

  watch(event: AgentEvent): void {
    if (event.type === 'run_start') this.#subagents.clear();
    if (event.type === 'subagent') this.#watchSubagent(event);
    if (event.type !== 'tool_end' || !event.display?.kind.startsWith('diff')) return;
    this.#changes.set(event.callId, event.display);
    if (this.#changes.size <= MOST_CHANGES) return;
    const [oldest] = this.#changes.keys();
    if (oldest !== undefined) this.#changes.delete(oldest);
  }

  #watchSubagent(told: Extract<AgentEvent, { type: 'subagent' }>): void {
    const { event, agents, calls } = innermost(told);
    if (event.type !== 'message') return;
    const id = calls.join(' ');
    const known = this.#subagents.get(id) ?? { name: agents.at(-1) ?? '', messages: [] };
    this.#subagents.set(id, { ...known, messages: [...known.messages, event.message] });
  }

  async open({ transcript = this.#transcript ?? undefined, callId }: PagerStart = {}): Promise<void> {
    if (!transcript || this.#state !== 'closed') return;
    this.#state = 'opening';
    const { terminal, overlay } = this.#options;
    const { Pager } = await import('./pager.ts');
    const document = await this.#documentOf(transcript);
    // A reply to an earlier query would be drawn into the pager.
    await terminal.settle();
    if (this.#state !== 'opening') return;
    this.#state = 'open';
    terminal.enterAlternate();
    overlay(this.#overlayOf(new Pager(document, callId === undefined ? {} : { callId })));
  }

  /** Goes back to the conversation, as it was left. */
  close(): void {
    const wasOpen = this.#state === 'open';
    this.#state = 'closed';
    if (!wasOpen) return;
    this.#options.terminal.leaveAlternate();
    this.#options.overlay(null);
  }

  async #documentOf(transcript: Transcript): Promise<PagerDocument> {
    const { PagerDocument } = await import('./document.ts');
    const { wholePastCall } = await import('../../../app/conversation/past-calls.ts');
    const { surroundings, markdown } = this.#options;
    const shown = (path: string) => surroundings.now.shownPath?.(path) ?? path;
    return new PagerDocument(transcript, {
      folded: false,
      markdown: (text) => markdown.render(text),
      describe: (answered) => {
        const past = wholePastCall(answered, shown);
        const display = this.#changes.get(answered.call.id);
        return display && past.outcome === 'done' ? { ...past, display } : past;
      },
    });
  }

  #overlayOf(pager: Pager): Overlay {
    const { terminal, surroundings } = this.#options;
    let drawn: string[] = [];
    let size = '';
    const overlay: Overlay = {
      draw: (now) => {
        const isResized = size !== `${now.columns}x${now.rows}`;
        size = `${now.columns}x${now.rows}`;
        const before = isResized ? [] : drawn;
        drawn = pager.lines(now, this.#news()).map(paint);
        const rows = drawn.map((row, i) => (row === before[i] ? '' : `\u001b[${i + 1};1H${row}\u001b[K`));
        const text = (isResized ? '\u001b[2J' : '') + rows.join('');
        if (text !== '') terminal.write(`${BEGIN_UPDATE}${text}${END_UPDATE}`);
      },
      press: (key) => {
        if (pager.press(key)) overlay.draw(surroundings.now);
        else this.close();
      },
    };
    return overlay;
  }

  #news(): PagerNews {
    return this.#options.isAsked() ? { text: 'Waiting for your answer. Press q to go back' } : null;
  }
}
