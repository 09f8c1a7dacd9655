import { useChat } from './context.ts';
import { Icon } from './parts/icon.tsx';
import type { View } from './state/view.ts';
import { visible } from './text/visible.ts';

type Props = { view: View; onSessions(): void };

/** The title of the session, who else is there, and the way to other sessions. */
export function Header({ view, onSessions }: Props) {
  const { connection, run } = useChat();
  const { session, participants } = view;
  const others = participants.filter(({ id }) => id !== session?.you);
  return (
    <header class="header">
      <h1>{visible(session?.title || 'New session')}</h1>
      {others.length > 0 && (
        <ul class="people" aria-label="Also here">
          {others.slice(0, 4).map(({ id, name, role }) => (
            <li
              key={id}
              class={view.typing.includes(id) ? 'person typing' : 'person'}
              title={visible(`${name} (${role})`)}
            >
              <span aria-hidden="true">{[...name][0]?.toUpperCase()}</span>
              <span class="offscreen">{visible(`${name}, ${role}`)}</span>
            </li>
          ))}
          {others.length > 4 && <li class="muted">{`+${others.length - 4}`}</li>}
        </ul>
      )}
      <button
        type="button"
        class="quiet"
        onClick={() => run(connection.newSession())}
        aria-label="New session"
        title="New session"
      >
        <Icon name="add" />
      </button>
      <button type="button" class="quiet" onClick={onSessions} aria-label="Sessions" title="Sessions">
        <Icon name="history" />
      </button>
    </header>
  );
}
