import type { PluginBundle } from '../../assembly/extensions/plugin-bundles.ts';
import { listedRules } from '../../assembly/extensions/prompt-rules.ts';
import { hookEvents } from '../../contract/hook-event.ts';
import type { FolderFile } from '../../lib/files/folder-content.ts';
import { diffOf } from '../../lib/text/diff-lines.ts';
import { visible } from '../../lib/text/printable.ts';
import { handlersOf, targetOf } from '../../plugins/hooks/handlers.ts';
import type { PartFile } from '../../plugins/marketplace/plugin-parts.ts';
import { sizeText } from '../housekeeping/size-text.ts';
import type { Candidate } from './install.ts';

/** What a user should know before anything of a plugin runs. */
export function describePlugin({ id, version, description, files, hash, bundle }: Candidate): string {
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  return [
    `${id} ${version}`,
    ...(description === '' ? [] : [`  ${description}`]),
    ...brings(bundle),
    ...bundle.notices.map((text) => `  note: ${text}`),
    `  ${files.length} files, ${sizeText(bytes)}, sha256 ${hash.slice(0, 16)}`,
  ]
    .map(visible)
    .join('\n');
}

function brings({ parts, hooks, servers }: PluginBundle): string[] {
  const { name, isModule } = parts;
  const handlers = handlersOf([{ rows: hooks }]);
  const shown = (text: string) => text.replaceAll(parts.root, '$CLAUDE_PLUGIN_ROOT').replaceAll('\n', ' ⏎ ');
  const hookLines = hookEvents.flatMap((event) =>
    handlers[event].map(
      (one) => `    ${event}${one.matcher === '' ? '' : ` (${one.matcher})`}: ${shown(targetOf(one))}`,
    ),
  );
  const serverLines = Object.entries(servers).map(
    ([server, settings]) =>
      `    ${server}: ${shown(settings.url ?? [settings.command, ...(settings.args ?? [])].join(' '))}`,
  );
  const allowed = [...parts.commands, ...parts.skills].flatMap((part) => {
    const { allow, deny } = listedRules(part);
    const rules = [...allow.map((rule) => `allow ${rule}`), ...deny.map((rule) => `deny ${rule}`)];
    return rules.length === 0 ? [] : [`    ${name}:${nameOf(part)}: ${shown(rules.join(', '))}`];
  });
  const named = (title: string, list: readonly PartFile[], sign = '') =>
    list.length === 0 ? [] : [`  ${title}: ${list.map((one) => `${sign}${name}:${nameOf(one)}`).join(', ')}`];
  return [
    ...named('commands', parts.commands, '/'),
    ...named('subagents', parts.agents),
    ...named('skills', parts.skills),
    ...named('output styles', parts.outputStyles),
    ...(allowed.length > 0 ? ['  rules that apply while they are in use:', ...allowed] : []),
    ...(hookLines.length > 0 ? ['  hooks, which run these commands in the sandbox:', ...hookLines] : []),
    ...(serverLines.length > 0 ? ['  MCP servers, which run as programs of yours:', ...serverLines] : []),
    ...(isModule ? ['  JavaScript that runs inside aca with all your rights'] : []),
  ];
}

function nameOf({ path }: PartFile): string {
  return path.replace(/\.md$/, '').replaceAll('/', ':');
}

const MAX_SHOWN = 32 * 1024;
const MAX_LINES = 400;

/** How the files differ, for a user who is asked about an update. */
export async function describeChanges(
  before: readonly FolderFile[],
  after: readonly FolderFile[],
): Promise<string> {
  const old = new Map(before.map((file) => [file.name, file]));
  const names = new Set(after.map(({ name }) => name));
  const lines: string[] = [];
  for (const file of after) {
    const previous = old.get(file.name);
    if (previous?.content.equals(file.content) && previous.executable === file.executable) continue;
    if (previous && previous.executable !== file.executable)
      lines.push(`${file.name}: ${file.executable ? 'now' : 'no longer'} executable`);
    const texts = [previous, file].map((one) => (one ? textOf(one) : ''));
    if (texts.includes(null))
      lines.push(`${file.name}: ${previous ? 'changed' : 'new'}, ${sizeText(file.content.length)}`);
    else {
      const { patch } = await diffOf(file.name, previous ? (texts[0] ?? '') : null, texts[1] ?? '');
      lines.push(...patch.trimEnd().split('\n'));
    }
  }
  lines.push(...before.filter(({ name }) => !names.has(name)).map(({ name }) => `${name}: removed`));
  const shown = lines.slice(0, MAX_LINES);
  const rest = lines.length - shown.length;
  return [...shown, ...(rest > 0 ? [`… and ${rest} more lines`] : [])]
    .map((line) => `  ${visible(line)}`)
    .join('\n');
}

/** Null if it is not a short text. */
function textOf({ content }: FolderFile): string | null {
  return content.length > MAX_SHOWN || content.includes(0) ? null : content.toString('utf8');
}
