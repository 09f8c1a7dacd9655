import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useChat } from '../context.ts';
import type { View } from '../state/view.ts';
import { blocksOf, emptyDraft, isEmpty, type PromptDraft, withAdded } from './draft.ts';
import { readImages } from './images.ts';
import { complete, type Trigger, triggerAt } from './trigger.ts';
import { type Suggestion, useCompletion } from './use-completion.ts';
import { useHistory } from './use-history.ts';
import { useTyping } from './use-typing.ts';

export type ComposerProps = {
  view: View;
  draft: PromptDraft;
  onDraft(change: (draft: PromptDraft) => PromptDraft): void;
};

/** The list of suggestions, when there is one. */
type Listed = { type: Trigger['type']; suggestions: readonly Suggestion[]; selected: number };

type Prompt = {
  canSend: boolean;
  listed: Listed | null;
  send(): void;
  attach(files: readonly File[]): void;
  choose(index: number): void;
  onInput(): void;
  onKeyDown(event: KeyboardEvent): void;
  onBlur(): void;
};

/** What the prompt does with keys, files and what is typed. */
export function usePrompt(
  { view, draft, onDraft }: ComposerProps,
  area: RefObject<HTMLTextAreaElement | null>,
): Prompt {
  const { connection, run } = useChat();
  const history = useHistory(view.items);
  const sayTyping = useTyping();
  const [trigger, setTrigger] = useState<Trigger | null>(null);
  const suggestions = useCompletion(trigger, view.commands);
  const isOnline = view.connection.state === 'online' && view.session !== null;
  const canSend = isOnline && !isEmpty(draft);
  const [marked, setMarked] = useState<string | null>(null);
  const selected = Math.max(
    0,
    suggestions.findIndex(({ value }) => value === marked),
  );
  const nextCaret = useRef<number | null>(null);
  // Before the next key can arrive: it would write at the end.
  useLayoutEffect(() => {
    if (nextCaret.current === null) return;
    area.current?.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = null;
  });

  const write = (text: string, caret?: number) => {
    onDraft((before) => ({ ...before, text }));
    nextCaret.current = caret ?? null;
  };
  const choose = (index: number) => {
    const suggestion = suggestions[index];
    if (!suggestion || !trigger) return;
    const value = suggestion.isFolder ? suggestion.value.replace(/\/?$/, '/') : suggestion.value;
    const done = complete(draft.text, trigger, value);
    write(done.text, done.caret);
    setMarked(null);
    setTrigger(suggestion.isFolder ? triggerAt(done.text, done.caret) : null);
  };
  const send = () => {
    if (!canSend) return;
    sayTyping(false);
    setTrigger(null);
    onDraft(() => emptyDraft);
    const sent = connection.prompt(blocksOf(draft)).catch((error) => {
      onDraft((now) => (isEmpty(now) ? draft : now));
      throw error;
    });
    run(sent);
  };
  const attach = (files: readonly File[]) => {
    if (files.length > 0)
      run(
        readImages(files, draft.attachments).then((attachments) =>
          onDraft((now) => withAdded(now, { attachments })),
        ),
      );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const isTaken = trigger !== null && suggestions.length > 0 ? suggestionKey(event.key) : promptKey(event);
    if (isTaken) event.preventDefault();
  };
  const suggestionKey = (key: string): boolean => {
    const mark = (step: number) =>
      setMarked(suggestions.at((selected + step) % suggestions.length)?.value ?? null);
    if (key === 'ArrowDown') mark(1);
    else if (key === 'ArrowUp') mark(-1);
    else if (key === 'Enter' || key === 'Tab') choose(selected);
    else if (key === 'Escape') setTrigger(null);
    else return false;
    return true;
  };
  const promptKey = ({ key, shiftKey, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean => {
    if (key === 'Enter' && !shiftKey && !altKey) {
      send();
      return true;
    }
    if ((key !== 'ArrowUp' && key !== 'ArrowDown') || shiftKey || altKey || ctrlKey || metaKey) return false;
    const entry = history.isShown(draft.text) ? history.move(key === 'ArrowUp' ? -1 : 1, draft.text) : null;
    if (entry !== null) write(entry, entry.length);
    return entry !== null;
  };
  const onInput = () => {
    const { value = '', selectionStart = 0 } = area.current ?? {};
    write(value);
    setMarked(null);
    setTrigger(triggerAt(value, selectionStart));
    sayTyping(value !== '');
  };
  const onBlur = () => setTrigger(null);
  const listed =
    trigger !== null && suggestions.length > 0 ? { type: trigger.type, suggestions, selected } : null;
  return { canSend, listed, send, attach, choose, onInput, onKeyDown, onBlur };
}
