import path from 'node:path';
import type { Support } from '../../config/other-assistants/table.ts';
import type { Belongings } from './belongings.ts';

const STATES = {
  used: 'used',
  undecided: 'only what restricts is used until you decide',
  untrusted: 'only what restricts is used until you trust this folder',
  'not wanted': 'not used, as you decided',
} as const;

const SUPPORT: Record<Support, string> = {
  works: 'works',
  differs: 'works differently',
  unsupported: 'not supported',
};
const WIDTH = Math.max(...Object.values(SUPPORT).map((text) => text.length));

/** What was found, what of it is used and what is not, for the user. */
export function describeBelongings(all: readonly Belongings[], { home }: { home: string }): string {
  if (all.length === 0) return 'Found no files of other assistants.';
  const short = (file: string) => inHome(file, home);
  const lines = all.flatMap(({ name, settings, files }) => [
    name,
    ...settings.flatMap(({ file, state, keys, problems }) => [
      `  ${short(file)}: ${STATES[state]}`,
      ...keys.map(row),
      ...problems.map((text) => `    ! ${text.replaceAll(file, path.basename(file))}`),
    ]),
    ...(files.length > 0 ? ['  Other files', ...files.map(row)] : []),
    '',
  ]);
  return [...lines, ...nextSteps(all)].join('\n');
}

function row({ what, support, note }: { what: string; support: Support; note: string }): string {
  return `    ${SUPPORT[support].padEnd(WIDTH)}  ${what}${note === '' ? '' : `: ${note}`}`;
}

function nextSteps(all: readonly Belongings[]): string[] {
  const files = all.flatMap(({ assistant, settings }) => settings.map((one) => ({ ...one, assistant })));
  const undecided = [
    ...new Set(files.filter(({ state }) => state === 'undecided').map((one) => one.assistant)),
  ];
  const names = undecided.join(' ');
  return [
    ...(undecided.length > 0
      ? [
          `Use your personal settings: aca import use ${names}`,
          `Use none of your personal files: aca import ignore ${names}`,
        ]
      : []),
    ...(files.some(({ state }) => state === 'untrusted') ? ['Trust this folder: aca trust'] : []),
    ...(files.some(({ isPersonal }) => isPersonal)
      ? ['Copy your personal settings into your own config.json: aca import copy']
      : []),
    ...(files.some(({ isPersonal }) => !isPersonal)
      ? ["Copy the project's settings into .ai-assistant.json: aca import copy --project"]
      : []),
  ];
}

/** A path as users write it. */
export function inHome(file: string, home: string): string {
  return file.startsWith(home + path.sep) ? `~${file.slice(home.length)}` : file;
}
