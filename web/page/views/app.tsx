import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { ServerLink } from '../../wire/server-link.ts';
import { type Me, me, onReturn, openSocket, signIn, signOut, takeCode } from '../access.ts';
import { ServerContext, useLinkState, useSessions } from '../state/server.ts';
import { Layout } from './layout.tsx';
import { SignIn } from './sign-in.tsx';

type Access =
  | { type: 'loading' }
  | { type: 'signed in'; me: Me }
  /** `code` is of a link whose guest has no name yet. */
  | { type: 'signed out'; message: string; code: string | null };

const messages = {
  wait: 'Too many wrong codes. Wait a little, then try again.',
  wrong: 'This link or code does not work any more. Run `aca serve link` for a new one.',
};

/** The whole page. */
export function App() {
  const [access, setAccess] = useState<Access>({ type: 'loading' });
  const enter = async (code: string, name: string): Promise<void> => {
    const result = await signIn(code, name);
    if (result === 'signed in') await check('');
    else if (result === 'needs a name') setAccess({ type: 'signed out', message: '', code });
    else await check(messages[result]);
  };
  /** A link that does not work does not end an access that does. */
  const check = async (message: string): Promise<void> => {
    const known = await me();
    if (known) setAccess({ type: 'signed in', me: known });
    else setAccess({ type: 'signed out', message, code: null });
  };
  useLayoutEffect(() => {
    const follow = () => {
      const code = takeCode();
      return code === null ? null : enter(code, '');
    };
    const failed = () =>
      setAccess({ type: 'signed out', message: 'The server does not answer. Reload the page.', code: null });
    (follow() ?? check('')).catch(failed);
    // A link that is opened in a tab where the page is already.
    const change = () => void follow()?.catch(failed);
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  if (access.type === 'loading') return <main class="page" aria-busy="true" aria-label="Loading" />;
  if (access.type === 'signed out')
    return (
      <SignIn
        message={access.message}
        needsName={access.code !== null}
        onEnter={(code, name) => enter(access.code ?? code, name)}
      />
    );
  const leave = (message: string) => setAccess({ type: 'signed out', message, code: null });
  return <SignedIn key={access.me.name + access.me.role} me={access.me} onLeft={leave} />;
}

function SignedIn({ me, onLeft }: { me: Me; onLeft(message: string): void }) {
  const link = useMemo(() => new ServerLink({ open: openSocket, name: 'aca-page', onReturn }), []);
  useEffect(() => () => link.close(), [link]);
  const state = useLinkState(link);
  const sessions = useSessions(link);
  useEffect(() => {
    if (state === 'signed out') onLeft('Your access ended. Sign in again.');
  }, [state]);
  const server = {
    me,
    link,
    state,
    sessions,
    signOut: () => void signOut().finally(() => onLeft('Signed out.')),
  };
  return (
    <ServerContext.Provider value={server}>
      <Layout />
    </ServerContext.Provider>
  );
}
