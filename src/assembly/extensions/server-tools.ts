import type { McpServers } from '../../contract/command.ts';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import { type Hub, splitName } from '../../mcp/hub.ts';
import { createServerActions, type LoginPlace } from '../../mcp/server-actions.ts';
import { createSessionTools, type SessionTools } from '../../mcp/tools/session-tools.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';
import { toDefinition } from '../../tools/registry.ts';

/** Above this share of the window only the names of MCP tools are sent. */
const SHARE = 0.1;
/** And above this number: OpenAI takes 128 functions in a request, some of which are the program's own. */
const MOST_TOOLS = 96;
/**
 * How long the first run waits for starting servers that it is likely to call, so that its requests can list
 * their tools; longer if no user is watching. A call that needs any other server waits for it then.
 */
const PATIENCE_MS = { watched: 3_000, alone: 15_000 };
/** How long to wait for all servers before showing a notice. */
const QUICK_MS = 1_000;

type ServerTools = SessionTools & {
  desk: McpServers;
  /** All tool definitions for a new prefix. */
  behind(builtin: readonly ToolDefinition[]): readonly ToolDefinition[];
  /**
   * Resolves when the servers are ready, or the wait is over for this prompt.
   */
  ready(prompt: string): Promise<void>;
  close(): void;
};

/** What a session provides to the servers. */
type SessionDeps = {
  /** Redacts what is sent to a server. */
  outgoing<T>(value: T): T;
  isWatched: boolean;
  /** Whether a rule allows this server's tools. */
  isAllowed(server: string): boolean;
  /** The model's window in tokens. */
  window(): number;
  notice(text: string): void;
  /** The model is about to read how a server that others run describes its tools. */
  describes(server: string): Promise<void>;
};

/** A function, so that startup without servers loads none of their modules. */
export type CreateServerTools = (deps: SessionDeps) => ServerTools;

/** Connects the process's servers to one session. */
export function serverToolsFor(hub: Hub, place: LoginPlace): CreateServerTools {
  return (deps) => createServerTools(hub, place, deps);
}

function createServerTools(hub: Hub, place: LoginPlace, deps: SessionDeps): ServerTools {
  const tokens = (tools: readonly ToolDefinition[]) =>
    estimateTokens({ model: '', system: '', messages: [], tools: [...tools] });
  const session = createSessionTools(hub, {
    outgoing: deps.outgoing,
    isWatched: deps.isWatched,
    define: toDefinition,
    fits: (definitions) => definitions.length <= MOST_TOOLS && tokens(definitions) <= SHARE * deps.window(),
  });
  const stop = hub.onNotice(deps.notice);
  let settling: Promise<void> | undefined;
  return {
    ...session,
    behind: (builtin) => [...builtin, ...session.definitions()],
    desk: createServerActions(hub, { ...place, outgoing: deps.outgoing }),
    async ready(prompt) {
      settling ??= waitForServers(hub, deps, prompt).then(async () => {
        for (const server of remoteIn(session.definitions(), hub)) await deps.describes(server);
      });
      await settling;
    },
    close: () => void stop(),
  };
}

/** The servers of these tools that run elsewhere. A program on this machine can do more than give orders to a model. */
function remoteIn(definitions: readonly ToolDefinition[], { connections }: Hub): string[] {
  const remote = connections.filter(({ settings }) => settings.url !== undefined).map(({ name }) => name);
  return remote.filter((server) => definitions.some(({ name }) => splitName(name)?.server === server));
}

async function waitForServers(hub: Hub, deps: SessionDeps, prompt: string): Promise<void> {
  const { isWatched, isAllowed, notice } = deps;
  await hub.settled(QUICK_MS);
  const needed = hub.starting().filter((name) => isAllowed(name) || prompt.includes(name));
  if (needed.length > 0) {
    const ms = isWatched ? PATIENCE_MS.watched : PATIENCE_MS.alone;
    notice(`Waiting for ${serversNamed(needed)} to start (up to ${ms / 1_000}s).`);
    await hub.settled(ms, { names: needed });
  }
  const late = hub.starting();
  if (late.length > 0)
    notice(
      `Continuing while ${serversNamed(late)} start${late.length === 1 ? 's' : ''}; calls that need it will wait.`,
    );
}

function serversNamed(names: readonly string[]): string {
  return `MCP server${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
}
