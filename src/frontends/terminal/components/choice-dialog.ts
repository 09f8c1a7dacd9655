import { type ChoiceState, type Choices, openChoices, pressChoices } from '../dialogs/choices.ts';
import { type DialogFrame, modelDialog, type Outcome } from '../dialogs/model.ts';
import { isEndSeen, type Panel, panelExtent, renderPanel } from '../dialogs/panel.ts';
import type { Dialog } from '../view/dialog.ts';

/** `text` is what was typed with the choice. `interrupt` stops the run instead of answering. */
export type Chosen<Name extends string> =
  | { type: 'chosen'; name: Name; text: string }
  | { type: 'interrupt' };

type ChoiceDialog<Name extends string> = {
  choices: Choices<Name>;
  panel(frame: DialogFrame): Omit<Panel, 'choices'>;
};

/** A question with a body and a list of choices. */
export function choiceDialog<Name extends string>({
  choices,
  panel,
}: ChoiceDialog<Name>): Dialog<Chosen<Name>> {
  const panelFor = (frame: DialogFrame): Panel => ({ ...panel(frame), choices: choices.list });
  // Keys may arrive faster than frames: only what was drawn counts as seen.
  let endSeen = false;
  return modelDialog<ChoiceState, Chosen<Name>>({
    open: () => openChoices(choices),
    press(state, key, frame): Outcome<ChoiceState, Chosen<Name>> {
      const extent = panelExtent(panelFor(frame), state, frame);
      const step = pressChoices(state, { key, extent, choices, shown: endSeen ? 'all' : 'part' });
      return step.type === 'chosen' || step.type === 'interrupt' ? { type: 'end', result: step } : step;
    },
    lines(state, frame) {
      const drawn = panelFor(frame);
      endSeen ||= isEndSeen(drawn, state, frame);
      return renderPanel(drawn, state, frame);
    },
  });
}
