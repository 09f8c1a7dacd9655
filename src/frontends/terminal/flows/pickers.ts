import type { ModelList } from '../../../app/conversation/model-list.ts';
import type { DialogKit } from '../dialogs/kit.ts';
import type { ShowDialog } from '../view/dialog.ts';

/** What pickers need beside the conversation's own desk. */
export type Pickers = {
  show: ShowDialog;
  kit: DialogKit;
  sessions: {
    /** Where a session stood, as text. */
    glimpse(id: string): Promise<string>;
    /** Sessions whose conversation holds the words, each with the first such line. */
    search(words: string): Promise<{ id: string; line: string }[]>;
  };
  models: ModelList;
  themes: {
    /** As the settings have it: a name or `auto`. */
    current(): string;
    names: readonly string[];
    /** Only the screen changes. */
    wear(name: string): void;
    /** For later sessions, too. */
    keep(name: string): Promise<void>;
  };
  /** Puts a text into the prompt, to be changed and sent again. */
  draft(text: string): void;
};
