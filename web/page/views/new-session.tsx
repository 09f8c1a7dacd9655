import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { go } from '../state/route.ts';
import { createSession, useServer } from '../state/server.ts';
import { Panel, Problem } from './parts.tsx';

/** A folder and a first prompt. */
export function NewSession() {
  const { link, sessions } = useServer();
  const folders = [...new Set(sessions?.map(({ cwd }) => cwd))];
  const [folder, setFolder] = useState<string | null>(null);
  const [prompt, setPrompt] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  const cwd = folder ?? folders[0] ?? '';
  const create = async () => {
    setBusy(true);
    try {
      go({ view: 'session', id: await createSession(link, cwd.trim(), prompt) });
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason));
      setBusy(false);
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void create();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
  };
  return (
    <Panel title="New session">
      <form class="form" onSubmit={submit}>
        <label>
          Folder on the server
          <input
            type="text"
            class="mono"
            list="folders"
            value={cwd}
            onInput={(event) => setFolder(event.currentTarget.value)}
            placeholder="/home/you/project"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            required
          />
        </label>
        <datalist id="folders">
          {folders.map((path) => (
            <option key={path} value={path} />
          ))}
        </datalist>
        <label>
          What should be done?
          <textarea
            ref={box}
            rows={5}
            value={prompt}
            onInput={(event) => setPrompt(event.currentTarget.value)}
            onKeyDown={onKeyDown}
            placeholder="Describe the task, or leave it empty and write later"
          />
        </label>
        <div class="actions">
          <button type="submit" class="button primary" disabled={isBusy || cwd.trim() === ''}>
            Start
          </button>
        </div>
        <Problem text={error} />
      </form>
    </Panel>
  );
}
