import type { TypedPrompt } from '../../../app/conversation/prompt-queue.ts';
import type { FooterPart } from '../../../app/run-facts/footer.ts';
import type { statusParts } from '../../../config/schema/schema.ts';
import type { Display, Exploration, Summary } from '../../../contract/display.ts';
import type { AgentEvent } from '../../../contract/event.ts';
import type { PermissionMode } from '../../../contract/permission.ts';
import type { StartFacts } from '../early/start-rows.ts';
import type { Subagent } from './subagents.ts';

/**
 * The style of a text. Colors are from the theme, in the terminal's color depth: `#rrggbb`, an index, or a
 * name.
 */
export type Style = {
  color?: string;
  background?: string;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  strikethrough?: boolean;
  inverse?: boolean;
  /** The URL of a link (OSC 8). */
  href?: string;
};

/**
 * Text without control characters; untrusted text is sanitized before. The terminal's cursor is placed on a
 * `caret`.
 */
export type Span = { text: string; style?: Style; caret?: true };

/** One screen row, never wider than the width it was made for. */
export type Line = readonly Span[];

/**
 * A message that is still arriving. Every finished line is returned once; `tail` is what may still change.
 */
export type MarkdownStream = {
  push(text: string): Line[];
  tail(): Line[];
  /** Returns the rest. Nothing may be pushed afterwards. */
  end(): Line[];
  /** Applies to lines that were not returned yet. */
  resize(width: number): void;
};

/** One parsed key press. */
export type Key =
  /**
   * `name` is lower case: a letter or sign, or `return`, `escape`, `tab`, `backspace`, `delete`, `space`,
   * `up`, `down`, `left`, `right`, `home`, `end`, `pageup`, `pagedown`, `insert`, `f1`… `text` is what the
   * key types; empty for none.
   */
  | {
      type: 'key';
      name: string;
      text: string;
      ctrl: boolean;
      alt: boolean;
      shift: boolean;
      /** Held down; absent in terminals that do not report it. */
      repeated?: true;
    }
  /** Let go, in terminals that were told to report it. */
  | { type: 'release'; name: string }
  | { type: 'paste'; text: string }
  | { type: 'focus'; focused: boolean }
  /** The terminal's reply to a query: a complete sequence, including its escape character. */
  | { type: 'reply'; text: string };

export type Todo = Extract<Display, { kind: 'todos' }>['items'][number];

/** The task list of a session. */
export type Todos = { session: string; items: readonly Todo[] };

/** What differs between two lists besides their order and what is in progress. */
export type TodoChanges = { done: readonly string[]; added: readonly string[]; removed: readonly string[] };

/** A finished item of the transcript. */
export type Item =
  | { type: 'start'; facts: StartFacts }
  | { type: 'prompt'; text: string }
  /** A part of the answer; `first` marks the start of a message. */
  | { type: 'answer'; lines: readonly Line[]; first: boolean }
  | { type: 'thought'; text: string; durationMs: number; folded: boolean }
  | {
      type: 'call';
      title: string;
      outcome: 'done' | 'failed' | 'interrupted' | 'refused';
      /** Why it was refused or failed. */
      because?: string;
      durationMs: number;
      summary?: Summary;
      explores?: Exploration;
      display?: Display;
      folded: boolean;
    }
  /** Consecutive read-only calls, and the thoughts between them. */
  | { type: 'explored'; steps: readonly ExploredStep[]; folded: boolean }
  | { type: 'notice'; level: 'info' | 'warn' | 'error'; text: string }
  /** Output of a command. */
  | { type: 'printed'; text: string }
  /** The same, drawn for the width of the screen. */
  | { type: 'drawn'; draw(columns: number): readonly Line[] }
  /** The facts of a run, at its end. */
  | { type: 'footer'; parts: readonly FooterPart[] }
  /** What changed in the task list. */
  | ({ type: 'todos' } & TodoChanges);

export type ExploredCall = Extract<Item, { type: 'call' }> & { explores: Exploration };

type ExploredStep = ExploredCall | Extract<Item, { type: 'thought' }>;

/**
 * A running call. `output` is the end of its output; `ended` is set while a failed one waits for its error
 * text.
 */
export type LiveCall = {
  callId: string;
  title: string;
  startedAt: number;
  explores?: Exploration;
  output: string;
  ended?: { durationMs: number; summary?: Summary; display?: Display };
};

/** The message being streamed. For an answer only the lines that may still change. */
type LiveMessage =
  | { type: 'answer'; tail: readonly Line[]; begun: boolean }
  | { type: 'thought'; text: string; startedAt: number };

