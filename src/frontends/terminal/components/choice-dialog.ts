import {
  type Choice,
  type ChoiceState,
  type ChoiceStep,
  openChoices,
  pressChoices,
  takeChoice,
} from '../dialogs/choices.ts';
import type { DialogKit } from '../dialogs/kit.ts';
import { type DialogFrame, modelDialog, type Outcome } from '../dialogs/model.ts';
import { isEndSeen, type Panel, panelExtent, renderPanel } from '../dialogs/panel.ts';
import type { Dialog } from '../view/dialog.ts';
import type { Key } from '../view/types.ts';

/** `text` is what was typed with the choice. `interrupt` stops the run instead of answering. */
export type Chosen<Name extends string> =
  | { type: 'chosen'; name: Name; text: string }
  | { type: 'interrupt' };

type ChoiceDialog<Name extends string> = {
  choices: readonly Choice<Name>[];
  panel(frame: DialogFrame): Omit<Panel, 'choices'>;
  /** The choice that Shift+Tab takes, or null. */
  onShiftTab?(): Choice<Name> | null;
};

/** A question with a body and a list of choices. */
export function choiceDialog<Name extends string>(
  { choices, panel, onShiftTab }: ChoiceDialog<Name>,
  kit: DialogKit,
): Dialog<Chosen<Name>> {
  const panelFor = (frame: DialogFrame): Panel => ({ ...panel(frame), choices });
  // Keys may arrive faster than frames: only what was drawn counts as seen.
  let endSeen = false;
  const stepFor = (state: ChoiceState, key: Key, frame: DialogFrame): ChoiceStep<Name> => {
    const extent = panelExtent(panelFor(frame), state, frame);
    const shown = endSeen ? 'all' : 'part';
    const step = pressChoices(state, { key, now: kit.now(), extent, choices, shown });
    if (step.type !== 'other' || !isShiftTab(key) || !onShiftTab) return step;
    const taken = onShiftTab();
    return taken ? takeChoice(state, taken, shown) : { type: 'state', state: { ...state } };
  };
  return modelDialog<ChoiceState, Chosen<Name>>({
    open: () => openChoices(kit.now()),
    press(state, key, frame): Outcome<ChoiceState, Chosen<Name>> {
      const step = stepFor(state, key, frame);
      if (step.type === 'chosen' || step.type === 'interrupt') return { type: 'end', result: step };
      if (step.type === 'early') kit.onEarlyKey(key);
      return { type: 'state', state: step.type === 'other' ? state : step.state };
    },
    lines(state, frame) {
      const drawn = panelFor(frame);
      endSeen ||= isEndSeen(drawn, state, frame);
      return renderPanel(drawn, state, frame);
    },
  });
}

function isShiftTab(key: Key): boolean {
  return key.type === 'key' && key.name === 'tab' && key.shift;
}
