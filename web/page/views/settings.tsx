import { useState } from 'preact/hooks';
import { visible } from '../../chat/text/visible.ts';
import { type Choice, knownOptions } from '../state/known-options.ts';
import { switchNotifications } from '../state/notify.ts';
import { setPreferences, type Theme, usePreferences } from '../state/preferences.ts';
import { useServer } from '../state/server.ts';
import { Panel, Problem } from './parts.tsx';
import { ServerSettings } from './server-settings.tsx';
import { SignIns } from './sign-ins.tsx';

const THEMES: { value: Theme; name: string }[] = [
  { value: 'system', name: 'As the system' },
  { value: 'light', name: 'Light' },
  { value: 'dark', name: 'Dark' },
];

/** What this browser remembers, and the way out. */
export function Settings() {
  const { me, signOut } = useServer();
  const { theme, notifies, model, mode } = usePreferences();
  const [problem, setProblem] = useState<string | null>(null);
  const { models, modes } = knownOptions();
  const toggle = async (isOn: boolean) => {
    const isNow = await switchNotifications(isOn);
    setProblem(isOn && !isNow ? 'The browser does not allow notifications for this page.' : null);
  };
  return (
    <Panel title="Settings">
      <div class="form">
        <Select
          label="Appearance"
          value={theme}
          choices={THEMES}
          onChange={(value) => setPreferences({ theme: value as Theme })}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={notifies}
            onChange={(event) => void toggle(event.currentTarget.checked)}
          />
          <span>
            Notify me when a session waits
            <span class="hint">While this page is open in the background</span>
          </span>
        </label>
        <Problem text={problem} />
        {me.role === 'owner' && (
          <>
            <h2>New sessions</h2>
            {models.length === 0 && (
              <p class="hint">Open a session to see which models and modes there are.</p>
            )}
            <div class="fields">
              <Select
                label="Model"
                value={model}
                choices={[{ value: '', name: 'As on the server' }, ...models]}
                onChange={(value) => setPreferences({ model: value })}
              />
              <Select
                label="Mode"
                value={mode}
                choices={[{ value: '', name: 'As on the server' }, ...modes]}
                onChange={(value) => setPreferences({ mode: value })}
              />
            </div>
            <p class="hint">For sessions you start here. Change a running session below its prompt.</p>
            <ServerSettings />
          </>
        )}
        <h2>Access</h2>
        <p>
          Signed in as <strong>{visible(me.name)}</strong> ({me.role}).
        </p>
        <div class="actions">
          <button type="button" class="button" onClick={signOut}>
            Sign out
          </button>
        </div>
        {me.role === 'owner' && <SignIns />}
      </div>
    </Panel>
  );
}

type SelectProps = { label: string; value: string; choices: Choice[]; onChange(value: string): void };

function Select({ label, value, choices, onChange }: SelectProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices.map((one) => (
          <option key={one.value} value={one.value}>
            {visible(one.name)}
          </option>
        ))}
      </select>
    </label>
  );
}
