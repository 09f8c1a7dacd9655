import { visibleLine } from '../../../lib/text/visible-text.ts';

const PASTE = '2004';
const FOCUS = '1004';
const SHOW_CURSOR = '\u001b[?25h';
const END_UPDATE = '\u001b[?2026l';
const SAVE_TITLE = '\u001b[22;0t';
const RESTORE_TITLE = '\u001b[23;0t';
const ASK_KEYBOARD = '\u001b[?u';
const FULL_KEYBOARD = '\u001b[>1u';
/** Of the keyboard protocol in use. */
const REPORT_RELEASES = '\u001b[=3;1u';
const NO_RELEASES = '\u001b[=1;1u';
const USUAL_KEYBOARD = '\u001b[<u';
/** The older protocol to distinguish Shift+Enter from Enter; ignored by terminals that do not support it. */
const OTHER_KEYS = '\u001b[>4;1m';
const NO_OTHER_KEYS = '\u001b[>4;0m';

/**
 * Modes that are enabled while we own the screen, and disabled otherwise. Both methods may be called at any
 * time.
 */
export class TerminalModes {
  readonly #write: (text: string) => void;
  #title: string;
  #on = false;
  #fullKeyboard = false;

  constructor(write: (text: string) => void, title: string) {
    this.#write = write;
    this.#title = visibleLine(title);
  }

  enter(): void {
    if (this.#on) return;
    this.#on = true;
    this.#write(
      `\u001b[?${PASTE}h\u001b[?${FOCUS}h${SAVE_TITLE}${titled(this.#title)}${OTHER_KEYS}${ASK_KEYBOARD}`,
    );
  }

  /** Shows another title, now and whenever the screen is ours again. */
  setTitle(title: string): void {
    const shown = visibleLine(title);
    if (shown === this.#title) return;
    this.#title = shown;
    if (this.#on) this.#write(titled(shown));
  }

  /** The terminal supports the keyboard protocol: it can distinguish Shift+Enter from Enter. */
  keyboardKnown(): void {
    if (!this.#on || this.#fullKeyboard) return;
    this.#fullKeyboard = true;
    this.#write(FULL_KEYBOARD);
  }

  /** Whether the terminal reports when a key is let go, if it can. */
  reportReleases(reports: boolean): void {
    if (this.#fullKeyboard) this.#write(reports ? REPORT_RELEASES : NO_RELEASES);
  }

  leave(): void {
    if (!this.#on) return;
    this.#on = false;
    const keyboard = this.#fullKeyboard ? USUAL_KEYBOARD : '';
    this.#fullKeyboard = false;
    this.#write(
      `${keyboard}${NO_OTHER_KEYS}\u001b[?${PASTE}l\u001b[?${FOCUS}l${RESTORE_TITLE}${END_UPDATE}${SHOW_CURSOR}`,
    );
  }
}

function titled(title: string): string {
  return `\u001b]2;${title}\u0007`;
}
