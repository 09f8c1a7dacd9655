import { useEffect, useState } from 'react';
import { elapsed } from '../../../lib/text/elapsed.ts';
import { fitTo } from '../text/measure.ts';
import { useTheme } from '../use-theme.ts';
import type { LiveRun } from '../view/types.ts';
import { Lines } from './lines.tsx';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

/** What is happening, for how long, and how much has come: the one thing on the screen that moves by itself. */
export function Spinner({ run, columns }: { run: LiveRun; columns: number }) {
  const [frame, setFrame] = useState(0);
  const { styles } = useTheme();
  useEffect(() => {
    const timer = setInterval(() => setFrame((one) => one + 1), FRAME_MS);
    return () => clearInterval(timer);
  }, []);
  const facts = [elapsed(Math.max(1000, Date.now() - run.startedAt)), tokens(run.outputTokens), 'Esc stops'];
  const rest = ` · ${facts.filter(Boolean).join(' · ')}`;
  const mark = FRAMES[frame % FRAMES.length] ?? '';
  const line = [
    { text: `${mark} `, style: styles.accent },
    { text: fitTo(capital(run.doing), Math.max(10, columns - 2 - rest.length)), style: styles.text },
    { text: rest.length + 12 < columns ? rest : '', style: styles.muted },
  ];
  return <Lines lines={[[], line]} />;
}

function tokens(count: number): string {
  if (count < 1) return '';
  return count < 1000 ? `↓ ${Math.round(count)} tokens` : `↓ ${(count / 1000).toFixed(1)}k tokens`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
