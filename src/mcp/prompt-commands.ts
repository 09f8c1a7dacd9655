import type { PromptMessage } from '@modelcontextprotocol/sdk/types.js';
import type { CommandContext, SlashCommand } from '../contract/command.ts';
import { UserError } from '../contract/errors.ts';
import { type UserMessage, withTyped } from '../contract/message.ts';
import type { Connection } from './connection/connection.ts';
import type { Hub } from './hub.ts';
import type { ServerPrompt } from './tools/offers.ts';
import { resultOf } from './tools/result.ts';
import type { ToolDeps } from './tools/server-tool.ts';

/** The servers' prompts as commands: `/server:prompt`, with arguments by position or as name=value. */
export function promptCommands(
  { connections }: Pick<Hub, 'connections'>,
  outgoing: ToolDeps['outgoing'],
): SlashCommand[] {
  return connections.flatMap((connection) =>
    connection.offers.prompts.map((prompt) => ({
      name: `${connection.name}:${prompt.name}`,
      description: describe(connection.name, prompt),
      group: 'MCP prompts',
      forGuests: true,
      execute: (words: string[], context: CommandContext) =>
        send(connection, prompt, { words, context, outgoing }),
    })),
  );
}

function describe(server: string, { description, arguments: args }: ServerPrompt): string {
  const wanted = args.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ');
  return [description.split('\n')[0] || `Prompt from the MCP server ${server}`, wanted]
    .filter(Boolean)
    .join(' ');
}

type Sending = { words: string[]; context: CommandContext; outgoing: ToolDeps['outgoing'] };

async function send(
  connection: Connection,
  prompt: ServerPrompt,
  { words, context, outgoing }: Sending,
): Promise<void> {
  const given = argumentsOf(prompt, words);
  for (const { name, description, required } of prompt.arguments) {
    if (!required || given[name] !== undefined) continue;
    const answer = (await context.ask(`${name}${description && ` (${description})`}: `))?.trim();
    if (!answer) return context.print(`/${connection.name}:${prompt.name} needs ${name}.`);
    given[name] = answer;
  }
  const { messages } = await connection
    .getPrompt(prompt.name, outgoing(given), {
      signal: new AbortController().signal,
      progress: () => undefined,
      ask: async ({ question }) => context.ask(`${question} `),
    })
    .catch((error: Error) => {
      throw new UserError(
        `${connection.name} returned no prompt: ${error.message}.`,
        `See /mcp ${connection.name} for details.`,
      );
    });
  await context.submit(withTyped(contentOf(messages), words.join(' ')));
}

/** Unnamed values fill the arguments in order, the last one takes the rest. */
export function argumentsOf(
  { arguments: args }: ServerPrompt,
  words: readonly string[],
): Record<string, string> {
  const given: Record<string, string> = {};
  const loose: string[] = [];
  for (const word of words) {
    const [, name = '', value = ''] = /^([\w-]+)=(.*)$/s.exec(word) ?? [];
    if (args.some((arg) => arg.name === name)) given[name] = value;
    else loose.push(word);
  }
  const open = args.filter(({ name }) => given[name] === undefined);
  for (const [i, { name }] of open.entries()) {
    const isLast = i === open.length - 1;
    const value = isLast ? loose.splice(0).join(' ') : loose.shift();
    if (value) given[name] = value;
  }
  return given;
}

/** A prompt may contain a whole conversation; the model gets it as one message. */
function contentOf(messages: readonly PromptMessage[]): UserMessage['content'] {
  return messages.flatMap(({ role, content }): UserMessage['content'] => {
    const result = resultOf({ content: [content] }, { images: true });
    if (!result.success) return [];
    const images = result.images ?? [];
    const text = images.length > 0 ? '' : result.output;
    const said = role === 'assistant' ? `[You answered:]\n${text}` : text;
    return [...(said === '' ? [] : [{ type: 'text' as const, text: said }]), ...images];
  });
}
