import type { PromptQueue } from '../../app/conversation/prompt-queue.ts';
import type { PromptDeps } from './editor/prompt-model.ts';
import type { KeySettings } from './keyboard/keymap.ts';
import type { Note, NotificationSettings } from './notify/notification.ts';
import type { HeldOptions, TerminalStreams } from './painter/held-terminal.ts';
import type { Ground } from './theme/theme.ts';
import type { ScreenAction, Status, StatusPart, View } from './view/types.ts';
import type { Dictate } from './voice/voice-prompt.ts';

type ScreenSettings = {
  theme: string;
  color: boolean;
  stream: boolean;
  keys: KeySettings;
  editorMode: 'emacs' | 'vim';
  statusBar: readonly StatusPart[];
  queue: 'steer' | 'after';
  notifications: NotificationSettings;
};

/** What the prompt needs from outside the screen. */
type PromptPlace = Pick<PromptDeps, 'history' | 'commands' | 'listFiles' | 'images'> & {
  /** Releases the terminal meanwhile. Null when nothing was changed. */
  edit(text: string): Promise<string | null>;
  dictate: Dictate;
};

export type ScreenOptions = TerminalStreams & {
  env: Readonly<Record<string, string | undefined>>;
  takeOver?: NonNullable<HeldOptions['takeOver']>;
  /** The last known background; it is queried anyway. */
  ground?: Ground;
  title: string;
  shownPath(path: string): string;
  start?: View['start'];
  settings: ScreenSettings;
  status: Status;
  prompt: PromptPlace;
  /** Takes the prompts instead of a queue of the screen, and shows those that wait. */
  shared?: Pick<PromptQueue, 'add' | 'length' | 'takeBack'>;
  /** Guests give no answer that outlives the session. */
  role?: 'owner' | 'editor' | 'viewer' | undefined;
  /** Called for each notification. */
  onNotify(note: Note): void;
  /** Actions of the prompt's keys that the screen cannot handle itself. */
  onAction(action: Extract<ScreenAction, 'cycle-mode' | 'rewind'> | 'accept-edits' | 'background'): void;
};
