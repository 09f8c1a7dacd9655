import type { IUnicodeVersionProvider } from '@xterm/headless';
import stringWidth from 'string-width';

const PLAIN = 0;
const AFTER_JOINER = 1;
const HALF_FLAG = 2;
const EMOJI = /\p{Extended_Pictographic}/u;
const MARK = /\p{Mn}|\p{Me}|\p{Cf}|\p{Emoji_Modifier}/u;
const FLAG = /\p{Regional_Indicator}/u;

/** A modern terminal: combining marks belong to their letter, joined emoji and flags are one cell pair. */
export const terminalWidths: IUnicodeVersionProvider = {
  version: 'today',
  wcwidth: (code) => widthOf(String.fromCodePoint(code)),
  charProperties(code, before) {
    const character = String.fromCodePoint(code);
    const [kind, width] = [before >> 3, (before >> 1) & 3];
    if (MARK.test(character) && before !== 0) {
      const wider = code === 0xfe0f ? 2 : width;
      return packed(code === 0x200d ? AFTER_JOINER : PLAIN, Math.max(width, wider), { joins: true });
    }
    if (kind === AFTER_JOINER && EMOJI.test(character)) return packed(PLAIN, 2, { joins: true });
    if (FLAG.test(character)) {
      return kind === HALF_FLAG ? packed(PLAIN, 2, { joins: true }) : packed(HALF_FLAG, 1, { joins: false });
    }
    return packed(PLAIN, widthOf(character), { joins: false });
  },
};

function widthOf(character: string): 0 | 1 | 2 {
  return Math.min(2, stringWidth(character)) as 0 | 1 | 2;
}

/** The emulator's encoding: state, columns, whether it joins the previous character. */
function packed(kind: number, width: number, { joins }: { joins: boolean }): number {
  return (kind << 3) | (width << 1) | (joins ? 1 : 0);
}
