import path from 'node:path';
import { type Reading, readSettings } from '../../src/config/other-assistants/read.ts';
import { projectSource } from '../../src/config/other-assistants/sources.ts';
import type { AssistantName } from '../../src/config/schema/other-assistants.ts';
import type { ConfigInput } from '../../src/config/schema/schema.ts';

export const HOME = path.resolve('/home/ada');
export const BASE = path.resolve('/projects/app');

export const FILES: Record<AssistantName, string> = {
  claude: '.claude/settings.json',
  codex: '.codex/config.toml',
  gemini: '.gemini/settings.json',
  cursor: '.cursor/mcp.json',
  opencode: 'opencode.json',
};

/** The settings file of an assistant in a project, as text or as a value for JSON. */
export function readOther(assistant: AssistantName, written: unknown): Reading {
  const source = projectSource(path.join(BASE, FILES[assistant]));
  if (!source) throw new Error(`${assistant} has no source`);
  const text = typeof written === 'string' ? written : JSON.stringify(written);
  return readSettings(source, text, { base: BASE, home: HOME, folders: [BASE] });
}

/** Whose file, what it is about, what is written, and what it means here. */
export type SettingsCase = [AssistantName, string, unknown, ConfigInput];
