import * as z from 'zod';
import { unlessErrno } from '../../lib/files/errno.ts';
import { updateFile } from '../../lib/files/file-update.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { sha256 } from '../../lib/sha256.ts';
import { compareText } from '../../lib/text/compare.ts';
import { parseJson } from '../../lib/text/json.ts';
import type { ServerTool } from './offers.ts';

/** Which tools the user has approved, each exactly as its server described it. */
export type SeenTools = {
  load(): Promise<void>;
  /** `changed`: approved before, but different now. */
  state(server: string, tool: ServerTool): 'seen' | 'new' | 'changed';
  agree(server: string, tools: readonly ServerTool[]): Promise<void>;
};

const schema = () => z.record(z.string(), z.record(z.string(), z.string()));

export function seenTools(file: string): SeenTools {
  let known: z.output<ReturnType<typeof schema>> = {};
  let writing: Promise<void> = Promise.resolve();
  const hashes = (server: string) => (Object.hasOwn(known, server) ? known[server] : undefined) ?? {};
  return {
    async load() {
      known = readSeen(file);
    },
    state(server, tool) {
      const hash = Object.hasOwn(hashes(server), tool.name) ? hashes(server)[tool.name] : undefined;
      if (hash === undefined) return 'new';
      return hash === fingerprint(tool) ? 'seen' : 'changed';
    },
    agree(server, tools) {
      const fresh = tools.filter((tool) => fingerprint(tool) !== hashes(server)[tool.name]);
      if (fresh.length === 0) return writing;
      const added = Object.fromEntries(fresh.map((tool) => [tool.name, fingerprint(tool)]));
      known = { ...known, [server]: { ...hashes(server), ...added } };
      writing = writing.then(() =>
        updateFile(file, async (write) => {
          // Another process may have added its own.
          const others = readSeen(file);
          const merged = { ...others, [server]: { ...others[server], ...added } };
          await write(`${JSON.stringify(merged, null, 2)}\n`);
        }),
      );
      return writing;
    },
  };
}

/** Everything about a tool that a model sees, or that a judgement depends on. */
function fingerprint({ name, description, schema: input, readOnly }: ServerTool): string {
  return sha256(JSON.stringify([name, description, sorted(input), readOnly])).slice(0, 32);
}

/** Key order does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => compareText(a, b))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** An unreadable or invalid file approves nothing. */
function readSeen(file: string): z.output<ReturnType<typeof schema>> {
  const text = unlessErrno('any', '', () => readRegularText(file));
  return schema().safeParse(parseJson(text)).data ?? {};
}
