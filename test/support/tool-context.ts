import { execFileSync } from 'node:child_process';
import type { Tool, ToolContext, ToolResult } from '../../src/contract/tool.ts';
import { createFiles, type FilesOptions } from '../../src/sandbox/files/files.ts';
import { createGuard, type GuardOptions } from '../../src/sandbox/guard.ts';
import { FileSearch } from '../../src/sandbox/search/search.ts';
import { createShell } from '../../src/sandbox/shell/shell.ts';
import { workspace } from './workspace.ts';

export type ContextOptions = Partial<Omit<GuardOptions, 'cwd'>> & Pick<FilesOptions, 'onBeforeWrite'>;

/** A real tool context on a real folder: what a tool gets in a session, without approvals. */
function contextFor(cwd: string, options: ContextOptions = {}): ToolContext & { told: string[] } {
  const { onBeforeWrite, ...guarded } = options;
  const guard = createGuard({
    cwd,
    additionalDirectories: [],
    blockedPaths: [],
    allowedPaths: [],
    home: '/nonexistent/home',
    ...guarded,
  });
  const told: string[] = [];
  return {
    cwd,
    files: createFiles({ guard, cwd, ...(onBeforeWrite && { onBeforeWrite }) }),
    shell: createShell({ cwd, env: process.env, guard }),
    search: new FileSearch({ guard, cwd }),
    web: { get: () => Promise.reject(new Error('No web access in this context.')) },
    ask: async () => null,
    todos: { list: () => [], replace: () => undefined },
    accepts: { images: false },
    signal: new AbortController().signal,
    seen: new Map(),
    progress: (text) => told.push(text),
    told,
  };
}

/** Parses the input as the router does, then runs the tool. */
export function use(tool: Tool, input: unknown, context: ToolContext): Promise<ToolResult> {
  return tool.run(tool.input.parse(input), context);
}

/** A folder with these files and a tool context for it. */
export async function bench(files: Record<string, string> = {}, options: ContextOptions = {}) {
  const space = await workspace(files);
  return { ...space, context: contextFor(space.root, options) };
}

/** A named pipe without a writer. */
export function makePipe(file: string): void {
  const program = 'mkfifo';
  execFileSync(program, [file]);
}