export type LiveRun = {
  startedAt: number;
  /** Without a full stop: `thinking`, `writing Edit`, `running 2 calls`. */
  doing: string;
  /** As counted by the vendor; an estimate while the reply arrives. */
  outputTokens: number;
  countedTokens: number;
  /** The failed request that is sent again at `until`. */
  retry: { event: Extract<AgentEvent, { type: 'retry' }>; until: number } | null;
};

export type StatusPart = (typeof statusParts)[number];

export type Status = {
  model: string;
  mode: PermissionMode;
  /** Whether commands run in a sandbox, as they usually do. */
  sandboxed: boolean;
  /** Tokens of the last request and the context window; null before the first. */
  context: { tokens: number; window: number } | null;
  /** Null when a price is unknown. */
  costUsd: number | null;
  /** The share of the input that came from the vendor's cache, 0 to 1; null before the first reply. */
  cacheHit: number | null;
  branch: string | null;
  shells: number;
  /** Of the current or last run, in milliseconds. */
  elapsedMs: number | null;
  /** The rows of the user's own status line, with color sequences. */
  custom?: readonly string[];
};

/** `isOthers`: another participant sent it, and only they can take it back. */
type QueuedPrompt = TypedPrompt & { isOthers?: boolean };

/** What the user dictates: the latest levels, 0 to 1; `destination` is where the audio goes, once that is known. */
export type VoiceState =
  | { type: 'recording'; levels: readonly number[]; ms: number; isHeld: boolean; destination: string | null }
  | { type: 'transcribing'; destination: string };

/** The whole screen except the text of the prompt. */
export type View = {
  /** The first rows, until all they say is known. */
  start: StartFacts | null;
  /** The first rows are the last that were finished. */
  isAfterStart: boolean;
  /** Items not drawn yet; only grows at its end. */
  finished: readonly Item[];
  message: LiveMessage | null;
  calls: readonly LiveCall[];
  /** Read-only calls since the last finished item: one growing row. Starts with a call. */
  explored: readonly ExploredStep[];
  /** Those at work, and those that have finished before the call that started them all. */
  subagents: readonly Subagent[];
  todos: Todos;
  /** Calls that have not started: their approval requests and refusals. */
  asked: Readonly<Record<string, { title: string; because?: string }>>;
  run: LiveRun | null;
  /** Whether the last run failed and can be sent again. */
  failed: boolean;
  /** Typed while something ran; oldest first. */
  queue: readonly QueuedPrompt[];
  status: Status;
  /** One line under the prompt that the next key removes, such as `Press Ctrl+C again to quit`. */
  hint: string | null;
  /** In the place of the status line. */
  voice: VoiceState | null;
};

/** Screen updates besides the events of a run. `at` is a time in milliseconds. */
export type UiEvent =
  /** Batched deltas as rendered lines. `done` also ends the message: a single update. */
  | { type: 'answer'; lines: readonly Line[]; tail: readonly Line[]; characters: number; done: boolean }
  /** `text` is appended. */
  | { type: 'thought'; text: string; done: boolean }
  /** The current text was of another kind: it is sent again. */
  | { type: 'unsaid' }
  /** What has become known about the start. */
  | { type: 'start'; facts: Partial<StartFacts> }
  | { type: 'prompted'; text: string }
  /** The user sends again what failed. */
  | { type: 'retried' }
  | { type: 'printed'; text: string }
  | { type: 'drawn'; draw(columns: number): readonly Line[] }
  /** The end of a resumed conversation. */
  | { type: 'restored'; items: readonly Item[] }
  | { type: 'footer'; parts: readonly FooterPart[] }
  /** The screen is left while the run goes on elsewhere. */
  | { type: 'left' }
  | { type: 'queue'; prompts: readonly QueuedPrompt[] }
  | { type: 'hint'; text: string | null }
  | { type: 'voice'; state: VoiceState | null }
  | { type: 'status'; status: Partial<Status> };

/** Text arrives as a `UiEvent`: split into lines. */
export type ViewEvent = Exclude<AgentEvent, { type: 'text' | 'thinking' }> | UiEvent;

/** Actions of the prompt's keys for the screen. */
export type ScreenAction =
  | 'interrupt'
  | 'cancel'
  | 'quit'
  | 'suspend'
  | 'cycle-mode'
  | 'rewind'
  | 'transcript'
  | 'recall-queued'
  | 'help-keys'
  | 'voice'
  | 'redraw';
