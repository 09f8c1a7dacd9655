import type { Report } from '../app/conversation/run-report.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { Message, UserMessage } from '../contract/message.ts';
import type { Answer, PermissionMode, PermissionRequest } from '../contract/permission.ts';
import type { Tool, UserQuestion } from '../contract/tool.ts';

/** What may happen without asking, and who is asked. */
export type AgentPermissions = {
  /** Default: as in the settings, which is `default` where nothing is set. */
  mode?: PermissionMode;
  /** Rules such as `Bash(npm test)` or `Edit(src/**)`, on top of those in the settings. */
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
  /**
   * Answers the questions that are left, one at a time. True is a yes for this once. Without it, and where it throws,
   * what would be asked is refused. It is never asked about what is refused whatever is said.
   */
  approve?(request: PermissionRequest, signal: AbortSignal): boolean | Answer | Promise<boolean | Answer>;
};

export type AgentOptions = {
  /** The folder to work in. Default: that of the process. */
  cwd?: string;
  /** `provider/model` or an alias. Default: as the program chooses, by settings, keys and local servers. */
  model?: string;
  /** Tools of this program, made by `defineAgentTool` or `defineTool`. The model and rules know each as `app:NAME`. */
  tools?: readonly Tool[];
  permissions?: AgentPermissions;
  /** Put into the system prompt, after what the user and the project want kept in mind. */
  instructions?: string;
  /** `none` keeps nothing; `resume` goes on with one by its id, the first characters of it, or its title. Default: `new`. */
  session?: 'new' | 'none' | { resume: string };
  /** Answers questions that the model puts to the user. Without it the model hears that nobody is there. */
  ask?(question: UserQuestion, signal: AbortSignal): Promise<string | null>;
  /** Model replies in one run. */
  maxTurns?: number;
  /** What one run may cost, such as `$0.50` or `200k tokens`. */
  budget?: string;
  /** Whether the project's own settings, servers and plugins count. Default: if the user trusted them before. */
  trust?: boolean;
  /** Settings as in the config file, over all of its own. */
  settings?: Readonly<Record<string, unknown>>;
  /** Where keys and `AI_ASSISTANT_…` variables are looked for, and what commands see. Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Closes the agent. */
  signal?: AbortSignal;
};

/** What a run came to. */
export type RunResult = Omit<Report, 'type' | 'result' | 'structured'> & {
  /** The model's last answer. */
  text: string;
};

/**
 * A run under way. To leave the loop over its events early ends it. Events nobody reads are kept until the run is
 * gone; they can be read once.
 */
export type AgentRun = AsyncIterable<AgentEvent> & {
  /** However the run ends, this resolves and says how; it rejects only for a bug. */
  readonly result: Promise<RunResult>;
};

/** One conversation. */
export type Agent = {
  readonly sessionId: string;
  readonly provider: string;
  readonly model: string;
  /** What is worth knowing about the settings: what was ignored, and why. */
  readonly notices: readonly string[];
  /** Everything said so far. */
  readonly messages: readonly Message[];
  /** Begins now, or after the runs before it. */
  run(prompt: string | UserMessage['content'], options?: { signal?: AbortSignal }): AgentRun;
  /** Ends all runs, saves the session, and ends the commands and servers that are still running. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};
