import type { UserQuestion } from '../../../contract/tool.ts';
import { visibleLine, visibleText } from '../../../lib/text/visible-text.ts';
import { fitTo } from '../text/measure.ts';
import type { Line } from '../view/types.ts';
import type { AskState } from './ask.ts';
import { inputRow, keyRow } from './footer.ts';
import { type Frame, rowsOf, span, textOfLine } from './look.ts';

/** The question, its numbered choices, and a line for free text: never more rows than available. */
export function renderAsk(state: AskState, { question, choices }: UserQuestion, frame: Frame): Line[] {
  const { look, columns, rows } = frame;
  const typing = state.selected >= choices.length;
  const own: Line = inputRow(`${typing ? '› ' : '  '}${choices.length > 0 ? 'or: ' : ''}`, state.own, frame);
  const footer: Line[] = [
    own,
    keyRow(
      [
        ['Enter', 'answer'],
        ['Esc', 'stop the run'],
      ],
      frame,
    ),
  ];
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
