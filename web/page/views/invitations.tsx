import { useState } from 'preact/hooks';
import {
  type CreatedInvitation,
  type Invitation,
  type NewInvitation,
  ownerMethods,
} from '../../../src/frontends/server/owner-methods.ts';
import { visible } from '../../chat/text/visible.ts';
import { useAnswer, useServer } from '../state/server.ts';
import { Panel, Problem } from './parts.tsx';
import { ShownLink } from './shown-link.tsx';

const HOUR = 60 * 60_000;
const TIMES = [
  { name: '1 hour', value: HOUR },
  { name: '8 hours', value: 8 * HOUR },
  { name: '1 day', value: 24 * HOUR },
  { name: '7 days', value: 7 * 24 * HOUR },
  { name: '30 days', value: 30 * 24 * HOUR },
];

/** Links that let others watch, or take part. */
export function Invitations() {
  const { link } = useServer();
  const { answer, error, again } = useAnswer<{ invitations: Invitation[] }>(ownerMethods.listInvitations);
  const [created, setCreated] = useState<CreatedInvitation | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const fails = (reason: Error) => setProblem(reason.message);
  const create = (wanted: NewInvitation) =>
    link.request<CreatedInvitation>(ownerMethods.createInvitation, wanted).then((made) => {
      setCreated(made);
      setProblem(null);
      again();
    }, fails);
  const revoke = (id: string) =>
    link.request(ownerMethods.revokeInvitation, { id }).then(() => {
      if (created?.invitation.id === id) setCreated(null);
      again();
    }, fails);
  return (
    <Panel title="Invitations">
      <Create onCreate={create} />
      <Problem text={problem ?? error} />
      {created && <ShownLink link={created.link} role={created.invitation.role} />}
      <h2>Valid invitations</h2>
      {answer?.invitations.length === 0 && (
        <p class="hint">None. Whoever has a link can use it until it expires.</p>
      )}
      <ul class="rows">
        {answer?.invitations.map((one) => (
          <li key={one.id} class="row">
            <span class="row-text">
              <strong>{visible(one.name ?? 'Anybody with the link')}</strong>
              <span class="hint">{factsOf(one)}</span>
            </span>
            <button
              type="button"
              class="button danger"
              onClick={() => void revoke(one.id)}
              aria-label={`Revoke the invitation ${one.id}`}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Create({ onCreate }: { onCreate(wanted: NewInvitation): void }) {
  const { sessions } = useServer();
  const [role, setRole] = useState<NewInvitation['role']>('viewer');
  const [expiresInMs, setTime] = useState(24 * HOUR);
  const [session, setSession] = useState('');
  const [name, setName] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    onCreate({
      role,
      expiresInMs,
      ...(session !== '' && { sessions: [session] }),
      ...(name.trim() !== '' && { name: name.trim() }),
    });
  };
  return (
    <form class="form" onSubmit={submit}>
      <fieldset class="choice-cards">
        <legend>They may</legend>
        <label>
          <input type="radio" name="role" checked={role === 'viewer'} onChange={() => setRole('viewer')} />
          <span>
            <strong>Watch</strong>
            <span class="hint">See everything, change nothing</span>
          </span>
        </label>
        <label>
          <input type="radio" name="role" checked={role === 'editor'} onChange={() => setRole('editor')} />
          <span>
            <strong>Take part</strong>
            <span class="hint">Prompt, approve, revert changes</span>
          </span>
        </label>
      </fieldset>
      <div class="fields">
        <label>
          Valid for
          <select
            value={String(expiresInMs)}
            onChange={(event) => setTime(Number(event.currentTarget.value))}
          >
            {TIMES.map((time) => (
              <option key={time.value} value={String(time.value)}>
                {time.name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Sessions
          <select value={session} onChange={(event) => setSession(event.currentTarget.value)}>
            <option value="">All sessions</option>
            {sessions?.slice(0, 50).map(({ id, title }) => (
              <option key={id} value={id}>
                {visible(title || 'New session')}
              </option>
            ))}
          </select>
        </label>
        <label>
          Name (optional)
          <input
            type="text"
            value={name}
            maxLength={40}
            autocomplete="off"
            placeholder="Asked when they join"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
      </div>
      <div class="actions">
        <button type="submit" class="button primary">
          Create link
        </button>
      </div>
    </form>
  );
}

function factsOf({ role, sessions, expiresAt, lastUsedAt }: Invitation): string {
  const where =
    sessions === 'all' ? 'all sessions' : `${sessions.length} session${sessions.length === 1 ? '' : 's'}`;
  const until = new Date(expiresAt).toLocaleString();
  return [role, where, `until ${until}`, lastUsedAt === null ? 'not used yet' : 'used'].join(' · ');
}
