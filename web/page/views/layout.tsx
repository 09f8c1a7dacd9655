import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { showBadge } from '../state/notify.ts';
import { addressOf, go, type Route, useRoute } from '../state/route.ts';
import { useServer } from '../state/server.ts';
import { Activity } from './activity.tsx';
import { BatchView, QueuedBatchView } from './batch-view.tsx';
import { Batches } from './batches.tsx';
import { Invitations } from './invitations.tsx';
import { Navigation } from './navigation.tsx';
import { NewSession } from './new-session.tsx';
import { SessionList } from './session-list.tsx';
import { SessionView } from './session-view.tsx';
import { Settings } from './settings.tsx';

/** The list beside what is open. On a phone, one of both. */
export function Layout() {
  const route = useRoute();
  const { sessions, state, me } = useServer();
  const waiting = sessions?.filter((session) => session.state === 'waiting').length ?? 0;
  const open = route.view === 'session' ? sessions?.find(({ id }) => id === route.id) : undefined;
  useEffect(() => showBadge(waiting, open?.title ? `${open.title} - aca` : 'aca'), [waiting, open?.title]);
  useShortcuts(me.role === 'owner');
  useFocusOnChange(route);
  return (
    <div class={`page layout ${route.view === 'sessions' ? 'at-list' : 'at-view'}`}>
      <a class="skip" href={addressOf(route)} onClick={focusMain}>
        Skip to content
      </a>
      <aside class="side" aria-label="Sessions">
        <SessionList current={route.view === 'session' ? route.id : null} />
        <Navigation route={route} waiting={waiting} />
      </aside>
      <div class="content">
        {state !== 'online' && route.view !== 'session' && (
          <div class="banner offline" role="status">
            {state === 'connecting' ? 'Connecting…' : 'Connection lost. Reconnecting…'}
          </div>
        )}
        <Content route={route} />
      </div>
    </div>
  );
}

function Content({ route }: { route: Route }) {
  switch (route.view) {
    case 'session':
      return <SessionView key={route.id} id={route.id} />;
    case 'new':
      return <NewSession />;
    case 'batches':
      return <Batches />;
    case 'batch':
      return <BatchView key={route.id} id={route.id} />;
    case 'queued':
      return <QueuedBatchView key={route.id} id={route.id} />;
    case 'invitations':
      return <Invitations />;
    case 'activity':
      return <Activity />;
    case 'settings':
      return <Settings />;
    case 'sessions':
      return (
        <main class="nothing-open" id="main" tabIndex={-1}>
          <p>Select a session, or start a new one.</p>
          <p class="hint">
            <kbd>n</kbd> new session, <kbd>/</kbd> filter, <kbd>Esc</kbd> stop the run
          </p>
        </main>
      );
    default:
      return route satisfies never;
  }
}

function focusMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** Keyboard users and screen readers land in the view that was opened. */
function useFocusOnChange(route: Route): void {
  const first = useRef(true);
  const address = addressOf(route);
  useLayoutEffect(() => {
    if (!first.current && !document.querySelector('#main')?.contains(document.activeElement))
      document.getElementById('main')?.focus({ preventScroll: true });
    first.current = false;
  }, [address]);
}

/** Single keys, wherever nobody is writing. */
function useShortcuts(isOwner: boolean): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isWriting =
        event.target instanceof Element && event.target.closest('input, textarea, select, .ask');
      if (isWriting || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const search = document.querySelector<HTMLInputElement>('.side input[type=search]');
      if (event.key === 'n' && isOwner) go({ view: 'new' });
      else if (event.key === '/' && search) search.focus();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [isOwner]);
}
