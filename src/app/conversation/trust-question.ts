import { setValue } from '../../config/edit.ts';
import { type LoadedConfig, userConfigFile } from '../../config/load.ts';
import type { ProjectContent } from '../../config/project-content.ts';
import { type ContentChange, type Trust, trustFolder } from '../../config/trust.ts';
import { diffOf } from '../../lib/text/diff-lines.ts';
import { visible } from '../../lib/text/printable.ts';
import type { Opened } from '../open-assistant.ts';
import type { Frontend } from './frontend.ts';

/** Only "y" and "a" count as yes. */
const TRUST_QUESTION = 'Trust this folder? [y/n] ';

/** What trust changes about approvals. */
export const TRUST_MEANS =
  'In a trusted folder, edits and commands that the sandbox contains run without asking; /undo takes them back.\n' +
  'To trust it but be asked before every change, answer a, or set sandbox.autoApprove to false.';

type Place = { root: string; cwd: string };

/** Asks whether to trust the project's files, if that would change anything. True after a yes. */
export async function offerTrust(
  { pending }: Pick<LoadedConfig, 'pending'>,
  talk: Pick<Frontend, 'ask' | 'print'>,
  { root, cwd }: Place,
): Promise<boolean> {
  if (pending === null) return false;
  const { content, changes, loosens } = pending;
  talk.print(
    changes.length > 0
      ? 'The settings of this folder changed since you trusted it:'
      : 'This folder has its own settings:',
  );
  talk.print(await showFiles(content, changes));
  if (loosens.length > 0) talk.print(`Ignored unless you trust the folder: ${loosens.join(', ')}`);
  talk.print(TRUST_MEANS);
  if (!(await askTrust(root, (question) => talk.ask(question)))) return false;
  await trustFolder(root, cwd, content);
  return true;
}

/** True for a yes. "a" also saves that the user is asked before every change. */
export async function askTrust(
  root: string,
  ask: (question: string) => Promise<string | null>,
): Promise<boolean> {
  const answer = (await ask(TRUST_QUESTION))?.trim().toLowerCase();
  if (answer === 'a') await setValue(userConfigFile(root), ['sandbox', 'autoApprove'], false);
  return answer === 'y' || answer === 'a';
}

/** At the start of a conversation in a folder that the user may trust. */
export const TRUST_HINT =
  'You are asked before every change here. /trust lets edits and sandboxed commands run without asking; /trust ask keeps asking.';

/** `/trust`, and `/trust ask` for a user who wants to be asked before every change all the same. */
export async function answerTrust(
  args: readonly string[],
  { permissions, settings: { root, trusted, pending } }: Pick<Opened, 'permissions' | 'settings'>,
): Promise<string> {
  const [word = ''] = args;
  if (args.length > 1 || !['', 'ask'].includes(word)) return 'Use /trust or /trust ask.';
  if (pending !== null)
    return 'This folder has settings of its own. Review and trust them with `aca trust`, then start again.';
  if (word === 'ask') {
    await setValue(userConfigFile(root), ['sandbox', 'autoApprove'], false);
    return 'You are asked before every change, in every folder. To change that, remove sandbox.autoApprove from your config.json.';
  }
  const trust = permissions.trust();
  if (trust === null)
    return trusted
      ? 'You trust this folder already. To stop, run `aca trust --revoke`.'
      : 'This folder cannot be trusted from here. Run `aca trust` in it.';
  await trust();
  return 'You trust this folder: edits and sandboxed commands run without asking, and /undo takes them back. To stop, run `aca trust --revoke`.';
}

/** Shows the files to be trusted: what changed since the last time, or everything. */
export async function showFiles(
  content: readonly ProjectContent[],
  changes: readonly ContentChange[],
): Promise<string> {
  const all = changes.length > 0 ? changes : content.map(newFile);
  const diffs = await Promise.all(all.map(({ name, before, after }) => diffOf(name, before, after)));
  return diffs.map(({ patch }) => visible(patch).trimEnd().replaceAll(/^/gm, '  ')).join('\n');
}

export function changesOf(trust: Trust): ContentChange[] {
  return trust.type === 'changed' ? trust.changes : [];
}

function newFile({ name, text }: ProjectContent): ContentChange {
  return { name, before: null, after: text };
}
