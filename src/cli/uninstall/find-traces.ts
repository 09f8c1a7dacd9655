import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type Keychain, SYSTEM_KEYCHAIN } from '../../config/keys/keychain.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { type SpaceUse, spaceUse } from '../../session/housekeeping.ts';
import { dataPlaces } from './places.ts';

/** Everything the program has left on a machine, as far as it knows. */
export type Traces = {
  root: string;
  /** Our files in the data root. */
  parts: SpaceUse;
  /** Foreign files in the data root: never removed. */
  strangers: string[];
  /** Vendors whose keys are in the system keychain. */
  keys: string[];
  /** Completion scripts in their usual places. */
  completions: string[];
  /** Lines in shell startup files, for the user to remove. */
  lines: string[];
};

export type TraceOptions = { root: string; home: string; keychain: Pick<Keychain, 'list'> };

const COMPLETIONS = [
  '.local/share/bash-completion/completions/aca',
  '.config/fish/completions/aca.fish',
  '.zfunc/_aca',
  '.zsh/completions/_aca',
  '.oh-my-zsh/completions/_aca',
];

const START_FILES = ['.bashrc', '.bash_profile', '.zshrc', '.profile', '.config/fish/config.fish'];

export async function findTraces({ root, home, keychain }: TraceOptions): Promise<Traces> {
  const all = spaceUse(root);
  // A folder with our name is ours with its entire content; one chosen by the user may hold other files.
  const isOurs = ({ part }: { part: string }) =>
    path.basename(root) === '.ai-assistant' || Object.hasOwn(dataPlaces, part);
  const stored = await keychain.list();
  return {
    root,
    parts: all.filter(isOurs),
    strangers: all.filter((one) => !isOurs(one)).map(({ part }) => part),
    keys: stored.filter(({ where }) => where === SYSTEM_KEYCHAIN).map(({ provider }) => provider),
    completions: COMPLETIONS.map((name) => path.join(home, name)).filter((file) =>
      textOf(file).includes('written by `aca completion'),
    ),
    lines: START_FILES.flatMap((name) => {
      const file = path.join(home, name);
      return textOf(file)
        .split('\n')
        .flatMap((line, i) => (/\baca completion\b/.test(line) ? [`${file}:${i + 1}`] : []));
    }),
  };
}

/** Whether a folder of ours is empty now. */
export function isEmptyFolder(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && readdirSync(folder).length === 0;
}

/** Empty if the file is missing or unreadable. */
function textOf(file: string): string {
  return unlessErrno('any', '', () => readRegularText(file));
}
