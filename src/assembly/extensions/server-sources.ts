import type { McpServers } from '../../contract/command.ts';
import type { TextSources } from '../safety/text-sources.ts';

/** Prompts and resources of servers that become part of a prompt are foreign text, too. */
export function withSources(servers: McpServers, sources: Pick<TextSources, 'add'>): McpServers {
  const note = (server: string) => sources.add({ kind: 'foreign', name: `the MCP server ${server}` });
  return {
    ...servers,
    commands: () =>
      servers.commands().map((command) => ({
        ...command,
        async execute(words, context) {
          await note(command.name.slice(0, command.name.indexOf(':')));
          return command.execute(words, context);
        },
      })),
    async withResources(content) {
      const found = await servers.withResources(content);
      if (found.length > content.length) await note('whose resources you attached');
      return found;
    },
  };
}
