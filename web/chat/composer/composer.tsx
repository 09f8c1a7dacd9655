import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useChat } from '../context.ts';
import { Icon } from '../parts/icon.tsx';
import { Attachments } from './attachments.tsx';
import { isEmpty } from './draft.ts';
import { imagesIn } from './images.ts';
import { Meter } from './meter.tsx';
import { Pickers } from './pickers.tsx';
import { SUGGESTIONS_ID, Suggestions, suggestionId } from './suggestions.tsx';
import { type ComposerProps, usePrompt } from './use-prompt.ts';

/** Where the user writes. Enter sends, also during a turn; Escape stops the turn. */
export function Composer(props: ComposerProps) {
  const { view, draft, onDraft } = props;
  const { connection, run } = useChat();
  const area = useRef<HTMLTextAreaElement>(null);
  const { canSend, listed, send, attach, choose, onInput, onKeyDown, onBlur } = usePrompt(props, area);
  const isRunning = view.turn !== null;
  useGrowing(area, draft.text);
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        attach(imagesIn(event.dataTransfer));
      }}
    >
      {listed && <Suggestions {...listed} onChoose={choose} />}
      <Attachments
        blocks={draft.attachments}
        onRemove={(index) => onDraft((now) => ({ ...now, attachments: now.attachments.toSpliced(index, 1) }))}
      />
      <textarea
        ref={area}
        rows={1}
        value={draft.text}
        placeholder={
          isRunning ? 'Steer the agent while it works' : 'Ask for anything; @ for files, / for commands'
        }
        aria-label="Message"
        aria-autocomplete="list"
        aria-controls={listed ? SUGGESTIONS_ID : undefined}
        aria-activedescendant={listed ? suggestionId(listed.selected) : undefined}
        onInput={onInput}
        onKeyDown={onKeyDown}
        onBlur={onBlur}
        onPaste={(event) => {
          const images = imagesIn(event.clipboardData);
          if (images.length > 0) event.preventDefault();
          attach(images);
        }}
      />
      <div class="composer-bar">
        <AttachButton onFiles={attach} />
        <Pickers
          modes={view.modes}
          options={view.options}
          isDisabled={view.connection.state !== 'online' || view.session === null}
        />
        <span class="space" />
        <Meter usage={view.usage} />
        {isRunning && (
          <button
            type="button"
            class="round stop"
            onClick={() => run(connection.cancel())}
            aria-label="Stop"
            title="Stop (Esc)"
          >
            <Icon name="stop" />
          </button>
        )}
        {(!isRunning || !isEmpty(draft)) && (
          <button
            type="submit"
            class="round send"
            disabled={!canSend}
            aria-label={isRunning ? 'Send to the running turn' : 'Send'}
            title={isRunning ? 'Steer (Enter)' : 'Send (Enter)'}
          >
            <Icon name="send" />
          </button>
        )}
      </div>
    </form>
  );
}

function AttachButton({ onFiles }: { onFiles(files: File[]): void }) {
  const input = useRef<HTMLInputElement>(null);
  const take = () => {
    onFiles([...(input.current?.files ?? [])]);
    if (input.current) input.current.value = '';
  };
  return (
    <>
      <button
        type="button"
        class="quiet"
        onClick={() => input.current?.click()}
        aria-label="Attach an image"
        title="Attach an image"
      >
        <Icon name="image" />
      </button>
      <input ref={input} type="file" accept="image/*" multiple hidden onChange={take} />
    </>
  );
}

/** As high as its text; the style sheet says how high at most. */
function useGrowing(area: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = area.current;
    if (!element || CSS.supports('field-sizing', 'content')) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  }, [area, text]);
}
