import { useMemo, useState } from 'preact/hooks';
import type { SessionOverview, SessionState } from '../../../src/frontends/server/server-methods.ts';
import { Icon } from '../../chat/parts/icon.tsx';
import { useNow } from '../../chat/parts/use-now.ts';
import { ago, money } from '../../chat/text/format.ts';
import { visible } from '../../chat/text/visible.ts';
import { addressOf } from '../state/route.ts';
import { useServer } from '../state/server.ts';
import { Logo, StateMark } from './parts.tsx';

/** What needs the user comes first, then what runs, then the newest. */
const ORDER: Record<SessionState, number> = {
  waiting: 0,
  working: 1,
  interrupted: 2,
  failed: 2,
  done: 2,
  idle: 2,
};

export function SessionList({ current }: { current: string | null }) {
  const { sessions, me } = useServer();
  const [filter, setFilter] = useState('');
  const shown = useMemo(() => matching(sessions ?? [], filter), [sessions, filter]);
  const now = useNow(shown.some(({ state }) => state === 'working'));
  return (
    <section class="session-list-view" aria-label="All sessions">
      <header class="bar">
        <Logo />
        <h2>aca</h2>
        {me.role === 'owner' ? (
          <a class="button primary" href={addressOf({ view: 'new' })}>
            <Icon name="add" />
            New session
          </a>
        ) : (
          <span class="tag">{me.role === 'viewer' ? 'You are watching' : 'Editor'}</span>
        )}
      </header>
      <div class="filter">
        <Icon name="search" />
        <input
          type="search"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
          placeholder="Filter sessions"
          aria-label="Filter sessions"
        />
      </div>
      <ul class="cards">
        {sessions === null &&
          [1, 2, 3].map((key) => <li key={key} class="card skeleton" aria-hidden="true" />)}
        {shown.map((session) => (
          <li key={session.id}>
            <Card session={session} isCurrent={session.id === current} now={now} />
          </li>
        ))}
      </ul>
      {sessions !== null && shown.length === 0 && (
        <p class="hint empty">{sessions.length === 0 ? 'No sessions yet.' : 'No session matches.'}</p>
      )}
    </section>
  );
}

type CardProps = { session: SessionOverview; isCurrent: boolean; now: number };

function Card({ session, isCurrent, now }: CardProps) {
  const { id, title, cwd, state, costUsd, lastLine, updatedAt, participants } = session;
  return (
    <a
      class={`card ${state}`}
      href={addressOf({ view: 'session', id })}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <span class="card-title">{visible(title || 'New session')}</span>
      <span class="card-line">{visible(withoutMarkup(lastLine) || cwd)}</span>
      <span class="card-facts">
        <StateMark state={state} />
        <span class="folder-name" title={visible(cwd)}>
          {visible(cwd.split('/').at(-1) || cwd)}
        </span>
        {participants > 1 && <span>{`${participants} people`}</span>}
        {costUsd !== null && costUsd > 0 && <span>{money(costUsd)}</span>}
        <span class="when">{ago(Date.parse(updatedAt), now)}</span>
      </span>
    </a>
  );
}

/** The most common marks of Markdown, which one line does not need. */
function withoutMarkup(line: string): string {
  return line.replaceAll(/\*\*|`|^#+ |^[-*] /g, '');
}

function matching(sessions: readonly SessionOverview[], filter: string): SessionOverview[] {
  const wanted = filter.trim().toLowerCase();
  return sessions
    .filter(({ title, cwd, lastLine, state }) =>
      `${title}\n${cwd}\n${lastLine}\n${state}`.toLowerCase().includes(wanted),
    )
    .sort((a, b) => ORDER[a.state] - ORDER[b.state] || b.updatedAt.localeCompare(a.updatedAt));
}
