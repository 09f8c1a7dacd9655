import { setValue } from '../../config/edit.ts';
import { type LoadedConfig, userConfigFile } from '../../config/load.ts';
import type { ProjectContent } from '../../config/project-content.ts';
import { type ContentChange, type Trust, trustFolder } from '../../config/trust.ts';
import { diffOf } from '../../lib/text/diff-lines.ts';
import { visible } from '../../lib/text/printable.ts';
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
