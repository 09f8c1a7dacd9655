import { useState } from 'react';
import { helpLines } from '../editor/help-lines.ts';
import type { Keymap } from '../keyboard/keymap.ts';
import { fitTo } from '../text/measure.ts';
import { useKeys } from '../use-keys.ts';
import { useTheme } from '../use-theme.ts';
import { caretAt } from '../view/caret.ts';
import type { Dialog, DialogProps, Key, Line } from '../view/types.ts';
import { Lines } from './lines.tsx';

/** All keys; up and down move through them, any other key closes. */
export function helpKeysDialog(keymap: Keymap): Dialog<null> {
  return (props) => <HelpKeys {...props} keymap={keymap} />;
}

function HelpKeys({ keymap, columns, rows, onDone }: DialogProps<null> & { keymap: Keymap }) {
  const theme = useTheme();
  const [wanted, setTop] = useState(0);
  const lines = helpLines(keymap, { columns, theme });
  const room = Math.max(1, rows - 1);
  const last = Math.max(0, lines.length - room);
  const top = Math.min(wanted, last);
  useKeys(
    (key) => {
      const next = movedBy(key, { top, room });
      if (next === null) onDone(null);
      else setTop(Math.max(0, Math.min(last, next)));
    },
    { active: true },
  );
  const hint = last > 0 ? `↑↓ more · any other key closes` : 'any key closes';
  const foot: Line = [
    { text: caretAt('') },
    { text: fitTo(hint, Math.max(1, columns - 1)), style: theme.styles.muted },
  ];
  return <Lines lines={[...lines.slice(top, top + room), foot]} />;
}

/** Null when the key is about something else. */
function movedBy(key: Key, { top, room }: { top: number; room: number }): number | null {
  const steps: Record<string, number> = {
    up: -1,
    down: 1,
    pageup: 1 - room,
    pagedown: room - 1,
    space: room - 1,
  };
  if (key.type !== 'key') return key.type === 'paste' ? null : top;
  if (key.name === 'home') return 0;
  if (key.name === 'end') return Number.POSITIVE_INFINITY;
  const step = steps[key.name];
  return step === undefined ? null : top + step;
}
