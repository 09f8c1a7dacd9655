import type { statusParts } from '../../../config/schema/schema.ts';
import type { Display } from '../../../contract/display.ts';
import type { AgentEvent } from '../../../contract/event.ts';
import type { ImagePart } from '../../../contract/message.ts';
import type { PermissionMode } from '../../../contract/permission.ts';

/** How a piece of text looks. Colours are those of the theme, in the depth the terminal has: `#rrggbb`, an index, or a name. */
export type Style = {
  color?: string;
  background?: string;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  strikethrough?: boolean;
  inverse?: boolean;
  /** The address of a link (OSC 8). */
  href?: string;
};

/** Text without control characters; what is untrusted was made visible before. The terminal's cursor stands on a `caret`. */
export type Span = { text: string; style?: Style; caret?: true };

/** One row of the screen, never wider than the width it was made for. */
export type Line = readonly Span[];

/** A message that is still arriving. Every finished line is given once; `tail` is what may still change. */
export type MarkdownStream = {
  push(text: string): Line[];
  tail(): Line[];
  /** The rest. Nothing may be pushed after it. */
  end(): Line[];
  /** Counts for what was not given yet. */
  resize(width: number): void;
};

/** One press, as the parser of the terminal's bytes reads it. */
export type Key =
  /**
   * `name` is lower case: a letter or sign, or `return`, `escape`, `tab`, `backspace`, `delete`, `space`, `up`, `down`,
   * `left`, `right`, `home`, `end`, `pageup`, `pagedown`, `insert`, `f1`… `text` is what the key writes; empty for none.
   */
  | { type: 'key'; name: string; text: string; ctrl: boolean; alt: boolean; shift: boolean }
  | { type: 'paste'; text: string }
  | { type: 'focus'; focused: boolean }
  /** What the terminal answered to a question of ours: a whole sequence, its escape character included. */
  | { type: 'reply'; text: string };

/** What stands in the transcript for good. */
export type Item =
  | { type: 'prompt'; text: string }
  /** A part of the answer; `first` is set where a message begins. */
  | { type: 'answer'; lines: readonly Line[]; first: boolean }
  | { type: 'thought'; text: string; durationMs: number; folded: boolean }
  | {
      type: 'call';
      title: string;
      outcome: 'done' | 'failed' | 'refused';
      /** Why it was refused or failed. */
      because?: string;
      durationMs: number;
      display?: Display;
      folded: boolean;
    }
  | { type: 'notice'; level: 'info' | 'warn' | 'error'; text: string }
  /** What a command printed. */
  | { type: 'printed'; text: string };

/** A call under way. `output` is the last it has told of itself; `ended` is set while a failed one waits for its words. */
export type LiveCall = {
  callId: string;
  title: string;
  startedAt: number;
  output: string;
  ended?: { durationMs: number; display?: Display };
};

/** What is being said just now. Of an answer only the lines that may still change. */
type LiveMessage =
  | { type: 'answer'; tail: readonly Line[]; begun: boolean }
  | { type: 'thought'; text: string; startedAt: number };

export type LiveRun = {
  startedAt: number;
  /** Ends in no full stop: `thinking`, `writing Edit`, `running 2 calls`. */
  doing: string;
  /** As the vendor counted them; of a reply that is still arriving, an estimate. */
  outputTokens: number;
  countedTokens: number;
  retry: string | null;
};

export type StatusPart = (typeof statusParts)[number];

export type Status = {
  model: string;
  mode: PermissionMode;
  sandbox: string;
  /** Tokens of the last request beside the window; null before the first. */
  context: { tokens: number; window: number } | null;
  /** Null when a price is unknown. */
  costUsd: number | null;
  /** The share of the input that came from the vendor's cache, 0 to 1; null before the first reply. */
  cacheHit: number | null;
  branch: string | null;
  shells: number;
  /** Of the run under way or the last one, in milliseconds. */
  elapsedMs: number | null;
};

/** The whole screen but the prompt's own text. */
export type View = {
  /** What nobody has drawn yet; it only grows at its end. */
  finished: readonly Item[];
  message: LiveMessage | null;
  calls: readonly LiveCall[];
  /** What is known of calls that have not begun: what was asked about, and what was refused. */
  asked: Readonly<Record<string, { title: string; because?: string }>>;
  run: LiveRun | null;
  /** Typed while something ran; the oldest first. */
  queue: readonly Submitted[];
  status: Status;
  /** One line under the prompt that the next key takes away, such as `Press Ctrl+C again to quit`. */
  hint: string | null;
  /** The last item of which not all was shown. */
  lastFolded: Item | null;
};

/** What a user sends. A line that begins with `/` or `!` is told apart by whoever takes it. */
export type Submitted = { text: string; images: readonly ImagePart[] };

/** What changes the screen beside the events of a run. `at` is a time in milliseconds. */
export type UiEvent =
  /** Deltas that were put together, and what became of them. `done` also ends the message: one update. */
  | { type: 'answer'; lines: readonly Line[]; tail: readonly Line[]; characters: number; done: boolean }
  /** `text` goes on from what was there. */
  | { type: 'thought'; text: string; done: boolean }
  /** What is being said was something else: it is said anew. */
  | { type: 'unsaid' }
  | { type: 'prompted'; text: string }
  | { type: 'printed'; text: string }
  | { type: 'queued'; prompt: Submitted }
  /** The oldest is taken to be sent, or the newest to be changed. */
  | { type: 'dequeued'; end: 'oldest' | 'newest' }
  | { type: 'hint'; text: string | null }
  | { type: 'status'; status: Partial<Status> }
  /** Shows the last folded item whole, once more. */
  | { type: 'unfold' };

/** Text arrives by `UiEvent`: put together, and as lines. */
export type ViewEvent = Exclude<AgentEvent, { type: 'text' | 'thinking' }> | UiEvent;

/** What the prompt's keys ask of the screen. */
export type ScreenAction =
  | 'interrupt'
  | 'cancel'
  | 'quit'
  | 'suspend'
  | 'cycle-mode'
  | 'rewind'
  | 'unfold'
  | 'recall-queued'
  | 'help-keys'
  | 'redraw';
