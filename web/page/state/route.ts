import { useLayoutEffect, useState } from 'preact/hooks';

export type Route =
  | { view: 'sessions' }
  | { view: 'session'; id: string }
  | { view: 'new' }
  | { view: 'batches' }
  | { view: 'batch'; id: string }
  | { view: 'queued'; id: string }
  | { view: 'invitations' }
  | { view: 'activity' }
  | { view: 'settings' };

const PLAIN = ['new', 'batches', 'invitations', 'activity', 'settings'] as const;

/** The part of the address after `#`: no server ever sees which session is open. */
function routeOf(hash: string): Route {
  const [, view, id] = hash.replace(/^#/, '').split('/');
  if ((view === 'session' || view === 'batch' || view === 'queued') && id) return { view, id: decoded(id) };
  const plain = PLAIN.find((name) => name === view);
  return { view: plain ?? 'sessions' };
}

/** An address that somebody typed names no session, and is told so. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

export function addressOf(route: Route): string {
  if (route.view === 'sessions') return '#/';
  return 'id' in route ? `#/${route.view}/${encodeURIComponent(route.id)}` : `#/${route.view}`;
}

export function go(route: Route): void {
  location.hash = addressOf(route);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  // Before anything can be clicked.
  useLayoutEffect(() => {
    const change = () => setRoute(routeOf(location.hash));
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  return route;
}
