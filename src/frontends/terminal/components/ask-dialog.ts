import type { UserQuestion } from '../../../contract/tool.ts';
import { visibleLine, visibleText } from '../../../lib/text/visible-text.ts';
import { type AskOutcome, type AskState, openAsk, pressAsk } from '../dialogs/ask.ts';
import { inputRow, keyRow } from '../dialogs/footer.ts';
import type { DialogKit } from '../dialogs/kit.ts';
import { type Frame, rowsOf, span, textOfLine } from '../dialogs/look.ts';
import { modelDialog } from '../dialogs/model.ts';
import { fitTo } from '../text/measure.ts';
import type { Dialog } from '../view/dialog.ts';
import type { Line } from '../view/types.ts';

/** A question from the model. */
export function askDialog(question: UserQuestion, kit: DialogKit): Dialog<AskOutcome> {
  return modelDialog({
    open: () => openAsk(kit.now()),
    press(state, key) {
      const step = pressAsk(state, { key, now: kit.now(), choices: question.choices });
      if (step.type === 'done') return { type: 'end', result: step.outcome };
      if (step.type === 'early') kit.onEarlyKey(key);
      return { type: 'state', state: step.state };
    },
    lines: (state, frame) => renderAsk(state, question, frame),
  });
}

/** The question, its numbered choices, and a line for free text: never more rows than available. */
function renderAsk(state: AskState, { question, choices }: UserQuestion, frame: Frame): Line[] {
  const { look, columns, rows } = frame;
  const typing = state.selected >= choices.length;
  const own: Line = inputRow(`${typing ? '› ' : '  '}${choices.length > 0 ? 'or: ' : ''}`, state.own, frame);
  const footer: Line[] = [own, keyRow({ Enter: 'answer', Esc: 'stop the run' }, frame)];
  const words = rowsOf(visibleText(question).trim().replaceAll('\t', '    '), columns, {}).map(textOfLine);
  const list = choiceList(state, choices, frame);
  // A long question shows its end; the choices take precedence over its start.
  const room = Math.max(1, rows - footer.length);
  const options = list.length < room ? list : windowed(list, state.selected, Math.max(1, room - 1));
  const head = words.slice(-Math.max(1, room - options.length));
  const cutOff = head.length < words.length;
  return [
    ...head.map(
      (text, i): Line => [span(cutOff && i === 0 ? fitTo(`… ${text}`, columns) : text, look.title)],
    ),
    ...options,
    ...footer,
  ].slice(0, rows);
}

function choiceList({ selected }: AskState, choices: readonly string[], { look, columns }: Frame): Line[] {
  return choices.map((choice, i) => {
    const chosen = i === selected;
    const text = `${chosen ? '› ' : '  '}${i + 1}. ${visibleLine(choice)}`;
    return [span(fitTo(text, columns), chosen ? look.chosen : look.plain)];
  });
}

function windowed(list: Line[], selected: number, page: number): Line[] {
  const first = Math.max(0, Math.min(selected - Math.floor(page / 2), list.length - page));
  return list.slice(first, first + page);
}
