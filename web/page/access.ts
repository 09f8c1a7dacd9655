import { SOCKET_PATH } from '../../src/frontends/server/server-methods.ts';

/**
 * Access of this browser to the server. It needs two secrets: a cookie that scripts cannot read, and a key that only
 * pages of this origin can read. Servers on other ports of the same host get the cookie, but not the key.
 */
const KEY = 'aca.key';

export type Me = { name: string; role: 'owner' | 'editor' | 'viewer'; sessions: 'all' | string[] };

export type SignInResult = 'signed in' | 'needs a name' | 'wrong' | 'wait';

/** Takes the code of a link out of the address bar and the history. */
export function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) history.replaceState(null, '', location.pathname);
  return code;
}

/** Null if this browser is not signed in. */
export async function me(): Promise<Me | null> {
  const response = await fetch('/api/me', { headers: headers() });
  return response.ok ? ((await response.json()) as Me) : null;
}

export async function signIn(code: string, name: string): Promise<SignInResult> {
  const response = await fetch('/api/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, name }),
  });
  if (response.status === 422) return 'needs a name';
  if (response.status === 429) return 'wait';
  if (!response.ok) return 'wrong';
  localStorage.setItem(KEY, ((await response.json()) as { key: string }).key);
  return 'signed in';
}

export async function signOut(): Promise<void> {
  await fetch('/api/sign-out', { method: 'POST', headers: headers() });
  localStorage.removeItem(KEY);
}

/** A connection that speaks the Agent Client Protocol. Closed with code 4401 when the access ends. */
export function openSocket(): WebSocket {
  const url = new URL(SOCKET_PATH, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  return new WebSocket(url, ['aca.v1', `aca.key.${localStorage.getItem(KEY) ?? ''}`]);
}

/** Calls the listener when the network or the user is back. Returns how to stop that. */
export function onReturn(listener: () => void): () => void {
  const returned = () => document.visibilityState !== 'hidden' && listener();
  addEventListener('online', returned);
  document.addEventListener('visibilitychange', returned);
  return () => {
    removeEventListener('online', returned);
    document.removeEventListener('visibilitychange', returned);
  };
}

function headers(): Record<string, string> {
  return { 'x-aca-key': localStorage.getItem(KEY) ?? '' };
}
