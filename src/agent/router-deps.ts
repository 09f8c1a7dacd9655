import type { AgentEvent } from '../contract/event.ts';
import type { ToolCall, ToolMessage } from '../contract/message.ts';
import type {
  Access,
  HookAnswer,
  HookDecision,
  JudgedCall,
  JudgeOptions,
  Opening,
} from '../contract/permission.ts';
import type { Tool, ToolContext, ToolResult } from '../contract/tool.ts';
import type { InterruptedCalls } from './interrupted-calls.ts';
import type { PrepareDeps } from './prepare-call.ts';
import type { CallLog } from './session-log.ts';

/**
 * `opens`: paths outside the working directory that the call may access. `onlyReads`: its command is allowed
 * because it only reads.
 */
export type Decision = {
  verdict: 'allow' | 'deny';
  by: string;
  because: string;
  /** What the model sees of a denial, if not `because`. */
  toModel?: string;
  opens?: readonly Opening[];
  /** A command that was allowed because it certainly only reads. */
  onlyReads?: true;
};

export type RouterDeps = PrepareDeps & {
  /** Judges a call and asks the user where the policy says so. */
  decide(request: JudgedCall, options: JudgeOptions): Promise<Decision>;
  /** The capabilities of the tool, as far as `scope` permits. */
  context(signal: AbortSignal, reporter: CallReporter, scope: Scope): ToolContext;
  /** Called with the output of a call before any of it is emitted. */
  printed?(callId: string, accesses: readonly Access[], output: string): void;
  /** Called with every call that ran, before its answer is emitted: records where the answer comes from. */
  noteSources?(call: ReadCall): Promise<void>;
  /** Whether a command is read-only; such commands run in parallel with other reads. */
  isReadOnly(access: Access): boolean;
  /** Saves a text too long for the model to a file it can page through; null if that failed. */
  keepOutput(callId: string, text: string): Promise<string | null>;
  /** The window of the current model, in tokens; absent: a large one. */
  windowTokens?(): number;
  /** Notes about the accessed paths for the model, appended to the answer. */
  notesFor?(accesses: readonly Access[]): Promise<string[]>;
  /** Called before a call is judged. A changed input is parsed and judged like any other. */
  before?(call: ToolCall, signal: AbortSignal, about: AboutCall): Promise<Intercepted>;
  /** Called before the user is asked; may answer instead. */
  beforeQuestion?(call: ToolCall, signal: AbortSignal, about: AboutCall): Promise<HookAnswer | null>;
  /** Why a hook wants the run to end; null if none does. */
  halted?(): string | null;
  /** Called after a call ran; the returned texts are appended to the answer. */
  after?(call: ToolCall, result: ToolResult, signal: AbortSignal, about: AboutCall): Promise<string[]>;
  /**
   * Called when the last of a reply's calls has run, with what all of them accessed; the returned texts are appended
   * to its answer.
   */
  settled?(accesses: readonly Access[], signal: AbortSignal): Promise<string[]>;
  /** The subagent whose calls these are; absent for the conversation itself. */
  agent?: CallAgent;
  /** Runs an approved call; `changes` are its accesses that change something. If absent, the tool runs it. */
  perform?(work: Work, context: ToolContext, reporter: CallReporter): Promise<ToolResult>;
  /** Runs work with exclusive access: no other call, from any client, changes the same files meanwhile. */
  inTurn?<T>(changes: readonly Access[], signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** May change an answer before it is saved. */
  transformMessage?(message: ToolMessage): Promise<ToolMessage>;
  log: CallLog;
  /** Interrupted calls of earlier runs that have not ended yet. */
  interrupted?: InterruptedCalls;
};

/** A call whose answer the model is about to read. */
export type ReadCall = { tool: string; accesses: readonly Access[]; output: string };

/** A subagent: its id, and its name. */
export type CallAgent = { id: string; type: string };

/** What hooks may know about a call beside the call itself. */
export type AboutCall = { accesses: readonly Access[]; agent?: CallAgent };

/** The outcome of the hook before a call is judged; `notes` are appended to the answer. */
type Intercepted =
  | { type: 'go'; input: unknown; notes?: readonly string[]; hook?: HookDecision }
  | { type: 'block'; by: string; because: string };

export type Work = { tool: Tool; input: unknown; changes: readonly Access[] };

/** What a call would access, and what its verdict said about that; see `Decision`. */
export type Scope = { accesses: readonly Access[]; opens: readonly Opening[]; onlyReads?: true };

/** How a call reports while it runs. `emit` resolves when the event has been processed. */
export type CallReporter = {
  callId: string;
  progress(text: string): void;
  emit(event: AgentEvent): Promise<void>;
};
