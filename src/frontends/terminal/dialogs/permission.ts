import type { Answer, PermissionRequest } from '../../../contract/permission.ts';
import { exactLine } from '../../../lib/text/visible-text.ts';
import type { Choice } from './choices.ts';

export type PermissionChoice = 'once' | 'edits' | 'session' | 'always' | 'no' | 'reason';

/** The user's decision; `interrupt` stops the run instead of answering. */
export type PermissionOutcome = { type: 'answer'; answer: Answer } | { type: 'interrupt' };

/** Only what the request offers: without rules to remember, an approval counts once. */
export function choicesOf(request: PermissionRequest): Choice<PermissionChoice>[] {
  const yes = (choice: Choice<PermissionChoice>) => ({ ...choice, needsEnd: true as const });
  const { grants = [], acceptEdits } = request;
  const edits = isEdit(request);
  const what = grantWords(request);
  return [
    yes({ name: 'once', key: 'y', words: 'Yes', short: 'yes' }),
    ...(acceptEdits
      ? [
          yes({
            name: 'edits',
            key: edits ? 'e' : '',
            words: 'Yes, allow all edits this session (shift+tab)',
            short: 'all edits',
            ...(!edits && { unlisted: true as const }),
          }),
        ]
      : []),
    ...(grants.length > 0
      ? [
          yes({
            name: 'session',
            key: 's',
            words: `Yes, and don't ask again for ${what} this session`,
            short: 'session',
          }),
          yes({
            name: 'always',
            key: 'a',
            words: `Yes, and don't ask again for ${what} in this folder`,
            short: 'always',
          }),
        ]
      : []),
    { name: 'no', key: 'n', words: 'No', short: 'no', unlisted: true },
    {
      name: 'reason',
      key: 'r',
      words: 'No, and tell it what to do',
      short: 'no, why',
      asks: 'What should it do instead? ',
    },
  ];
}

export function isEdit({ accesses }: PermissionRequest): boolean {
  return accesses.some(({ kind }) => kind === 'write');
}

/** `text` is what the user typed with a no. */
export function answerFor(name: PermissionChoice, text: string): Answer {
  switch (name) {
    case 'once':
    case 'edits':
      return { choice: 'once', shown: 'all' };
    case 'session':
    case 'always':
      return { choice: name, shown: 'all' };
    case 'no':
    case 'reason':
      return text === '' ? { choice: 'no' } : { choice: 'no', reason: text };
    default:
      return name satisfies never;
  }
}

/** Longer commands are called "this command": they are shown above. */
const MAX_NAMED = 50;
/** More files are counted: their changes are shown above. */
const MAX_LISTED = 2;

/** What would no longer be asked about, from the rules that would be remembered. */
function grantWords({ grants = [], parts }: PermissionRequest): string {
  const named = grants.map((pattern) => {
    const [, tool = '', specifier = pattern] = /^([A-Za-z]+)\(([\s\S]*)\)$/.exec(pattern) ?? [];
    return { verb: tool === 'Edit' ? 'edits to ' : tool === 'Read' ? 'reading ' : '', specifier };
  });
  const [first] = named;
  const isLong = !first || first.specifier.length > MAX_NAMED || first.specifier.includes('\n');
  if (parts && named.length === 1 && isLong) return 'this command';
  if (named.length > MAX_LISTED && named.every(({ verb }) => verb === first?.verb))
    return `${first?.verb ?? ''}these ${named.length} files`;
  return named.map(({ verb, specifier }) => exactLine(`${verb}${specifier}`)).join(', ');
}
