import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { Announcer } from './announce.tsx';
import { Composer } from './composer/composer.tsx';
import { emptyDraft, type PromptDraft, withAdded } from './composer/draft.ts';
import type { ChatConnection } from './connection.ts';
import { type ChatContext, Context, useChat } from './context.ts';
import { Asks } from './dock/asks.tsx';
import { Changes } from './dock/changes.tsx';
import { Plan } from './dock/plan.tsx';
import { Waiting } from './dock/waiting.tsx';
import { Header } from './header.tsx';
import { Boundary } from './parts/boundary.tsx';
import { Icon } from './parts/icon.tsx';
import { Sessions } from './sessions/sessions.tsx';
import { Welcome } from './sessions/welcome.tsx';
import { ChatStore, type ComposeEvent } from './state/store.ts';
import { isWatching, type View } from './state/view.ts';
import { visible } from './text/visible.ts';
import { Transcript } from './transcript/transcript.tsx';

export type ChatProps = {
  connection: ChatConnection;
  /** False where the page around the chat shows the title and the other sessions. Default: true. */
  hasHeader?: boolean;
  /** A prompt that was being written when the chat was closed. */
  draft?: PromptDraft | undefined;
  onDraft?: (draft: PromptDraft) => void;
};

/** One conversation: what was said and done, what waits for the user, and where to write. */
export function Chat({ connection, hasHeader = true, draft: saved, onDraft }: ChatProps) {
  const [error, setError] = useState<string | null>(null);
  const [isListing, setListing] = useState(false);
  const [draft, setDraft] = useState<PromptDraft>(saved ?? emptyDraft);
  const view = useView(connection, (event) => setDraft((now) => withAdded(now, event)));
  const context = useMemo((): ChatContext => {
    const run = (action: Promise<unknown>) => {
      action.catch((reason) => setError(reason instanceof Error ? reason.message : String(reason)));
    };
    return { connection, run, folds: new Map() };
  }, [connection]);
  useEffect(() => onDraft?.(draft), [draft, onDraft]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || view.turn === null || isWatching(view)) return;
    event.preventDefault();
    context.run(connection.cancel());
  };
  const closeList = useCallback(() => setListing(false), []);
  const isEmpty = view.items.length === 0 && view.turn === null;
  return (
    <Context.Provider value={context}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape stops the turn, wherever the focus is. */}
      <div class="chat" onKeyDown={onKeyDown}>
        {hasHeader && <Header view={view} onSessions={() => setListing(!isListing)} />}
        <ConnectionBanner view={view} />
        {isListing ? (
          <Sessions current={view.session?.id} version={view.sessionsVersion} onClose={closeList} />
        ) : (
          <>
            {isEmpty && view.session ? (
              <Welcome view={view} onIdea={(text) => setDraft({ ...draft, text })} />
            ) : (
              <Transcript key={view.session?.id} view={view} />
            )}
            <footer class="dock">
              {error !== null && <ErrorBar text={error} onClose={() => setError(null)} />}
              <Boundary key={view.asks[0]?.requestId}>
                <Asks view={view} />
              </Boundary>
              {isPlanShown(view) && <Plan entries={view.plan} />}
              {view.session && (
                <Changes version={view.changesVersion} cwd={view.session.cwd} isWatching={isWatching(view)} />
              )}
              <WaitingPrompts view={view} />
              <TypingLine view={view} />
              {isWatching(view) ? (
                <p class="watching">
                  {visible(
                    view.session?.readOnly ??
                      'You are watching. Ask the owner for an invitation to take part.',
                  )}
                </p>
              ) : (
                <Composer view={view} draft={draft} onDraft={setDraft} />
              )}
            </footer>
          </>
        )}
        <Announcer view={view} />
      </div>
    </Context.Provider>
  );
}

function useView(connection: ChatConnection, onCompose: (event: ComposeEvent) => void): View {
  const store = useMemo(() => new ChatStore(connection, onCompose), [connection]);
  const [view, setView] = useState(store.view);
  useEffect(() => {
    setView(store.view);
    store.subscribe(setView);
    return () => store.close();
  }, [store]);
  return view;
}

function WaitingPrompts({ view }: { view: View }) {
  const { connection, run } = useChat();
  const isOnline = view.connection.state === 'online';
  const sending = isOnline ? [] : view.sending;
  const discard = useCallback(() => run(connection.cancel()), [connection, run]);
  if (view.waiting.length + sending.length === 0) return null;
  const mayDiscard = isOnline && view.turn === null && !isWatching(view);
  return <Waiting prompts={view.waiting} sending={sending} onDiscard={mayDiscard ? discard : undefined} />;
}

function ConnectionBanner({ view: { connection } }: { view: View }) {
  if (connection.state === 'online') return null;
  const words = connection.state === 'connecting' ? 'Connecting…' : 'Connection lost. Reconnecting…';
  return (
    <div class={`banner ${connection.state}`} role="status">
      {visible(connection.message ?? words)}
    </div>
  );
}

function ErrorBar({ text, onClose }: { text: string; onClose(): void }) {
  return (
    <div class="note error error-bar" role="alert">
      <Icon name="error" />
      <div class="note-text">{visible(text)}</div>
      <button type="button" class="quiet small" onClick={onClose} aria-label="Dismiss">
        <Icon name="close" />
      </button>
    </div>
  );
}

function TypingLine({ view: { typing, participants, session } }: { view: View }) {
  const names = participants
    .filter(({ id }) => typing.includes(id) && id !== session?.you)
    .map(({ name }) => name);
  if (names.length === 0) return null;
  const who =
    names.length > 2
      ? `${names.length} people are`
      : `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'}`;
  return <p class="typing-line">{visible(`${who} writing…`)}</p>;
}

/** A plan that is done is of no interest after its turn. */
function isPlanShown({ plan, turn }: View): boolean {
  return plan.length > 0 && (turn !== null || plan.some(({ status }) => status !== 'completed'));
}
