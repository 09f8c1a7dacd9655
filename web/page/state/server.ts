import type { NewSessionRequest, NewSessionResponse } from '@agentclientprotocol/sdk';
import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import {
  type SessionOverview,
  serverMethods,
  serverNotifications,
} from '../../../src/frontends/server/server-methods.ts';
import type { LinkState, ServerLink } from '../../wire/server-link.ts';
import type { Me } from '../access.ts';
import { notifyWaiting } from './notify.ts';
import { preferences } from './preferences.ts';

export type Server = {
  me: Me;
  link: ServerLink;
  state: LinkState;
  /** Null until they are known. */
  sessions: readonly SessionOverview[] | null;
  signOut(): void;
};

export const ServerContext = createContext<Server | null>(null);

export function useServer(): Server {
  const server = useContext(ServerContext);
  if (!server) throw new Error('Outside of <App>.');
  return server;
}

/** How often a busy server makes the list of sessions load again, in milliseconds. */
const LEAST_BETWEEN = 300;
const REPEATED_MS = 2_000;

export function useLinkState(link: ServerLink): LinkState {
  const [state, setState] = useState(link.state);
  useEffect(() => {
    setState(link.state);
    return link.listen({ onState: setState });
  }, [link]);
  return state;
}

/** All sessions, kept up to date. */
export function useSessions(link: ServerLink): readonly SessionOverview[] | null {
  const [sessions, setSessions] = useState<readonly SessionOverview[] | null>(null);
  const before = useRef<readonly SessionOverview[]>([]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async () => {
      timer = undefined;
      try {
        const found = await link.request<{ sessions: SessionOverview[] }>(serverMethods.overview, {});
        notifyWaiting(before.current, found.sessions);
        before.current = found.sessions;
        setSessions(found.sessions);
      } catch {
        // The connection is lost; the next one loads it again.
      }
    };
    const soon = () => {
      timer ??= setTimeout(() => void load(), LEAST_BETWEEN);
    };
    if (link.state === 'online') void load();
    const stop = link.listen({
      onState: (state) => state === 'online' && void load(),
      onNotification: (method) => method === serverNotifications.sessionsChanged && soon(),
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [link]);
  return sessions;
}

/** What a request returns, loaded again when `again` is called or the connection is back. */
export function useAnswer<Result>(
  method: string,
  params: object = {},
): { answer: Result | null; error: string | null; again(): void } {
  const { link, state } = useServer();
  const [answer, setAnswer] = useState<Result | null>(null);
  const [error, setError] = useState<string | null>(null);
  const key = JSON.stringify(params);
  const again = useCallback(() => {
    if (link.state !== 'online') return;
    link.request<Result>(method, JSON.parse(key)).then(
      (result) => {
        setAnswer(result);
        setError(null);
      },
      (reason: Error) => setError(reason.message),
    );
  }, [link, method, key]);
  useEffect(again, [again, state]);
  return { answer, error, again };
}

/** Calls `again` every few seconds while this is shown and something goes on. */
export function useRepeated(again: () => void, isGoingOn: boolean): void {
  useEffect(() => {
    if (!isGoingOn) return;
    const timer = setInterval(() => document.hidden || again(), REPEATED_MS);
    return () => clearInterval(timer);
  }, [again, isGoingOn]);
}

/** Creates a session, and sends its first prompt. Returns its id. */
export async function createSession(link: ServerLink, cwd: string, prompt: string): Promise<string> {
  const { model, mode } = preferences();
  const options = { ...(model !== '' && { model }), ...(mode !== '' && { mode }) };
  const request: NewSessionRequest = { cwd, mcpServers: [], _meta: { aca: { options } } };
  const { sessionId } = await link.request<NewSessionResponse>('session/new', request);
  // Its answer comes when the turn ends; the events of the session tell how.
  if (prompt.trim() !== '')
    link
      .request('session/prompt', { sessionId, prompt: [{ type: 'text', text: prompt }] })
      .catch(() => undefined);
  return sessionId;
}
