import type { AgentDefinition } from '../config/agents.ts';
import type { ProjectContent } from '../config/project-content.ts';
import type { Config } from '../config/schema/schema.ts';
import type { ProviderError } from '../contract/errors.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { Approver } from '../contract/permission.ts';
import type { Provider } from '../contract/provider.ts';
import type { Quota } from '../contract/quota.ts';
import type { Tool, ToolContext } from '../contract/tool.ts';
import type { EventChannel } from '../lib/async/event-channel.ts';
import type { Watcher } from '../observability/watcher.ts';
import type { WebOptions } from '../sandbox/web/web.ts';
import type { OpenSession } from '../session/store.ts';
import type { BringServers } from './extensions/server-tools.ts';
import type { ConnectedModel } from './models/background-model.ts';
import type { Choice } from './models/choose-model.ts';

/** What the program that embeds the assistant brings along. */
export type HostAdditions = { host?: { tools: readonly Tool[]; instructions?: string } };

/** What one session is assembled from. */
export type Parts = HostAdditions & {
  config: Config;
  env: NodeJS.ProcessEnv;
  cwd: string;
  dataRoot: string;
  trusted: boolean;
  choice: Choice;
  provider: Provider;
  /** Another model by its name: for background work, as a stand-in, for some prompts. */
  openModel?(name: string): Promise<ConnectedModel>;
  /** The name of a model of another vendor that could be asked after this failure; null when there is none. */
  otherModel?(error: ProviderError): Promise<string | null>;
  /** Counts for several machines what quotas limit; without it, the processes of this one share their counts. */
  quota?: Quota;
  /** Environment variables that hold keys: commands the model runs do not see them. */
  keyVariables: readonly string[];
  opened: OpenSession;
  /** The user's proxy, or else the user's certificates: how pages are fetched. */
  web?: Pick<WebOptions, 'fetch' | 'certificates'>;
  /** Absent where no MCP server is set up. Servers outlive the session. */
  servers?: BringServers;
  /** Subagents that people have described in files. */
  agents?: readonly AgentDefinition[];
  /** The project's files that bring commands and skills, as the user trusted them. */
  projectFiles?: readonly ProjectContent[];
  watch?: Watcher;
  /** Events emitted before anybody listens wait here. */
  events?: EventChannel<AgentEvent>;
  /** Both absent in headless sessions. */
  approver?: Approver;
  ask?: ToolContext['ask'];
};
