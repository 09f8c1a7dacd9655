import type { AssistantName } from '../schema/other-assistants.ts';
import { claudeTable } from './claude-table.ts';
import { codexTable } from './codex-table.ts';
import { cursorTable } from './cursor-table.ts';
import { geminiTable } from './gemini-table.ts';
import { opencodeTable } from './opencode-table.ts';
import type { SupportTable } from './table.ts';

/** The assistants whose files are read, by the name they have in the settings. */
export const supportTables = {
  claude: claudeTable,
  codex: codexTable,
  gemini: geminiTable,
  cursor: cursorTable,
  opencode: opencodeTable,
} satisfies Record<AssistantName, SupportTable>;
