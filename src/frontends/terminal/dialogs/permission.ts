import type { Answer, PermissionRequest } from '../../../contract/permission.ts';
import { exactLine } from '../../../lib/text/visible-text.ts';
import { freesCommands } from '../../shared/frees-commands.ts';
import type { Choice, Choices } from './choices.ts';

export type PermissionChoice = 'once' | 'edits' | 'sandboxed' | 'trust' | 'session' | 'always' | 'no';

/** The user's decision; `interrupt` stops the run instead of answering. */
export type PermissionOutcome = { type: 'answer'; answer: Answer } | { type: 'interrupt' };

/**
 * Only what the request offers: without rules to remember, an approval counts once. An approval of a command that
 * no sandbox contains has to be selected.
 */
export function choicesOf(request: PermissionRequest): Choices<PermissionChoice> {
  const { grants = [], acceptEdits, trust, sandbox, accesses } = request;
  const isOutside = sandbox?.kind === 'host' || accesses.some(({ unconfined }) => unconfined);
  const what = grantWords(request);
  const yes = (choice: Choice<PermissionChoice>) => ({ ...choice, needsEnd: true as const });
  const list = [
    yes({ name: 'once', words: 'Yes', short: 'yes', ...(!isOutside && { letter: 'y' }) }),
    ...(acceptEdits ? [yes(modeChoice(request))] : []),
    ...(grants.length > 0
      ? [
          yes({
            name: 'session',
            words: `Yes, and don't ask again for ${what} this session`,
            short: 'session',
          }),
          yes({
            name: 'always',
            words: `Yes, and don't ask again for ${what} in this folder`,
            short: 'always',
          }),
        ]
      : []),
    ...(trust ? [yes({ name: 'trust', words: TRUST_WORDS, short: 'trust' })] : []),
    {
      name: 'no' as const,
      letter: 'n',
      words: 'No, and tell it what to do',
      short: 'no',
      asks: 'What should it do instead? ',
    },
  ];
  return { list, isExplicit: isOutside };
}

const TRUST_WORDS = 'Yes, and trust this folder: edits and sandboxed commands run without asking';

/** What would make this and similar requests unnecessary in this session. */
function modeChoice(request: PermissionRequest): Choice<PermissionChoice> {
  return freesCommands(request)
    ? {
        name: 'sandboxed',
        words: 'Yes, and run commands in the sandbox without asking (shift+tab)',
        short: 'sandboxed',
        onShiftTab: true,
      }
    : {
        name: 'edits',
        words: 'Yes, and accept edits and sandboxed commands this session (shift+tab)',
        short: 'all edits',
        onShiftTab: true,
      };
}

/** `text` is what the user typed with a no. */
export function answerFor(name: PermissionChoice, text: string): Answer {
  switch (name) {
    case 'once':
    case 'edits':
      return { choice: 'once', shown: 'all' };
    case 'sandboxed':
    case 'trust':
    case 'session':
    case 'always':
      return { choice: name, shown: 'all' };
    case 'no':
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
