import type { LoadedConfig } from '../../config/load.ts';
import type { ProjectContent } from '../../config/project-content.ts';
import { type ContentChange, type Trust, trustFolder } from '../../config/trust.ts';
import { diffOf } from '../../lib/text/diff-lines.ts';
import { visible } from '../../lib/text/printable.ts';
import type { Frontend } from './frontend.ts';

/** Only "y" counts as yes. */
export const TRUST_QUESTION = 'Trust this folder? [y/n] ';

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
  const answer = await talk.ask(TRUST_QUESTION);
  if (answer?.trim().toLowerCase() !== 'y') return false;
  await trustFolder(root, cwd, content);
  return true;
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
