import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { ChatConnection } from './connection.ts';

export type ChatContext = {
  connection: ChatConnection;
  /** Reports a failure to the user. */
  run(action: Promise<unknown>): void;
  /** What the user opened or closed by hand; kept while the row itself is out of sight. */
  folds: Map<string, boolean>;
};

export const Context = createContext<ChatContext | null>(null);

export function useChat(): ChatContext {
  const context = useContext(Context);
  if (!context) throw new Error('Outside of <Chat>.');
  return context;
}

/** Whether something is open, and a function that opens or closes it. */
export function useFold(key: string, isOpenAtFirst: boolean): [isOpen: boolean, toggle: () => void] {
  const { folds } = useChat();
  const [, draw] = useState(0);
  const isOpen = folds.get(key) ?? isOpenAtFirst;
  const toggle = () => {
    folds.set(key, !isOpen);
    draw((count) => count + 1);
  };
  return [isOpen, toggle];
}
