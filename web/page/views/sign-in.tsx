import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Logo } from './parts.tsx';

type Props = { message: string; needsName: boolean; onEnter(code: string, name: string): Promise<void> };

/** By the code of a link, or the token. Guests also say their name. */
export function SignIn({ message, needsName, onEnter }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  useLayoutEffect(() => input.current?.focus(), [needsName]);
  const submit = async (event: Event) => {
    event.preventDefault();
    const text = input.current?.value.trim() ?? '';
    setBusy(true);
    await onEnter(codeIn(text), text).finally(() => setBusy(false));
  };
  return (
    <main class="page sign-in">
      <form class="sign-in-card" onSubmit={(event) => void submit(event)}>
        <Logo />
        <h1>{needsName ? 'Join' : 'Sign in to aca'}</h1>
        <p class="hint">
          {needsName
            ? 'You were invited to this server. Others see the name you choose.'
            : 'Open the link that `aca serve` printed, or paste it here. `aca serve link` prints a new one.'}
        </p>
        <label for="access">{needsName ? 'Your name' : 'Link, code or token'}</label>
        {needsName ? (
          <input
            id="access"
            key="name"
            ref={input}
            type="text"
            autocomplete="nickname"
            maxLength={40}
            required
          />
        ) : (
          <input
            id="access"
            key="code"
            ref={input}
            type="password"
            autocomplete="off"
            maxLength={300}
            required
          />
        )}
        <button type="submit" class="button primary" disabled={isBusy}>
          {needsName ? 'Join' : 'Sign in'}
        </button>
        <p role="status" class="problem">
          {message}
        </p>
      </form>
    </main>
  );
}

/** People paste the whole link. */
function codeIn(text: string): string {
  return /#code=([^&\s]+)/.exec(text)?.[1] ?? text;
}
