import type { AgentDefinition } from '../config/agents.ts';
import type { ProjectContent } from '../config/project-content.ts';
import type { Config } from '../config/schema/schema.ts';
import type { Surroundings } from '../context/prompt/system-prompt.ts';
import type { EditorBuffers } from '../contract/editor-buffers.ts';
import type { ProviderError } from '../contract/errors.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { Access, Approver } from '../contract/permission.ts';
import type { Provider } from '../contract/provider.ts';
import type { Quota } from '../contract/quota.ts';
import type { EffortChoice } from '../contract/request/effort.ts';
import type { SharedBudget } from '../contract/shared-budget.ts';
import type { ReviewPlan, Tool, ToolContext, ToolResult } from '../contract/tool.ts';
import type { SearchBackend } from '../contract/web-search.ts';
import type { SecretSource } from '../firewall/firewall.ts';
import type { EventChannel } from '../lib/async/event-channel.ts';
import type { Watcher } from '../observability/watcher.ts';
import type { WebOptions } from '../sandbox/web/web.ts';
import type { OpenSession } from '../session/store.ts';
import type { PluginBundle } from './extensions/plugin-bundles.ts';
import type { CreateServerTools } from './extensions/server-tools.ts';
import type { ConnectedModel } from './models/background-model.ts';
import type { Choice } from './models/choose-model.ts';

/** Additions by the program that embeds the assistant. */
export type HostAdditions = { host?: { tools: readonly Tool[]; instructions?: string } };

/** What the web is searched with; if with nothing, why not and what to do. */
export type FoundSearch = { backend: SearchBackend } | { backend: null; because: string };

/** How the calls of a replay end without running. */
export type InsteadOfTool = {
  /** Whether nobody was there to answer a question about this call. */
  isUnattended(callId: string): boolean;
  /** Why a call that is allowed is refused nevertheless; null if it may run. */
  refusal(callId: string): string | null;
  /** The result of an approved call; null to run it. `changes` are its accesses that change something. */
  result(call: {
    id: string;
    tool: Tool;
    input: unknown;
    changes: readonly Access[];
  }): Promise<ToolResult | null>;
};

/** The inputs for assembling a session. */
export type Parts = HostAdditions & {
  config: Config;
  env: NodeJS.ProcessEnv;
  cwd: string;
  dataRoot: string;
  trusted: boolean;
  /** Trusts the folder from now on; absent where the user cannot do so, or it would apply settings of the folder. */
  trust?(): Promise<void>;
  choice: Choice;
  provider: Provider;
  /** Chosen by the user; without it, the session keeps the effort it had, or has that of the settings. */
  effort?: EffortChoice;
  /** Another model by name: for background work, as a fallback, for some prompts. */
  openModel?(name: string): Promise<ConnectedModel>;
  /** A model of another vendor to offer after this failure; null if there is none. */
  otherModel?(error: ProviderError): Promise<string | null>;
  /** Counts quotas across several machines; without it, only the processes of this machine share counts. */
  quota?: Quota;
  /** The budget of the batch that the session belongs to. */
  shared?: SharedBudget;
  /** Environment variables that hold keys. */
  keyVariables: readonly string[];
  /** Environment variables that commands do not get: those, and credentials that only a batch itself needs. */
  hiddenVariables: readonly string[];
  /** Credentials that a cloud's own library found so far. */
  credentials?: SecretSource;
  opened: OpenSession;
  /** The only built-in tools; absent for all of them. */
  tools?: readonly string[];
  /** What the user changes in the system prompt; it does not apply to subagents. */
  prompt?: Pick<Surroundings, 'replace' | 'append'>;
  /** Through the user's proxy and certificates; without it, the global one. */
  fetch?: typeof fetch;
  /** How pages are fetched: with the user's proxy, or else the user's certificates. */
  web?: Pick<WebOptions, 'fetch' | 'certificates'>;
  /** Absent: the web is not searched. */
  webSearch?: FoundSearch;
  /** Absent if no MCP server is configured. Servers outlive the session. */
  servers?: CreateServerTools;
  /** Subagents defined in files. */
  agents?: readonly AgentDefinition[];
  /** The user's files with commands and skills. */
  userFiles?: readonly ProjectContent[];
  /** The plugins that the user installed and trusted. */
  bundles?: readonly PluginBundle[];
  /** The same of the project, which the user trusted. */
  projectFiles?: readonly ProjectContent[];
  /** The open files of the editor that the session runs in. */
  buffers?: EditorBuffers;
  watch?: Watcher;
  /** For replays. */
  instead?: InsteadOfTool;
  /** Buffers events emitted before there is a listener. */
  events?: EventChannel<AgentEvent>;
  /** All absent in headless sessions. */
  approver?: Approver;
  ask?: ToolContext['ask'];
  reviewPlan?: ReviewPlan;
};
