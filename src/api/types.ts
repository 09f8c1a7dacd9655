import type { Report } from '../app/conversation/run-report.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { Message, UserMessage } from '../contract/message.ts';
import type { Answer, PermissionMode, PermissionRequest } from '../contract/permission.ts';
import type { Tool, UserQuestion } from '../contract/tool.ts';

/** What is allowed without asking, and who answers approval requests. */
export type AgentPermissions = {
  /** Default: the mode from the settings, or `default` if not set. */
  mode?: PermissionMode;
  /** Rules such as `Bash(npm test)` or `Edit(src/**)`, in addition to those in the settings. */
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
  /**
   * Answers approval requests, one at a time. `true` approves this call only. If it is missing or throws, the
   * call is refused. Not called for calls that are always refused.
   */
  approve?(request: PermissionRequest, signal: AbortSignal): boolean | Answer | Promise<boolean | Answer>;
};

export type AgentOptions = {
  /** The working directory. Default: that of the process. */
  cwd?: string;
  /**
   * `provider/model` or an alias. Default: chosen from settings, keys and local servers, as on the command
   * line.
   */
  model?: string;
  /**
   * Tools of the embedding program, made by `defineAgentTool` or `defineTool`. The model and rules know each
   * as `app:NAME`.
   */
  tools?: readonly Tool[];
  permissions?: AgentPermissions;
  /** Added to the system prompt, after the user's and the project's instructions. */
  instructions?: string;
  /**
   * `none` saves nothing; `resume` continues a session by its id, an id prefix, or its title. Default: `new`.
   */
  session?: 'new' | 'none' | { resume: string };
  /**
   * Answers the model's questions to the user. Without it the model is informed that no user is available.
   */
  ask?(question: UserQuestion, signal: AbortSignal): Promise<string | null>;
  /** Maximum number of model replies in one run. */
  maxTurns?: number;
  /** Maximum cost of one run, such as `$0.50` or `200k tokens`. */
  budget?: string;
  /**
   * Whether the project's own settings, servers and plugins are used. Default: if the user trusted them
   * before.
   */
  trust?: boolean;
  /** Settings as in the config file; they override all config files. */
  settings?: Readonly<Record<string, unknown>>;
  /**
   * Source of API keys and `AI_ASSISTANT_…` variables, and the environment of commands. Default: that of the
   * process.
   */
  env?: Readonly<Record<string, string | undefined>>;
  /** Closes the agent. */
  signal?: AbortSignal;
};

/** The outcome of a run. */
export type RunResult = Omit<Report, 'type' | 'result' | 'structured'> & {
  /** The model's last answer. */
  text: string;
};

/**
 * A run in progress. Leaving the loop over its events early aborts it. Unread events are buffered until the
 * run is garbage collected; they can be read once.
 */
export type AgentRun = AsyncIterable<AgentEvent> & {
  /** Resolves however the run ends and says how; rejects only on a bug. */
  readonly result: Promise<RunResult>;
  /**
   * Sends a prompt to the model with the next tool results. Resolves with true when the run takes it, and with
   * false when the run ends before that: the prompt was not sent then.
   */
  steer(prompt: string | UserMessage['content']): Promise<boolean>;
};

/** One conversation. */
export type Agent = {
  readonly sessionId: string;
  readonly provider: string;
  readonly model: string;
  /** Notices about the settings: what was ignored, and why. */
  readonly notices: readonly string[];
  /** All messages so far. */
  readonly messages: readonly Message[];
  /** Starts now, or after the runs queued before it. */
  run(prompt: string | UserMessage['content'], options?: { signal?: AbortSignal }): AgentRun;
  /** Aborts all runs, saves the session, and stops running commands and servers. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};
