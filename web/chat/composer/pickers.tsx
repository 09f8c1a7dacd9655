import type { SessionConfigOption } from '@agentclientprotocol/sdk';
import { useChat } from '../context.ts';
import { memo } from '../memo.ts';
import type { View } from '../state/view.ts';
import { type Choice, Picker, type Section } from './picker.tsx';

type Props = { modes: View['modes']; options: View['options']; isDisabled: boolean };

/** Mode, model, and a menu with every other option of the session. */
export const Pickers = memo(({ modes, options, isDisabled }: Props) => {
  const { connection, run } = useChat();
  const set = (id: string, value: string | boolean) => run(connection.setOption(id, value));
  const isMode = ({ category }: SessionConfigOption) => category === 'mode';
  const mode = modes
    ? modeSections(modes, (id) => run(connection.setMode(id)))
    : sectionsOf(options.find(isMode), set);
  const modelOption = options.find(({ category }) => category === 'model');
  const model = sectionsOf(modelOption, set);
  const others = options
    .filter((option) => !isMode(option) && option !== modelOption)
    .flatMap((option) => sectionsOf(option, set));
  return (
    <>
      {mode.length > 0 && (
        <Picker label="Mode" text={currentName(mode)} sections={mode} isDisabled={isDisabled} />
      )}
      {model.length > 0 && (
        <Picker label="Model" text={currentName(model)} sections={model} isDisabled={isDisabled} />
      )}
      {others.length > 0 && (
        <Picker label="Options" icon="options" sections={others} isDisabled={isDisabled} />
      )}
    </>
  );
});

function modeSections(
  { availableModes, currentModeId }: NonNullable<View['modes']>,
  onChoose: (id: string) => void,
): Section[] {
  const choices = availableModes.map(({ id, name, description }) => ({ value: id, name, description }));
  return choices.length === 0 ? [] : [{ name: 'Mode', choices, current: currentModeId, onChoose }];
}

/** One section, or one for each group of its values. */
function sectionsOf(
  option: SessionConfigOption | undefined,
  set: (id: string, value: string | boolean) => void,
): Section[] {
  if (!option) return [];
  if (option.type === 'boolean') {
    const choices = [
      { value: 'on', name: 'On' },
      { value: 'off', name: 'Off' },
    ];
    const onChoose = (value: string) => set(option.id, value === 'on');
    return [{ name: option.name, choices, current: option.currentValue ? 'on' : 'off', onChoose }];
  }
  const facts = { current: option.currentValue, onChoose: (value: string) => set(option.id, value) };
  const flat: Choice[] = [];
  const groups: Section[] = [];
  for (const entry of option.options) {
    if ('options' in entry) groups.push({ name: entry.name, choices: entry.options, ...facts });
    else flat.push(entry);
  }
  return [...(flat.length > 0 ? [{ name: option.name, choices: flat, ...facts }] : []), ...groups];
}

function currentName(sections: readonly Section[]): string {
  const current = sections[0]?.current ?? '';
  return sections.flatMap(({ choices }) => choices).find(({ value }) => value === current)?.name ?? current;
}
