import { useEffect, useMemo, useState } from 'preact/hooks';
import { Chat } from '../../chat/chat.tsx';
import type { OpenedSession, Participant } from '../../chat/connection.ts';
import { Icon } from '../../chat/parts/icon.tsx';
import { money } from '../../chat/text/format.ts';
import { visible } from '../../chat/text/visible.ts';
import { SessionLink } from '../../wire/session-link.ts';
import { knowOptions } from '../state/known-options.ts';
import { addressOf, go } from '../state/route.ts';
import { useServer } from '../state/server.ts';
import { StateMark } from './parts.tsx';

/** One session: who is there, and the conversation. */
export function SessionView({ id }: { id: string }) {
  const { link } = useServer();
  const session = useMemo(
    () =>
      new SessionLink({
        link,
        sessionId: id,
        openSession: (other) => go({ view: 'session', id: other }),
        newSession: () => go({ view: 'new' }),
        openLink: (url) => void window.open(url, '_blank', 'noopener,noreferrer'),
      }),
    [link, id],
  );
  const around = useAround(session);
  // After the effects of everything inside, which listens by then.
  useEffect(() => {
    session.start();
    return () => session.close();
  }, [session]);
  return (
    <main class="session-view" id="main" tabIndex={-1}>
      <SessionBar id={id} session={session} {...around} />
      <Chat connection={session.connection} hasHeader={false} />
    </main>
  );
}

type Around = { opened: OpenedSession | null; people: readonly Participant[]; writing: readonly string[] };

/** What the bar shows of the events. */
function useAround(session: SessionLink): Around {
  const [around, setAround] = useState<Around>({ opened: null, people: [], writing: [] });
  useEffect(
    () =>
      session.connection.onEvent((event) => {
        if (event.type === 'session') {
          knowOptions(event.session);
          setAround((now) => ({ ...now, opened: event.session }));
        } else if (event.type === 'participants')
          setAround((now) => ({ ...now, people: event.participants }));
        else if (event.type === 'typing')
          setAround(({ writing, ...now }) => {
            const others = writing.filter((who) => who !== event.participant);
            return { ...now, writing: event.isTyping ? [...others, event.participant] : others };
          });
      }),
    [session],
  );
  return around;
}

function SessionBar({ id, session, opened, people, writing }: Around & { id: string; session: SessionLink }) {
  const { sessions, me, link } = useServer();
  const [error, setError] = useState<string | null>(null);
  const overview = sessions?.find((one) => one.id === id);
  const title = overview?.title || opened?.title || 'New session';
  const fails = (reason: Error) => setError(reason.message);
  const remove = () => {
    if (!confirm('Delete this session and its history? This cannot be undone.')) return;
    link.request('session/delete', { sessionId: id }).then(() => go({ view: 'sessions' }), fails);
  };
  return (
    <>
      <header class="bar session-bar">
        <a class="icon-button back" href={addressOf({ view: 'sessions' })} aria-label="Back to sessions">
          <Icon name="back" />
        </a>
        <div class="session-heading">
          <h1>{visible(title)}</h1>
          <p class="session-facts-line">
            {overview && <StateMark state={overview.state} />}
            {opened && <span class="mono cwd">{visible(opened.cwd)}</span>}
            {overview?.costUsd ? <span>{money(overview.costUsd)}</span> : null}
          </p>
        </div>
        <People people={people} you={opened?.you} writing={writing} />
        {me.role === 'owner' && (
          <>
            <a
              class="icon-button"
              href={addressOf({ view: 'invitations' })}
              aria-label="Invite somebody"
              title="Invite"
            >
              <Icon name="user" />
            </a>
            <button
              type="button"
              class="icon-button"
              onClick={remove}
              aria-label="Delete session"
              title="Delete"
            >
              <Icon name="delete" />
            </button>
          </>
        )}
      </header>
      {overview?.state === 'interrupted' && me.role !== 'viewer' && (
        <div class="strip warn">
          <span>The server ended during this run.</span>
          <button type="button" class="button" onClick={() => session.resumeRun().catch(fails)}>
            Continue
          </button>
        </div>
      )}
      {error !== null && (
        <p class="strip warn" role="alert">
          {visible(error)}
        </p>
      )}
    </>
  );
}

function People({
  people,
  you,
  writing,
}: {
  people: readonly Participant[];
  you: string | undefined;
  writing: readonly string[];
}) {
  if (people.length < 2) return null;
  return (
    <ul class="people" aria-label="People in this session">
      {people.slice(0, 5).map(({ id, name, role }) => {
        const label = visible(`${name}${id === you ? ' (you)' : ''}, ${role}`);
        return (
          <li
            key={id}
            class={writing.includes(id) ? `person ${role} writing` : `person ${role}`}
            title={label}
          >
            <span aria-hidden="true">{[...name][0]?.toUpperCase()}</span>
            <span class="offscreen">{label}</span>
          </li>
        );
      })}
      {people.length > 5 && <li class="person more">{`+${people.length - 5}`}</li>}
    </ul>
  );
}
