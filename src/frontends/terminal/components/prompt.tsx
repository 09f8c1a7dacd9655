import { useRef, useSyncExternalStore } from 'react';
import { promptLines, textWidth } from '../editor/prompt-lines.ts';
import type { PromptModel } from '../editor/prompt-model.ts';
import { useKeys } from '../use-keys.ts';
import { useTheme } from '../use-theme.ts';
import { Lines } from './lines.tsx';

export type PromptProps = {
  model: PromptModel;
  columns: number;
  /** The most rows its text may take; a list under it takes as many again, eight at most. */
  rows: number;
  /** Whether presses are for it. */
  active: boolean;
};

/** Where the user writes. */
export function Prompt({ model, columns, rows, active }: PromptProps) {
  const state = useSyncExternalStore(model.subscribe, () => model.state);
  const theme = useTheme();
  const top = useRef(0);
  model.resize(textWidth(columns));
  useKeys((key) => model.press(key), { active });
  const drawn = promptLines(state, { columns, rows, top: top.current, theme, history: model.history });
  top.current = drawn.top;
  return <Lines lines={drawn.lines} />;
}
