import type { Controller } from '../agent/controller.ts';
import type { AgentDefinition } from '../config/agents.ts';
import type { Config } from '../config/schema/schema.ts';
import type { ProjectContent } from '../config/trust.ts';
import type {
  ContextWindow,
  Extensions,
  McpServers,
  Memory,
  ModeSwitch,
  PromptCacheUse,
  Repository,
  Spending,
  Standing,
} from '../contract/command.ts';
import type { ProviderError } from '../contract/errors.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { ToolCall } from '../contract/message.ts';
import type { Approver } from '../contract/permission.ts';
import type { Provider, ToolDefinition } from '../contract/provider.ts';
import type { Quota } from '../contract/quota.ts';
import type { SandboxState } from '../contract/sandbox.ts';
import type { ToolContext } from '../contract/tool.ts';
import type { EventChannel } from '../lib/async/event-channel.ts';
import type { Watcher } from '../observability/watcher.ts';
import type { WebOptions } from '../sandbox/web/web.ts';
import type { OpenSession } from '../session/store.ts';
import type { UndoStore } from '../session/undo/undo-store.ts';
import type { HostAdditions, UserCall } from './extensions/extensions.ts';
import type { BringServers } from './extensions/server-tools.ts';
import type { ReachedModel } from './models/background-model.ts';
import type { Choice } from './models/choose-model.ts';
import type { Privacy } from './safety/privacy.ts';

/** What one session is assembled from. */
export type Parts = HostAdditions & {
  config: Config;
  env: NodeJS.ProcessEnv;
  cwd: string;
  dataRoot: string;
  trusted: boolean;
  choice: Choice;
  provider: Provider;
  /** Another model by its name: for side jobs, as a stand-in, for some prompts. */
  openModel?(name: string): Promise<ReachedModel>;
  /** The name of a model of another vendor that could be asked after this failure; null when there is none. */
  otherModel?(error: ProviderError): Promise<string | null>;
  /** Counts for several machines what quotas limit; without it, the processes of this one share their counts. */
  quota?: Quota;
  /** Environment variables that hold keys: commands the model runs do not see them. */
  keyVariables: readonly string[];
  opened: OpenSession;
  /** The user's proxy, or else the user's certificates: how pages are fetched. */
  web?: Pick<WebOptions, 'fetch' | 'certificates'>;
  /** Absent where no MCP server is set up. Servers outlive the session: whoever started them ends them. */
  servers?: BringServers;
  /** Subagents that people have described in files. */
  agents?: readonly AgentDefinition[];
  /** The project's files that bring commands and skills, as the user trusted them. */
  projectFiles?: readonly ProjectContent[];
  /** `import()` of a plugin, for programs whose own code has none. */
  importFile?(url: string): Promise<unknown>;
  watch?: Watcher;
  /** What parts say before there is anybody to hear it waits here; absent, only this session's parts speak. */
  events?: EventChannel<AgentEvent>;
  /** Both absent when nobody is there to be asked. */
  approver?: Approver;
  ask?: ToolContext['ask'];
};

/** One session, put together. */
export type Assistant = {
  controller: Controller;
  /** Placeholders for secrets, in what leaves this machine and in what others may see. */
  privacy: Pick<Privacy, 'hide' | 'outgoing'>;
  undo: UndoStore;
  mode: ModeSwitch;
  permissions: Standing;
  window: ContextWindow;
  spending: Spending;
  cache(): PromptCacheUse;
  /** Absent when it is switched off. */
  memory?: Memory;
  repository: Repository;
  /** Absent where no server is set up. */
  mcp?: McpServers;
  extensions: Extensions;
  /** A call on the user's word. */
  call(name: string, input: unknown): Promise<UserCall>;
  /** The tools, for whoever is not the model: judged and answered like its calls. */
  toolbox: {
    definitions(): readonly ToolDefinition[];
    run(call: ToolCall, signal: AbortSignal): AsyncGenerator<AgentEvent>;
  };
  /** Notes what this session taught, as far as the time allows. */
  noteAtEnd(signal: AbortSignal): Promise<void>;
  /** What commands run in; a fallback is told as a notice when it is first found. */
  sandbox(): Promise<SandboxState>;
  /** How many commands run on in the background. */
  shells(): number;
  /** What is good to know at the start, and no trouble. */
  hints: readonly string[];
  /** Ends the run, saves the session, and ends what commands left running. */
  close(): Promise<void>;
};
