import { useState } from 'preact/hooks';
import { ownerMethods, type SignIn } from '../../../src/frontends/server/owner-methods.ts';
import { visible } from '../../chat/text/visible.ts';
import { useAnswer, useServer } from '../state/server.ts';
import { Problem } from './parts.tsx';

/** The browsers that are signed in, of the owner and of guests. */
export function SignIns() {
  const { link } = useServer();
  const { answer, error, again } = useAnswer<{ signIns: SignIn[] }>(ownerMethods.listSignIns);
  const [problem, setProblem] = useState<string | null>(null);
  const end = (id: string) =>
    link.request(ownerMethods.endSignIn, { id }).then(again, (reason: Error) => setProblem(reason.message));
  return (
    <>
      <h2>Signed-in browsers</h2>
      <Problem text={problem ?? error} />
      <ul class="rows" aria-label="Signed-in browsers">
        {answer?.signIns.map((one) => (
          <li key={one.id} class="row">
            <span class="row-text">
              <strong>{visible(one.browser)}</strong>
              <span class="hint">{factsOf(one)}</span>
            </span>
            <button
              type="button"
              class="button danger"
              onClick={() => void end(one.id)}
              aria-label={`Sign out ${visible(one.browser)} of ${visible(one.name)}, ${one.id}`}
            >
              Sign out
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function factsOf({ name, role, createdAt, expiresAt }: SignIn): string {
  const since = createdAt === null ? [] : [`since ${new Date(createdAt).toLocaleString()}`];
  return [visible(name), role, ...since, `until ${new Date(expiresAt).toLocaleString()}`].join(' · ');
}
