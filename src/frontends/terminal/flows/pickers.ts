import type { AccountList } from '../../../app/conversation/account-list.ts';
import type { ModelList } from '../../../app/conversation/model-list.ts';
import type { Theme } from '../theme/theme.ts';
import type { ShowDialog } from '../view/dialog.ts';
import type { Line } from '../view/types.ts';

/** What pickers need besides the conversation's command context. */
export type Pickers = {
  show: ShowDialog;
  /** Adds rows to the transcript, drawn for the width and theme of the screen. */
  draw(lines: (place: { columns: number; theme: Theme }) => readonly Line[]): void;
  sessions: {
    /** The end of a session, as text. */
    glimpse(id: string): Promise<string>;
    /** Sessions whose conversation contains the words, each with the first such line. */
    search(words: string): Promise<{ id: string; line: string }[]>;
  };
  models: ModelList;
  accounts: AccountList;
  themes: {
    /** The setting: a name or `auto`. */
    current(): string;
    names: readonly string[];
    /** Changes the screen only. */
    wear(name: string): void;
    /** Saves it for later sessions. */
    keep(name: string): Promise<void>;
  };
  /** Puts text into the prompt, to be edited and sent again. */
  draft(text: string): void;
  /** Sends a prompt, as if it was typed. */
  send(text: string): void;
};
