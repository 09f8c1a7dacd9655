import xterm from '@xterm/headless';
import fc from 'fast-check';
import { expect } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import { terminalWidths } from '../../../test/support/terminal-widths.ts';
import { echoErased } from './typed-ahead.ts';

/** What a terminal of 20 columns shows after these writes, and the cursor position. */
async function shownAfter(...writes: string[]) {
  const screen = new xterm.Terminal({ cols: 20, rows: 60, allowProposedApi: true });
  screen.unicode.register(terminalWidths);
  screen.unicode.activeVersion = terminalWidths.version;
  for (const text of writes) await new Promise<void>((done) => screen.write(text, done));
  const { active } = screen.buffer;
  const rows = Array.from({ length: 60 }, (_, i) => active.getLine(i)?.translateToString(true));
  return { text: rows.join('\n').trimEnd(), cursor: [active.cursorY, active.cursorX] };
}

/** The system's echo while no program reads. */
const echoOf = (typed: string) =>
  [...typed].map((key) => (key < ' ' && key !== '\t' ? ECHOED[key] : key)).join('');
const ECHOED: Record<string, string> = { '\n': '\r\n', '\u001b': '^[', '\u0001': '^A' };

sweep([50, 200])(
  'property: the echo of any typed text is erased, and nothing above it (%i runs)',
  async (numRuns) => {
    const key = fc.constantFrom('a', 'Z', ' ', 'é', '漢', '\n', '\t', '\u001b[D', '\u0001');
    const typed = fc.array(key, { maxLength: 90 }).map((keys) => keys.join(''));
    await fc.assert(
      fc.asyncProperty(typed, async (text) => {
        const shown = await shownAfter('before\r\n', echoOf(text), echoErased(text, 20));
        expect(shown).toEqual({ text: 'before', cursor: [1, 0] });
      }),
      { numRuns },
    );
  },
);
