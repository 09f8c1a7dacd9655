import type { AdaptedCall, Arguments } from '../../contract/tool.ts';
import { flagIn, listIn, numberIn, take } from './values.ts';

const SHELLS = /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh$/;
/** A shorter limit in milliseconds makes no sense: it is one in seconds. */
const LEAST_MS = 1_000;

/** Command lines as lists, limits in seconds, and patches. */
export function adaptBash(input: Arguments): AdaptedCall {
  const { taken, rest } = take(input, [
    ...['command', 'timeout', 'timeout_ms', 'timeoutMs', 'yield_time_ms', 'timeout_seconds', 'timeout_secs'],
    ...['restart', 'sandbox_permissions', 'shell', 'is_input', 'tty'],
  ]);
  if (flagIn(taken.restart))
    return {
      refuse: 'Each command starts in a fresh shell, so there is nothing to restart. Pass a command.',
    };
  const command = commandIn(taken.command);
  const leaves = taken.sandbox_permissions === 'require_escalated';
  const shell = typeof taken.shell === 'string' && !SHELLS.test(taken.shell) ? { shell: taken.shell } : {};
  const others = Object.fromEntries(
    ['is_input', 'tty'].filter((name) => flagIn(taken[name])).map((name) => [name, true]),
  );
  const known = {
    ...rest,
    ...shell,
    ...others,
    ...timeoutIn(taken),
    ...(leaves && { outside_sandbox: true }),
  };
  const patch = typeof command === 'string' ? patchIn(command) : null;
  if (!patch) return { input: { ...known, ...(command !== undefined && { command }) } };
  const folder = patch.folder === undefined ? {} : { working_directory: patch.folder };
  const { timeout: _, outside_sandbox: __, ...left } = known as Arguments;
  return { tool: 'ApplyPatch', input: { ...left, ...folder, patch: patch.text } };
}

function timeoutIn(taken: Arguments): Arguments {
  const milliseconds = taken.timeout_ms ?? taken.timeoutMs ?? taken.yield_time_ms;
  if (milliseconds != null) return { timeout: milliseconds };
  const seconds = numberIn(taken.timeout_seconds ?? taken.timeout_secs);
  if (seconds !== undefined) return { timeout: Math.round(seconds * 1000) };
  const limit = numberIn(taken.timeout);
  if (limit === undefined) return taken.timeout == null ? {} : { timeout: taken.timeout };
  return { timeout: limit > 0 && limit < LEAST_MS ? Math.round(limit * 1000) : limit };
}

function commandIn(value: unknown): unknown {
  const list = Array.isArray(value) ? value : shellInJson(value);
  if (!list?.every((word) => typeof word === 'string')) return value;
  const words = list as string[];
  const [program = '', flag = '', script] = words;
  if (words.length === 3 && SHELLS.test(program) && /^-[a-z]*c$/.test(flag)) return script;
  if (words.length === 2 && /^apply_?patch$/.test(program)) return `apply_patch <<'PATCH'\n${flag}\nPATCH`;
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

/** A list that starts a shell, written as JSON: no other command line reads like that. */
function shellInJson(value: unknown): unknown[] | undefined {
  const list = typeof value === 'string' && value.startsWith('[') ? listIn(value) : undefined;
  return list?.length === 3 && SHELLS.test(String(list[0])) && /^-[a-z]*c$/.test(String(list[1]))
    ? list
    : undefined;
}

/** A command that only applies a patch from a here-document. */
function patchIn(command: string): { text: string; folder?: string } | null {
  const found =
    /^\s*(?:cd\s+(?<folder>[\w@%+=:,./-]+|'[^']+'|"[^"$`\\]+")\s*&&\s*)?apply_?patch\s*<<-?\s*(?<quote>['"]?)(?<mark>\w+)\k<quote>[ \t]*\n(?<text>.*)\n\k<mark>\s*$/s.exec(
      command,
    )?.groups;
  if (!found?.text?.trimStart().startsWith('*** Begin Patch')) return null;
  // In a here-document with an unquoted mark the shell would expand these.
  if (found.quote === '' && /[$`\\]/.test(found.text)) return null;
  const folder = found.folder?.replaceAll(/^['"]|['"]$/g, '');
  return { text: found.text, ...(folder !== undefined && { folder }) };
}

const USUAL_WAIT_MS = 30_000;
const CONTROL_C = '\u0003';

/** Waiting for a background command, also by writing nothing to it. */
export function adaptBashOutput(input: Arguments): AdaptedCall {
  const { taken, rest } = take(input, ['chars', 'id', 'block']);
  if (taken.chars === CONTROL_C) return { tool: 'KillShell', input: idIn(taken.id) };
  if (typeof taken.chars === 'string' && taken.chars !== '')
    return {
      refuse:
        'Commands get no input here. Start the command again with its input on the command line, or with a here-document.',
    };
  const blocks = flagIn(taken.block);
  const waits =
    blocks === false
      ? { wait_ms: 0 }
      : blocks && rest.wait_ms === undefined
        ? { wait_ms: USUAL_WAIT_MS }
        : {};
  return { input: { ...rest, ...waits, ...idIn(taken.id) } };
}

export function adaptKillShell(input: Arguments): AdaptedCall {
  const { taken, rest } = take(input, ['id']);
  return { input: { ...rest, ...idIn(taken.id) } };
}

/** Some count sessions without a prefix. */
function idIn(id: unknown): Arguments {
  if (id === undefined) return {};
  return { id: typeof id === 'number' || (typeof id === 'string' && /^\d+$/.test(id)) ? `bg_${id}` : id };
}
