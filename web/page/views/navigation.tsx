import type { Route } from '../state/route.ts';
import { useServer } from '../state/server.ts';
import { NavLink } from './parts.tsx';

/** Where one can go: within reach of a thumb on a phone. */
export function Navigation({ route, waiting }: { route: Route; waiting: number }) {
  const { me } = useServer();
  const isSessions = route.view === 'sessions' || route.view === 'session' || route.view === 'new';
  const badge = waiting > 0 ? { badge: String(waiting) } : {};
  return (
    <nav class="navigation" aria-label="Main">
      <NavLink to={{ view: 'sessions' }} label="Sessions" icon="plan" isCurrent={isSessions} {...badge} />
      {me.role === 'owner' && (
        <>
          <NavLink
            to={{ view: 'batches' }}
            label="Batches"
            icon="batch"
            isCurrent={['batches', 'batch', 'queued'].includes(route.view)}
          />
          <NavLink
            to={{ view: 'invitations' }}
            label="Invite"
            icon="user"
            isCurrent={route.view === 'invitations'}
          />
          <NavLink
            to={{ view: 'activity' }}
            label="Activity"
            icon="history"
            isCurrent={route.view === 'activity'}
          />
        </>
      )}
      <NavLink
        to={{ view: 'settings' }}
        label="Settings"
        icon="options"
        isCurrent={route.view === 'settings'}
      />
    </nav>
  );
}
