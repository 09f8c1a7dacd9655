import type { RouterDeps } from '../../agent/router-deps.ts';
import type { CodeIntelligence } from '../../contract/code-intelligence.ts';
import { UserError } from '../../contract/errors.ts';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import type { Session } from '../../contract/session.ts';
import type { Tool } from '../../contract/tool.ts';
import { didYouMean } from '../../lib/text/nearest.ts';
import { isToolName } from '../../permissions/pattern/rule-problem.ts';
import { namesServer, ruleTools } from '../../permissions/pattern/tool-names.ts';
import { builtinTools } from '../../tools/index.ts';
import { presentPlan } from '../../tools/present-plan.ts';
import { createRegistry } from '../../tools/registry.ts';
import type { SearchWeb } from '../../tools/web-search.ts';
import type { SessionMemory } from '../memory/memory.ts';
import type { Parts } from '../parts.ts';
import type { Safety } from '../safety/build-safety.ts';
import type { SessionExtensions } from './extensions.ts';

export type SessionToolsDeps = {
  safety: Pick<Safety, 'capabilities' | 'privacy' | 'sources'>;
  extensions: Pick<SessionExtensions, 'definitions' | 'find'>;
  memory: Pick<SessionMemory, 'recall'> | null;
  search: SearchWeb;
  code: CodeIntelligence | null;
  warn(text: string): void;
};

export type SessionTools = ReturnType<typeof collectTools>;

/** All tools of a session: built-in, from extensions, from MCP servers. */
export function collectTools(
  parts: Parts,
  { safety, extensions, memory, search, code, warn }: SessionToolsDeps,
) {
  const { config, choice } = parts;
  const tools = builtinTools({
    shell: safety.capabilities.shell.name,
    maxTimeoutMs: config.maxCommandTimeoutMs,
    agents: parts.agents ?? [],
    recall: memory?.recall ?? null,
    search,
    code,
  });
  const registry = createRegistry(parts.tools ? chosenTools(tools, parts.tools, warn) : tools);
  const isOffered = (name: string) => name !== 'WebSearch' || parts.webSearch?.backend;
  const builtin = registry.definitions().filter(({ name }) => isOffered(name));
  const withoutPlan = builtin.filter(({ name }) => name !== presentPlan.name);
  const servers = parts.servers?.({
    outgoing: safety.privacy.outgoing,
    isWatched: parts.approver !== undefined,
    isAllowed: (server) => config.permissions.allow.some((rule) => namesServer(rule.trim(), server)),
    window: () => choice.info.contextWindow,
    notice: warn,
    describes: (server) =>
      safety.sources.add({
        kind: 'foreign',
        name: `the tool descriptions of the MCP server ${server}`,
        server,
      }),
  });
  const definitions = (): readonly ToolDefinition[] => {
    // Also outside plan mode: it may begin in the middle of an epoch, whose tools never change.
    const own = extensions.definitions(parts.reviewPlan === undefined ? withoutPlan : builtin);
    return servers?.behind(own) ?? own;
  };
  const router: Pick<RouterDeps, 'find' | 'resolveCall' | 'toolNames' | 'wasOffered'> = {
    find: (name) => registry.find(name) ?? extensions.find(name) ?? servers?.find(name),
    ...(servers && { resolveCall: (call) => servers.resolveCall(call) }),
    wasOffered: (name) => wasOffered(parts.opened.session, name),
    toolNames: () => [...new Set([...definitions().map(({ name }) => name), ...(servers?.names() ?? [])])],
  };
  return {
    builtin: withoutPlan,
    servers,
    serverTools: () => servers?.available() ?? [],
    definitions,
    router,
  };
}

/** In the prefix of the current epoch, or in a message after it. */
function wasOffered({ view, messages }: Pick<Session, 'view' | 'messages'>, name: string): boolean {
  const added = messages.flatMap((message) =>
    message.role === 'user'
      ? message.content.flatMap((part) => (part.type === 'text' ? (part.update?.tools?.added ?? []) : []))
      : [],
  );
  const tools = [...(view?.epochs.at(-1)?.tools ?? []), ...added];
  return tools.some((tool) => tool.name === name);
}

/** Those that the user named, by any of their names. Throws for a name that no tool has, here or elsewhere. */
function chosenTools(
  tools: readonly Tool[],
  names: readonly string[],
  warn: (text: string) => void,
): readonly Tool[] {
  const all = createRegistry(tools);
  const chosen = new Set(names.map((name) => all.find(name)));
  for (const name of names.filter((one) => !all.find(one))) {
    const text = `--tools: there is no built-in tool named ${name}.`;
    if (!isToolName(name))
      throw new UserError(text + didYouMean(name, ruleTools), `Tools: ${ruleTools.join(', ')}.`);
    warn(text);
  }
  return tools.filter((tool) => chosen.has(tool));
}
