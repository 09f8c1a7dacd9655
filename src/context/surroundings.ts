import type { Message, TextPart } from '../contract/message.ts';
import type { Stated } from '../contract/request/epoch.ts';
import { sha256 } from '../lib/sha256.ts';
import { modeNote, type Surroundings, unwatchedNote } from './prompt/system-prompt.ts';

/**
 * One statement about the surroundings. `value` is compared, so it is short. `isTrusted`: the announcement is in the
 * program's own words alone, with nothing from files, servers or other people in it.
 */
type Fact = { name: string; value: string; announcement: string; isTrusted?: true };

const digest = (text: string) => sha256(text).slice(0, 16);

function factsOf(surroundings: Surroundings): Fact[] {
  const { mode, date, branch, folders = [], instructions, skills = [], style, append } = surroundings;
  const unwatched = unwatchedNote(surroundings);
  const facts: (Fact | false | undefined)[] = [
    { name: 'mode', value: mode, announcement: modeNote(mode), isTrusted: true },
    surroundings.refused !== undefined && {
      name: 'unwatched',
      value: unwatched === undefined ? 'implied' : 'yes',
      announcement: `[${unwatched ?? 'Nobody watches this run.'}]`,
      isTrusted: true,
    },
    date !== undefined && {
      name: 'date',
      value: date,
      announcement: `[Today is ${date}.]`,
      isTrusted: true,
    },
    branch !== undefined && {
      name: 'branch',
      value: branch,
      announcement: `[The current git branch is ${branch} now.]`,
    },
    ...folders.map((folder) => ({
      name: `folder:${folder}`,
      value: 'open',
      announcement: `[The user opened another folder to work in: ${folder}]`,
    })),
    ...instructions.map(({ file, text }) => ({
      name: `instructions:${file}`,
      value: digest(text.trim()),
      announcement: `[The instructions in ${file} changed. They now say:\n${text.trim()}]`,
    })),
    ...skills.map(({ name, description }) => ({
      name: `skill:${name}`,
      value: digest(description),
      announcement: `[A skill that you can read with the Skill tool: ${name}: ${description}]`,
    })),
    style && {
      name: 'style',
      value: `${style.name} ${digest(style.text)}`,
      announcement:
        style.text === ''
          ? '[The user chose the default output style. Earlier output styles no longer apply.]'
          : `[The user chose another output style.\n${style.text}]`,
    },
    append !== undefined && {
      name: 'append',
      value: digest(append),
      announcement: `[More instructions from the user:\n${append}]`,
    },
  ];
  return facts.filter((fact) => typeof fact === 'object');
}

/** What the announcements of earlier statements that no longer hold say; only their names are known. */
function withdrawal(name: string): string {
  const [kind = '', ...rest] = name.split(':');
  const what = rest.join(':');
  switch (kind) {
    case 'unwatched':
      return '[A user watches this run now, and answers questions and approvals.]';
    case 'branch':
      return '[No git branch is checked out now.]';
    case 'folder':
      return `[This folder is no longer open: ${what}]`;
    case 'instructions':
      return `[The instructions in ${what} no longer apply.]`;
    case 'skill':
      return `[The skill ${what} is no longer available.]`;
    case 'append':
      return '[The additional instructions of the user no longer apply.]';
    default:
      return `[No longer valid: ${name}]`;
  }
}

const TOOL = 'tool:';

/** What a prefix with these surroundings states. */
export function statedBy(surroundings: Surroundings): Stated {
  const { serverTools = [] } = surroundings;
  return Object.fromEntries([
    ...factsOf(surroundings).map(({ name, value }) => [name, value]),
    ...serverTools.map((tool) => [`${TOOL}${tool.name}`, digest(JSON.stringify(tool))]),
  ]);
}

/** What the model knows: the statements of the prefix, corrected by those of the messages it is shown. */
export function knownAfter(stated: Stated, messages: readonly Message[]): Stated {
  const known = new Map(Object.entries(stated));
  for (const { role, content } of messages) {
    if (role !== 'user') continue;
    for (const part of content) {
      if (part.type !== 'text' || !part.update) continue;
      for (const [name, value] of Object.entries(part.update.states))
        if (value === null) known.delete(name);
        else known.set(name, value);
    }
  }
  return Object.fromEntries(known);
}

/**
 * How the model can reach a tool that its prefix does not list: by name through a fixed tool, by a definition in a
 * message, or not before the next epoch.
 */
export type ToolReach = 'name' | 'definition' | 'none';

/**
 * Announcements of what differs from what the model knows, for the start of a prompt. What is in the program's own
 * words comes in a part of its own; nothing comes when nothing differs.
 */
export function announcements(known: Stated, surroundings: Surroundings, reach: ToolReach): TextPart[] {
  const facts = factsOf(surroundings);
  const names = new Set(facts.map(({ name }) => name));
  const changed = facts.filter(({ name, value }) => known[name] !== value);
  const gone = Object.keys(known).filter((name) => !names.has(name) && !name.startsWith(TOOL));
  const trusted = changed.filter(({ isTrusted }) => isTrusted);
  const others = changed.filter(({ isTrusted }) => !isTrusted);
  const texts = [...others.map(({ announcement }) => announcement), ...gone.map(withdrawal)];
  const states = { ...statesOf(others), ...Object.fromEntries(gone.map((name) => [name, null])) };
  return [
    ...partOf(
      trusted.map(({ announcement }) => announcement),
      { states: statesOf(trusted), trusted: true },
    ),
    ...partOf(texts, { states }),
    ...toolAnnouncements(known, surroundings, reach),
  ];
}

function statesOf(facts: readonly Fact[]): Record<string, string> {
  return Object.fromEntries(facts.map(({ name, value }) => [name, value]));
}

function partOf(lines: readonly string[], update: NonNullable<TextPart['update']>): TextPart[] {
  return lines.length === 0 ? [] : [{ type: 'text', text: lines.join('\n'), update }];
}

const MOST_NAMES = 4_000;

function toolAnnouncements(known: Stated, { serverTools = [] }: Surroundings, reach: ToolReach): TextPart[] {
  const now = new Map(serverTools.map((tool) => [tool.name, digest(JSON.stringify(tool))]));
  const before = new Map(
    Object.entries(known).flatMap(([name, value]) =>
      name.startsWith(TOOL) ? [[name.slice(TOOL.length), value] as const] : [],
    ),
  );
  const added = reach === 'none' ? [] : serverTools.filter(({ name }) => !before.has(name));
  const changed = serverTools.filter(({ name }) => before.has(name) && before.get(name) !== now.get(name));
  const gone = [...before.keys()].filter((name) => !now.has(name));
  const lines = [
    added.length > 0 &&
      `New MCP tools${reach === 'name' ? ', for McpCall' : ''}: ${listed(added.map(({ name }) => name))}.`,
    changed.length > 0 && `Changed MCP tools: ${listed(changed.map(({ name }) => name))}.`,
    gone.length > 0 && `No longer available: ${listed(gone)}.`,
  ].filter((line) => line !== false);
  if (lines.length === 0) return [];
  const states = Object.fromEntries([
    ...[...added, ...changed].map(({ name }) => [`${TOOL}${name}`, now.get(name) ?? '']),
    ...gone.map((name) => [`${TOOL}${name}`, null]),
  ]);
  const tools = { added: [...added, ...changed], removed: gone };
  return partOf([`[${lines.join(' ')}]`], { states, ...(reach === 'definition' && { tools }) });
}

function listed(names: readonly string[]): string {
  const text = names.join(', ');
  return text.length > MOST_NAMES ? `${text.slice(0, MOST_NAMES)} …` : text;
}
