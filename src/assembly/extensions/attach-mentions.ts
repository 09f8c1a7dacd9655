import { homedir } from 'node:os';
import path from 'node:path';
import type { McpServers } from '../../contract/command.ts';
import { typedText, type UserMessage } from '../../contract/message.ts';
import { peek } from '../../lib/files/peek.ts';
import { type AtPath, atPaths, lineRange } from '../../lib/text/at-paths.ts';
import type { UserCalls } from './user-calls.ts';

type Content = UserMessage['content'];

export type MentionDeps = {
  cwd: string;
  /** Reads are judged and asked about like those of the model. */
  call: UserCalls['call'];
  notice(text: string): void;
  mcp?: Pick<McpServers, 'withResources'> | undefined;
};

/** A prompt with what its `@path` and `@server:uri` words name. */
export type AttachMentions = (content: Content, typed?: string) => Promise<Content>;

const MAX_FILES = 20;
/** In characters, for all files of a prompt together. */
const MAX_ALL = 60_000;
/** Notes about the file may follow it. */
const MORE_LINES = /\n\[\d+ more lines?: continue with offset \d+\](?=$|\n\n\[)/;

/** `from` and `to` are lines counted from 1; `to` is absent for all of them. */
type Wanted = { path: string; from: number; to?: number };

/**
 * Attaches files, folders and images that the user mentions, before the prompt: what the user typed stays the
 * last text. Only `typed` is searched, or the content itself.
 */
export function createAttachMentions({ cwd, call, notice, mcp }: MentionDeps): AttachMentions {
  const exists = (file: string) => {
    const place = path.resolve(
      cwd,
      file.replace(/^~(?=\/|$)/, () => homedir()),
    );
    return peek.file(place) !== null || peek.folder(place) !== null || peek.isSpecial(place);
  };

  function wantedOf({ path: written, isFile }: AtPath): Wanted[] {
    if (exists(written)) return [{ path: written, from: 1 }];
    const range = lineRange(written);
    if (range && exists(range.path)) return [range];
    if (isFile) notice(`${range?.path ?? written} was not attached: there is no such file.`);
    return [];
  }

  /** At most `room` characters of it, page by page. */
  async function read({ path: file, from, to }: Wanted, room: number): Promise<Content> {
    const pages: string[] = [];
    let left = room;
    let line = from;
    for (;;) {
      const limit = to === undefined ? {} : { limit: to - line + 1 };
      const offset = line === 1 ? {} : { offset: line };
      const { success, text, images, summary } = await call('Read', { file_path: file, ...offset, ...limit });
      if (!success) {
        notice(`${file} was not attached: ${text}`);
        return [];
      }
      const count = summary?.kind === 'count' && summary.unit === 'line' ? summary : null;
      const last = Math.min(count?.total ?? 0, to ?? Number.POSITIVE_INFINITY);
      const next = line + (count?.count ?? 0);
      left -= text.length;
      const isWhole = count === null || count.count === 0 || next > last;
      if (isWhole || left <= 0) {
        pages.push(text);
        if (!isWhole)
          notice(
            `${file}: only lines ${from} to ${next - 1} of ${count.total} are attached; the model can read the rest.`,
          );
        const lines = to === undefined ? '' : ` lines="${from}-${to}"`;
        const block = `<file path="${file}"${lines}>\n${pages.join('\n')}\n</file>\n\n`;
        return [{ type: 'text', text: block }, ...images];
      }
      pages.push(text.replace(MORE_LINES, ''));
      line = next;
    }
  }

  return async (content, typed = typedText({ content })) => {
    const wanted = new Map(
      atPaths(typed)
        .flatMap(wantedOf)
        .map((one) => [`${one.path}:${one.from}-${one.to}`, one]),
    );
    const attached: Content = [];
    let room = MAX_ALL;
    for (const [i, one] of [...wanted.values()].entries()) {
      const isOver = i >= MAX_FILES || room <= 0;
      if (isOver)
        notice(
          `${one.path} was not attached: a prompt takes ${MAX_FILES} files and ${MAX_ALL.toLocaleString('en')} characters. The model can read it.`,
        );
      const parts = isOver ? [] : await read(one, room);
      room -= textIn(parts).length;
      attached.push(...parts);
    }
    return [...attached, ...((await mcp?.withResources(content)) ?? content)];
  };
}

function textIn(content: Content): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
