import { type Message, textOf, toolCallsOf } from '../../contract/message.ts';
import type { Session } from '../../contract/session.ts';
import { counted } from '../../lib/text/counted.ts';
import { visibleText } from '../../lib/text/visible-text.ts';

/** A conversation as Markdown; safe to print on a terminal. */
export function toMarkdown(session: Session): string {
  const { id, title, workingDirectory, startedAt, settings, messages, subagents = [] } = session;
  const head = [
    `# ${title ?? 'Session'}`,
    '',
    `- Session: ${id}`,
    `- Folder: ${workingDirectory}`,
    `- Started: ${startedAt}`,
    `- Model: ${settings.model}`,
  ];
  const blocks = [head.join('\n'), ...messages.map(blockOf), ...subagents.flatMap(subagentBlocks)];
  return visibleText(`${blocks.join('\n\n')}\n`);
}

function subagentBlocks({ subagent, settings, messages }: Session): string[] {
  const title = `# Subagent ${subagent?.agent ?? ''}: ${subagent?.task ?? ''}`.replaceAll(/\s+/g, ' ');
  return [`${title}\n\n- Model: ${settings.model}`, ...messages.map(blockOf)];
}

function blockOf(message: Message): string {
  switch (message.role) {
    case 'user':
      return `## User\n\n${textOf(message)}${imagesOf(message)}`;
    case 'assistant': {
      const calls = toolCallsOf(message).map(
        ({ name, input }) => `**${name}**\n\n${fenced(JSON.stringify(input, null, 2), 'json')}`,
      );
      return ['## Assistant', textOf(message), ...calls].filter((part) => part !== '').join('\n\n');
    }
    case 'tool':
      return `### ${message.name}${message.success ? '' : ' (failed)'}\n\n${fenced(textOf(message))}${imagesOf(message)}`;
    default:
      message satisfies never;
      return '';
  }
}

function imagesOf(message: Message): string {
  const count = message.content.filter((part) => part.type === 'image').length;
  return count === 0 ? '' : `\n\n_${counted(count, 'image')}_`;
}

/** A fence longer than any in the text, so that the text cannot end the block. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
