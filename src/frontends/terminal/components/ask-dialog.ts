import type { UserQuestion } from '../../../contract/tool.ts';
import { visibleLine, visibleText } from '../../../lib/text/visible-text.ts';
import { type AskOutcome, type AskState, openAsk, pressAsk } from '../dialogs/ask.ts';
import { inputRow, keyRow } from '../dialogs/footer.ts';
import { type Frame, rowsOf, span, textOfLine } from '../dialogs/look.ts';
import { modelDialog } from '../dialogs/model.ts';
import { framed, listRows, MIN_COLUMNS, SIDES } from '../dialogs/panel.ts';
import { fitTo } from '../text/measure.ts';
import type { Dialog } from '../view/dialog.ts';
import type { Line } from '../view/types.ts';

/** A question from the model. */
export function askDialog(question: UserQuestion): Dialog<AskOutcome> {
  return modelDialog({
    open: () => openAsk,
    press(state, key) {
      const step = pressAsk(state, key, question.choices);
      return step.type === 'done' ? { type: 'end', result: step.outcome } : step;
    },
    lines: (state, frame) => renderAsk(state, question, frame),
  });
}

/** The frame's own rows, and the rows of a question and its answers that it is drawn around at least. */
const FRAMED_FROM = 8;

/** The question, its numbered choices, and a line for free text: never more rows than available. */
function renderAsk(state: AskState, question: UserQuestion, frame: Frame): Line[] {
  if (frame.rows < FRAMED_FROM || frame.columns < MIN_COLUMNS)
    return askRows(state, question, frame).slice(0, frame.rows);
  const inner = { ...frame, columns: frame.columns - SIDES, rows: frame.rows - 2 };
  return framed(askRows(state, question, inner).slice(0, inner.rows), frame);
}

function askRows(state: AskState, { question, choices }: UserQuestion, frame: Frame): Line[] {
  const { look, columns, rows } = frame;
  const typing = state.selected >= choices.length;
  const own: Line = inputRow(`${typing ? '❯ ' : '  '}${choices.length > 0 ? 'or: ' : ''}`, state.own, frame);
  const footer: Line[] = [own, keyRow({ enter: 'answer', esc: 'to interrupt' }, frame)];
  const words = rowsOf(visibleText(question).trim().replaceAll('\t', '    '), columns, {}).map(textOfLine);
  const list = listRows(choices.map(visibleLine), state.selected, frame);
  // A long question shows its end; the choices take precedence over its start.
  const room = Math.max(1, rows - footer.length);
  const options = windowed(list, state.selected, Math.max(1, room - 1));
  const head = words.slice(-Math.max(1, room - options.length));
  const cutOff = head.length < words.length;
  return [
    ...head.map((text, i): Line => {
      const shown = i === 0 && cutOff ? fitTo(`… ${text}`, columns) : text;
      return [span(shown, look.title)];
    }),
    ...options,
    ...footer,
  ];
}

/** As many rows as fit, the selected one among them. */
function windowed(list: readonly Line[][], selected: number, page: number): Line[] {
  const all = list.flat();
  if (all.length <= page) return all;
  const at = list.slice(0, selected).flat().length;
  const first = Math.max(0, Math.min(at - Math.floor(page / 2), all.length - page));
  return all.slice(first, first + page);
}
