import type { McpServerState, SlashCommand } from '../contract/command.ts';
import { didYouMean } from '../lib/text/nearest.ts';

const PHASES: Record<McpServerState['phase'], string> = {
  connecting: 'starting',
  ready: 'ready',
  failed: 'failed',
  login: 'needs a login',
  off: 'off',
};

const SHOWN_LOG = 10;

export const NO_SERVERS = 'No MCP servers. Add one with `aca mcp add`.';

export const mcp: SlashCommand = {
  name: 'mcp',
  description: 'Show MCP servers: /mcp, /mcp NAME, /mcp restart NAME, /mcp login NAME',
  async execute([verb, second], { mcp: servers, print }) {
    if (!servers) return print(NO_SERVERS);
    const all = servers.list();
    if (verb === undefined) return print(overview(all));
    const name = second ?? verb;
    const wanted = all.find((server) => server.name === name);
    const names = all.map((server) => server.name);
    if (!wanted) return print(`There is no MCP server ${name}.${didYouMean(name, names)} /mcp lists them.`);
    if (second === undefined) return print(serverDetails(wanted));
    if (verb === 'restart') await servers.restart(name);
    else if (verb === 'login') await servers.login(name, (url) => print(`Log in here: ${url}`));
    else return print(`Unknown action ${verb}. Use /mcp restart or /mcp login.`);
    print(overview(servers.list().filter((server) => server.name === name)));
  },
};

function overview(servers: readonly McpServerState[]): string {
  const width = Math.max(...servers.map(({ name }) => name.length));
  return servers.map((server) => `${server.name.padEnd(width)}  ${serverSummary(server)}`).join('\n');
}

export function serverSummary({
  phase,
  trouble,
  tools,
  resources,
  prompts,
  transport,
  address,
}: McpServerState): string {
  const counts = `${tools.length} tools, ${resources.length} resources, ${prompts.length} prompts`;
  const state = phase === 'ready' ? counts : [PHASES[phase], trouble].filter(Boolean).join(': ');
  return `${state}  (${transport}: ${address})`;
}

export function serverDetails(server: McpServerState): string {
  const { tools, resources, prompts, log } = server;
  const line = (text: string) => text.split('\n')[0] ?? '';
  return [
    `${server.name}  ${serverSummary(server)}`,
    ...tools.map(({ name, description }) => `  ${server.name}:${name}  ${line(description)}`),
    ...resources.map(({ uri, name }) => `  @${server.name}:${uri}  ${name}`),
    ...prompts.map(({ name, description }) => `  /${server.name}:${name}  ${line(description)}`),
    ...(log.length > 0 ? ['  recent output:', ...log.slice(-SHOWN_LOG).map((said) => `    ${said}`)] : []),
  ].join('\n');
}
