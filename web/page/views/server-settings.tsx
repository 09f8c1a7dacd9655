import { useState } from 'preact/hooks';
import {
  type ChangeableSetting,
  ownerMethods,
  type SettingChange,
  type SettingsResult,
} from '../../../src/frontends/server/owner-methods.ts';
import { visible } from '../../chat/text/visible.ts';
import { useAnswer, useServer } from '../state/server.ts';
import { Problem } from './parts.tsx';

/** The owner's configuration file, as far as it may be changed from here. */
export function ServerSettings() {
  const { link } = useServer();
  const { answer, error } = useAnswer<SettingsResult>(ownerMethods.readSettings);
  const [changed, setChanged] = useState<SettingsResult | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const found = changed ?? answer;
  const change = async (key: string, text: string) => {
    const value = text.trim() === '' ? null : text.trim();
    const said: SettingChange = { key, value };
    try {
      setChanged(await link.request<SettingsResult>(ownerMethods.changeSetting, said));
      setProblem(null);
    } catch (reason) {
      setProblem((reason as Error).message);
    }
  };
  return (
    <>
      <h2>All sessions</h2>
      {found && (
        <>
          <p class="hint">
            For sessions that are opened from now on, here and in terminals. Saved in{' '}
            <span class="mono">{visible(found.file)}</span>
          </p>
          <div class="fields">
            {found.settings.map((one) => (
              <Field key={one.key} setting={one} onChange={(text) => void change(one.key, text)} />
            ))}
          </div>
        </>
      )}
      <Problem text={problem ?? error} />
    </>
  );
}

type FieldProps = { setting: ChangeableSetting; onChange(text: string): void };

function Field({ setting: { key, name, description, choices, value, usual }, onChange }: FieldProps) {
  const id = `setting-${key}`;
  const unset = usual === null ? 'Not set' : `${usual} (default)`;
  const control = { id, value: value ?? '', 'aria-describedby': `${id}-hint` };
  return (
    <div class="field">
      <label for={id}>{name}</label>
      {choices.length === 0 ? (
        <input
          {...control}
          type="text"
          placeholder={unset}
          maxLength={1_000}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <select {...control} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{unset}</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      )}
      <span id={`${id}-hint`} class="hint">
        {description.replaceAll('`', '')}
      </span>
    </div>
  );
}
