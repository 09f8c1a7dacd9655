import type { AvailableCommand } from '@agentclientprotocol/sdk';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useChat } from '../context.ts';
import { matchCommands, type Trigger } from './trigger.ts';

export type Suggestion = {
  value: string;
  name: string;
  detail?: string | undefined;
  isFolder?: boolean | undefined;
};

const MOST = 50;

type Files = { query: string; found: Suggestion[] };

/** What the word at the caret may become. */
export function useCompletion(trigger: Trigger | null, commands: readonly AvailableCommand[]): Suggestion[] {
  const { connection } = useChat();
  const [files, setFiles] = useState<Files | null>(null);
  const query = trigger?.type === 'file' ? trigger.query : null;
  useEffect(() => {
    if (query === null) {
      setFiles(null);
      return;
    }
    let isGone = false;
    const show = (found: Suggestion[]) => {
      if (!isGone) setFiles({ query, found });
    };
    connection.completeFile(query).then(
      (matches) =>
        show(matches.slice(0, MOST).map(({ path, isFolder }) => ({ value: path, name: path, isFolder }))),
      // Somebody who writes is not interrupted because files cannot be listed.
      () => show([]),
    );
    return () => {
      isGone = true;
    };
  }, [connection, query]);
  return useMemo(() => {
    if (trigger?.type === 'file') return foundFor(trigger.query, files);
    if (trigger?.type !== 'command') return [];
    return matchCommands(commands, trigger.query)
      .slice(0, MOST)
      .map(({ name, description, input }) => ({
        value: name,
        name: `/${name}`,
        detail: [input && 'hint' in input ? input.hint : '', description].filter(Boolean).join(' – '),
      }));
  }, [trigger?.type, trigger?.query, files, commands]);
}

/** Until the answer to this query is there, those of the one before that still match: Enter must not take another. */
function foundFor(query: string, files: Files | null): Suggestion[] {
  if (files === null) return [];
  if (files.query === query) return files.found;
  return files.found.filter(({ value }) => value.toLowerCase().includes(query.toLowerCase()));
}
