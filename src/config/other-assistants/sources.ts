import path from 'node:path';
import { homeFolder } from '../../lib/files/data-root.ts';
import { assistantFolders } from '../assistant-folders.ts';
import { type AssistantName, assistantNames } from '../schema/other-assistants.ts';
import { readClaude, readClaudeState } from './claude.ts';
import { readCodex } from './codex.ts';
import { readCursor } from './cursor.ts';
import { readGemini } from './gemini.ts';
import { readOpencode } from './opencode.ts';
import type { Reader } from './part.ts';

type Env = Readonly<Record<string, string | undefined>>;

type Source = { folder: string; name: string; read: Reader };

/** Files in a project, relative to a folder; later ones override earlier ones. */
const PROJECT: Readonly<Record<AssistantName, readonly { name: string; read: Reader }[]>> = {
  claude: [
    { name: '.claude/settings.json', read: readClaude },
    { name: '.claude/settings.local.json', read: readClaude },
  ],
  codex: [{ name: '.codex/config.toml', read: readCodex }],
  gemini: [{ name: '.gemini/settings.json', read: readGemini }],
  cursor: [
    { name: '.cursor/mcp.json', read: readCursor },
    { name: '.cursor/cli.json', read: readCursor },
  ],
  opencode: [
    { name: 'opencode.json', read: readOpencode },
    { name: 'opencode.jsonc', read: readOpencode },
    { name: '.opencode/opencode.json', read: readOpencode },
    { name: '.opencode/opencode.jsonc', read: readOpencode },
  ],
};

/** A settings file of another assistant: where it is, whose it is, and what reads it. */
export type OtherFile = { assistant: AssistantName; file: string; read: Reader };

/** In increasing precedence: of two assistants that set the same key, the first in our list is used. */
const BY_PRECEDENCE = assistantNames.toReversed();

/** The names of all settings files that a project may have, relative to one of its folders. */
export const projectNames: readonly string[] = BY_PRECEDENCE.flatMap((assistant) =>
  PROJECT[assistant].map(({ name }) => name),
);

/** The reader of a project's file; undefined if it is no settings file of another assistant. */
export function projectSource(file: string): OtherFile | undefined {
  const slashed = file.replaceAll(path.sep, '/');
  for (const assistant of BY_PRECEDENCE) {
    const found = PROJECT[assistant].find(({ name }) => slashed.endsWith(`/${name}`));
    if (found) return { assistant, file, read: found.read };
  }
  return undefined;
}

/** The folder that a project's file applies to. */
export function folderOf(file: string): string {
  const folder = path.dirname(file);
  return /^\.(claude|codex|gemini|cursor|opencode)$/.test(path.basename(folder))
    ? path.dirname(folder)
    : folder;
}

/** Where the user's own files may be. */
export function userSources(env: Env): OtherFile[] {
  const { claude, codex, gemini, cursor, opencode } = assistantFolders(env);
  const state = env.CLAUDE_CONFIG_DIR ? claude : homeFolder(env);
  const sources: Readonly<Record<AssistantName, readonly Source[]>> = {
    claude: [
      { folder: state, name: '.claude.json', read: readClaudeState },
      { folder: claude, name: 'settings.json', read: readClaude },
    ],
    codex: [{ folder: codex, name: 'config.toml', read: readCodex }],
    gemini: [{ folder: gemini, name: 'settings.json', read: readGemini }],
    cursor: [
      { folder: cursor, name: 'mcp.json', read: readCursor },
      { folder: cursor, name: 'cli-config.json', read: readCursor },
    ],
    opencode: ['opencode.json', 'opencode.jsonc'].map((name) => ({
      folder: opencode,
      name,
      read: readOpencode,
    })),
  };
  return BY_PRECEDENCE.flatMap((assistant) =>
    sources[assistant].map(({ folder, name, read }) => ({ assistant, file: path.join(folder, name), read })),
  );
}
