import { typedText, type UserMessage } from '../contract/message.ts';
import type { Hub } from './hub.ts';
import { resourceText } from './tools/result.ts';
import type { ToolDeps } from './tools/server-tool.ts';

const MENTION = /(?<=^|\s)@([a-zA-Z0-9][\w.-]*):(\S+)/g;
const MAX_RESOURCE = 100_000;

/** A prompt after the resources that its `@server:uri` words name. Other words are unchanged. */
export async function withResources(
  content: UserMessage['content'],
  hub: Pick<Hub, 'find'>,
  outgoing: ToolDeps['outgoing'],
): Promise<UserMessage['content']> {
  const text = typedText({ content });
  const mentioned = [...text.matchAll(MENTION)].map(([, server = '', uri = '']) => ({ server, uri }));
  const wanted = mentioned.filter(({ server, uri }) => hub.find(server) && /^[a-z][\w+.-]*:/i.test(uri));
  const read = await Promise.all(
    [...new Map(wanted.map((one) => [`${one.server}:${one.uri}`, one])).values()].map(
      async ({ server, uri }) => {
        try {
          return resourceText(
            (await hub.find(server)?.readResource(outgoing(uri), ALONE)) ?? { contents: [] },
          );
        } catch (error) {
          return `[resource ${uri} of ${server} could not be read: ${(error as Error).message}]`;
        }
      },
    ),
  );
  return [...read.map((found) => ({ type: 'text' as const, text: `${cut(found)}\n\n` })), ...content];
}

/** For requests without a user. */
const ALONE = { signal: new AbortController().signal, progress: () => undefined, ask: async () => null };

function cut(text: string): string {
  return text.length > MAX_RESOURCE
    ? `${text.slice(0, MAX_RESOURCE)}\n[… ${text.length - MAX_RESOURCE} more characters]`
    : text;
}
