import path from 'node:path';
import { readConfigFile } from '../../config/config-file.ts';
import { setValue } from '../../config/edit.ts';
import { userConfigFile } from '../../config/load.ts';
import { mergeConfig, mergeValues } from '../../config/merge.ts';
import { supportTables } from '../../config/other-assistants/tables.ts';
import { type AssistantName, assistantNames, type consents } from '../../config/schema/other-assistants.ts';
import type { ConfigInput } from '../../config/schema/schema.ts';
import { findProjectFile, projectRoot } from '../../config/trust.ts';
import { UserError } from '../../contract/errors.ts';
import { homeFolder, resolvePath } from '../../lib/files/data-root.ts';
import { userFile } from '../../lib/files/file-update.ts';
import { didYouMean } from '../../lib/text/nearest.ts';
import type { Host } from '../host.ts';
import type { Settings } from '../settings.ts';
import { type Belongings, findBelongings } from './belongings.ts';
import { describeBelongings } from './report.ts';

type Place = { settings: Pick<Settings, 'config' | 'root' | 'trusted'>; host: Host };

/** `all`: every assistant that something was found of. */
type Which = readonly AssistantName[] | 'all';

export function showBelongings({ settings, host }: Place): string {
  return describeBelongings(findBelongings(settings, host), { home: homeFolder(host.env) });
}

/** Remembers whether the user's personal files of these assistants are used. */
export async function decide(
  which: Which,
  answer: (typeof consents)[number],
  { settings, host }: Place,
): Promise<string> {
  const chosen = choose(which, findBelongings(settings, host));
  for (const { assistant } of chosen)
    await setValue(userConfigFile(settings.root), ['otherAssistants', assistant], answer);
  const names = chosen.map(({ name }) => name).join(', ');
  if (answer === 'ignore') return `Your personal files of ${names} are ignored from the next start.`;
  return `Your personal settings of ${names} are ${answer === 'use' ? 'used' : 'no longer used'} from the next start.`;
}

/** Copies settings into our own files; what is already set there is kept. */
export async function copySettings(
  which: Which,
  { isProject }: { isProject: boolean },
  place: Place,
): Promise<string> {
  const { settings, host } = place;
  const chosen = choose(which, findBelongings(settings, host));
  const readings = chosen
    .toReversed()
    .flatMap((one) => one.settings.filter(({ isPersonal }) => isPersonal !== isProject))
    .map(({ reading }) => reading);
  if (readings.length === 0) return `Found no ${isProject ? "project's" : 'personal'} settings to copy.`;
  const theirs = readings.reduce<ConfigInput>(
    (merged, { input, base }) => mergeConfig(merged, withAbsoluteFolders(input, base, host.env)),
    {},
  );
  const target = isProject
    ? (findProjectFile(host.cwd) ?? path.join(projectRoot(host.cwd), '.ai-assistant.json'))
    : userConfigFile(settings.root);
  const copied = await writeSettings(isProject ? withoutKeys(theirs) : theirs, target, settings.root);
  const files = readings.map(({ file }) => file);
  if (!isProject) for (const { assistant } of chosen) await keepFilesOnly(assistant, settings.root);
  return [
    copied.length > 0 ? `Copied ${copied.join(', ')} to ${target}.` : `Nothing to copy to ${target}.`,
    isProject
      ? `Delete ${files.join(', ')} when nobody needs it any more.`
      : `${files.join(', ')} no longer ${files.length === 1 ? 'counts' : 'count'} from the next start.`,
    ...readings.flatMap(({ notices }) => notices),
  ].join('\n');
}

function keepFilesOnly(assistant: AssistantName, root: string): Promise<unknown> {
  return setValue(userConfigFile(root), ['otherAssistants', assistant], 'no-settings');
}

async function writeSettings(theirs: ConfigInput, file: string, root: string): Promise<string[]> {
  const place = userFile(root, file);
  const copied: string[] = [];
  for (const [key, value] of Object.entries(theirs)) {
    const ours: Record<string, unknown> = readConfigFile(file)?.input ?? {};
    const merged = mergeValues(value, ours[key]);
    if (JSON.stringify(merged) === JSON.stringify(ours[key])) continue;
    await setValue(place, [key], merged);
    copied.push(key);
  }
  return copied;
}

/** Folders relative to another file would lead elsewhere from ours. */
function withAbsoluteFolders(input: ConfigInput, base: string, env: Host['env']): ConfigInput {
  const { additionalDirectories: folders } = input;
  return folders
    ? { ...input, additionalDirectories: folders.map((folder) => resolvePath(folder, base, env)) }
    : input;
}

/** Keys do not belong into a project. */
function withoutKeys({ providers, ...input }: ConfigInput): ConfigInput {
  if (!providers) return input;
  const safe = Object.entries(providers).map(([name, { apiKey: _, ...provider }]) => [name, provider]);
  return { ...input, providers: Object.fromEntries(safe) };
}

function choose(which: Which, found: readonly Belongings[]): Belongings[] {
  const chosen = found.filter(({ assistant }) => which === 'all' || which.includes(assistant));
  const missing =
    which === 'all' ? [] : which.filter((name) => !chosen.some((one) => one.assistant === name));
  const [absent] = missing;
  if (absent !== undefined)
    throw new UserError(
      `Found no files of ${supportTables[absent].name}.`,
      'Run `aca import` to see what there is.',
    );
  if (chosen.length === 0) throw new UserError('Found no files of other assistants.', 'Nothing to do here.');
  return chosen;
}

/** The assistants with these names; all of them without names. */
export function assistantsNamed(names: readonly string[]): Which {
  const unknown = names.find((name) => !assistantNames.some((known) => known === name));
  if (unknown !== undefined)
    throw new UserError(
      `Unknown assistant "${unknown}".${didYouMean(unknown, assistantNames)}`,
      `Use ${assistantNames.join(', ')}.`,
    );
  const chosen = assistantNames.filter((name) => names.includes(name));
  return chosen.length > 0 ? chosen : 'all';
}
