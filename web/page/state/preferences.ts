import { useLayoutEffect, useState } from 'preact/hooks';

export type Theme = 'system' | 'light' | 'dark';

/** What this browser remembers. `model` and `mode`: of new sessions; empty for what the server decides. */
export type Preferences = { theme: Theme; notifies: boolean; model: string; mode: string };

const KEY = 'aca.preferences';
const defaults: Preferences = { theme: 'system', notifies: false, model: '', mode: '' };

const changed = new EventTarget();
let current = read();

export function preferences(): Preferences {
  return current;
}

export function setPreferences(some: Partial<Preferences>): void {
  current = { ...current, ...some };
  localStorage.setItem(KEY, JSON.stringify(current));
  applyTheme();
  changed.dispatchEvent(new Event('change'));
}

export function usePreferences(): Preferences {
  const [shown, setShown] = useState(current);
  useLayoutEffect(() => {
    const change = () => setShown(current);
    changed.addEventListener('change', change);
    return () => changed.removeEventListener('change', change);
  }, []);
  return shown;
}

export function applyTheme(): void {
  const { theme } = current;
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function read(): Preferences {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
  } catch {
    return defaults;
  }
}
