import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SessionState, SessionSummary } from '../connection.ts';
import { useChat } from '../context.ts';
import { Icon } from '../parts/icon.tsx';
import { ago, money } from '../text/format.ts';
import { visible } from '../text/visible.ts';

type Props = { current: string | undefined; version: number; onClose(): void };

const STATES: Record<SessionState, string> = {
  working: 'Working',
  waiting: 'Waiting for you',
  idle: 'Idle',
  done: 'Done',
  failed: 'Failed',
};

/** All sessions, to look for one and open it. */
export function Sessions({ current, version, onClose }: Props) {
  const { connection, run } = useChat();
  const [sessions, setSessions] = useState<SessionSummary[] | null>(null);
  const [filter, setFilter] = useState('');
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    let isGone = false;
    run(connection.listSessions().then((found) => isGone || setSessions(found)));
    return () => {
      isGone = true;
    };
  }, [connection, run, version]);
  // Before the next key can arrive: Escape would stop the turn instead of closing the list.
  useLayoutEffect(() => {
    // On a phone, the keyboard would hide the list.
    if (!matchMedia('(pointer: coarse)').matches) search.current?.focus();
  }, []);
  const wanted = filter.trim().toLowerCase();
  const found = sessions?.filter(({ title, cwd, lastLine }) =>
    `${title} ${cwd} ${lastLine}`.toLowerCase().includes(wanted),
  );
  const open = (action: Promise<void>) => run(action.then(onClose));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    onClose();
  };
  return (
    <section class="sessions" aria-label="Sessions" onKeyDown={onKeyDown}>
      <div class="sessions-head">
        <button
          type="button"
          class="quiet"
          onClick={onClose}
          aria-label="Back to the conversation"
          title="Back"
        >
          <Icon name="back" />
        </button>
        <input
          ref={search}
          type="search"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
          placeholder="Search sessions"
          aria-label="Search sessions"
        />
        <button type="button" class="primary" onClick={() => open(connection.newSession())}>
          New
        </button>
      </div>
      {found === undefined && <p class="muted hint">Loading sessions…</p>}
      {found?.length === 0 && (
        <p class="muted hint">{wanted === '' ? 'No sessions yet.' : 'No session matches.'}</p>
      )}
      <ul class="session-list">
        {found?.map((session) => (
          <li key={session.id}>
            <Entry
              session={session}
              isCurrent={session.id === current}
              onOpen={() => open(connection.openSession(session.id))}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Entry({
  session,
  isCurrent,
  onOpen,
}: {
  session: SessionSummary;
  isCurrent: boolean;
  onOpen(): void;
}) {
  const { title, cwd, state, updatedAt, costUsd, lastLine } = session;
  const facts = [
    state && state !== 'idle' && state !== 'done' ? STATES[state] : '',
    updatedAt === undefined ? '' : ago(Date.parse(updatedAt), Date.now()),
    costUsd === undefined || costUsd === 0 ? '' : money(costUsd),
    cwd.split('/').at(-1) ?? cwd,
  ].filter(Boolean);
  return (
    <button type="button" class="session" onClick={onOpen} aria-current={isCurrent ? 'true' : undefined}>
      <span class={`dot is-${state ?? 'idle'}`} aria-hidden="true" />
      <span class="session-text">
        <span class="session-title">{visible(title || 'Untitled session')}</span>
        {lastLine && <span class="session-line">{visible(lastLine)}</span>}
        <span class="session-facts" title={visible(cwd)}>
          {visible(facts.join(' · '))}
        </span>
      </span>
    </button>
  );
}
