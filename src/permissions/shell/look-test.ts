import { type Look, unsure } from './look-result.ts';
import { isPrintable } from './printable.ts';
import type { SimpleCommand, Word } from './shell-line.ts';

const FILE_TEST = /^-[abcdefghkprsuwxGLNOS]$/;
const TEXT_TEST = /^-[nz]$/;
const COMPARES_NUMBERS = /^-(eq|ne|lt|le|gt|ge)$/;
const JOINT = /^(=|==|!=|!|\(|\)|-a|-o|-nt|-ot|-ef|<|>)$/;

/**
 * `test` and `[` check files and compare strings. Numbers must be literal: some shells evaluate them as
 * arithmetic, which can contain a command. For the same reason `-v` is not allowed.
 */
export function judgeTest(args: Word[], command: SimpleCommand, names: (words: Word[]) => Look): Look {
  const files: Word[] = [];
  for (const [i, word] of args.entries()) {
    const before = args[i - 1]?.text ?? '';
    const behind = args[i + 1]?.text ?? '';
    const isOperator =
      word.literal &&
      (JOINT.test(word.text) ||
        FILE_TEST.test(word.text) ||
        TEXT_TEST.test(word.text) ||
        COMPARES_NUMBERS.test(word.text));
    if (isOperator) continue;
    if (word.glob && /^[*?[]/.test(word.text))
      return unsure(`the pattern ${word.text} can expand to an operator`);
    if (word.literal && /^-[A-Za-z]/.test(word.text)) return unsure(`unknown test operator ${word.text}`);
    if (COMPARES_NUMBERS.test(before) || COMPARES_NUMBERS.test(behind)) {
      if (!/^(-?\d+|\$[#?])$/.test(word.text)) return unsure(`${word.raw} can expand to anything`);
    } else if (FILE_TEST.test(before) || /^-(nt|ot|ef)$/.test(before) || /^-(nt|ot|ef)$/.test(behind))
      files.push(word);
    else if (!word.literal && !(isPrintable(word, command) || (TEXT_TEST.test(before) && !word.opaque))) {
      return unsure(`${word.raw} can expand to anything`);
    }
  }
  return names(files);
}
