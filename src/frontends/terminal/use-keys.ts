import { createContext, useContext, useEffect, useRef } from 'react';
import type { Key } from './view/types.ts';

/** Where presses come from. Resolves to a function that stops listening. */
export type KeySource = { listen(listener: (key: Key) => void): () => void };

export const KeySourceContext = createContext<KeySource>({ listen: () => () => undefined });

/** Hands every press to the listener while it is active; always to the listener of the last render. */
export function useKeys(listener: (key: Key) => void, { active }: { active: boolean }): void {
  const source = useContext(KeySourceContext);
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => (active ? source.listen((key) => latest.current(key)) : undefined), [source, active]);
}
