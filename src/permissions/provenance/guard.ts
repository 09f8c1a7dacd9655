import path from 'node:path';
import type { Access } from '../../contract/permission.ts';
import type { TextSource } from '../../contract/provenance.ts';
import type { SandboxState } from '../../contract/sandbox.ts';
import { startupRule } from '../../contract/startup-files.ts';
import { exactLine } from '../../lib/text/visible-text.ts';
import { isLocal, sendsData, usesNetwork } from '../rules/network.ts';
import { judgeLook, type Place } from '../shell/look.ts';
import { parseLine } from '../shell/parse.ts';
import { reach } from '../shell/reach.ts';
import { readsAlike } from '../shell/reads-alike.ts';
import type { ShellLine, SimpleCommand } from '../shell/shell-line.ts';
import { addressesInInput, type KnownAddresses, mayCarryData } from './addresses.ts';
import { manifestRule } from './manifests.ts';
import { namedBy } from './named.ts';
import { type GitRemotes, usesOwnRemote } from './own-remote.ts';
import type { SourcePlace } from './paths.ts';
import { textAfter } from './scripts.ts';
import { shorten } from './sources.ts';

/** What a conversation has read so far, and what can be looked up about it. */
export type Provenance = KnownAddresses & {
  sources: readonly TextSource[];
  /** The remotes of the repository around a folder, as they are now; null if that is unclear. */
  remotesOf(folder: string): GitRemotes | null;
  /** Whether git runs hooks in the repository around a folder: they may run code that the model has changed. */
  hasHooks(folder: string): boolean;
  /** The text of a file, or null. */
  textOf(file: string): string | null;
  /** Whether a file has another name, which other programs may know it by. */
  hasOtherName(file: string): boolean;
  /** What is known about the folders of the machine. */
  folders: SourcePlace;
};

/** A call, one access of it, and where it would run. */
export type GuardedAccess = {
  tool: string;
  access: Access;
  /** For a file: where the path leads. */
  real: string;
  input: unknown;
  place: Place;
  sandbox: SandboxState | null;
};

const OTHER_NAME = 'other programs may run it under another name';

/** How many foreign sources a question names; the latest count. */
const NAMED = 2;
/** In characters. */
const MAX_NAME = 100;
const MAX_SHOWN = 60;

/**
 * Why an access needs a yes from the user in any mode: the model has read untrusted text, and the access could take
 * effect later, or carry out private data that the model holds or that the call itself reads. Null if it does not.
 */
export function guardBecause(one: GuardedAccess, provenance: Provenance): string | null {
  const read = provenance.sources.filter(({ kind }) => kind === 'foreign');
  if (read.length === 0) return null;
  const all = heldBy(one, provenance);
  const foreign = read.filter((source) => !isAbout(one, source, all));
  if (foreign.length === 0) return null;
  const isOwn = foreign.every(({ own }) => own);
  const held = all.filter(({ kind }) => kind !== 'project' || !isOwn);
  if (held.length === 0 && (isOwn || one.access.kind !== 'write')) return null;
  const risk = riskOf(one, held, {
    ...provenance,
    known: foreign.find(({ remotes }) => remotes)?.remotes ?? [],
  });
  return risk === null ? null : exactLine(`${risk}, after reading ${namesOf(foreign)}`);
}

/** Whether a source describes the very tool that is called, and only the project is at stake. */
function isAbout(
  { tool, access }: GuardedAccess,
  { server }: TextSource,
  held: readonly TextSource[],
): boolean {
  if (server === undefined || !access.server || !tool.startsWith(`${server}:`)) return false;
  return held.every(({ kind }) => kind === 'project');
}

/** A placeholder in a command stands for a secret, wherever it was read. */
function heldBy({ access, tool, input }: GuardedAccess, { sources, folders }: Provenance): TextSource[] {
  const held = [...sources, ...namedBy({ access, tool, input }, folders)].filter(
    ({ kind }) => kind !== 'foreign',
  );
  return access.holdsSecret ? [...held, { kind: 'secret', name: '' }] : held;
}

type Known = Provenance & { known: readonly string[] };

function riskOf(one: GuardedAccess, held: readonly TextSource[], known: Known): string | null {
  const { tool, access, real, input, place } = one;
  const isMore = held.some(({ kind }) => kind !== 'project');
  const sends = (where: string) => `could send ${wordsFor(held)} to ${where}`;
  switch (access.kind) {
    case 'fetch':
      return mayCarryData(access.target, held, known) ? sends(hostOf(access.target)) : null;
    case 'search':
      return isMore ? sends('a search service') : null;
    case 'execute': {
      if (!tool.includes(':')) return commandRisk(one, { held, known, isMore });
      if (!access.server) return access.looks || access.free ? null : sends(`the tool ${tool}`);
      const isFree = access.looks && !isMore && !addressOf(input, held, known);
      return isFree ? null : sends(`the MCP server ${tool.slice(0, tool.indexOf(':'))}`);
    }
    case 'write': {
      const startup = [access.target, real].map((file) => startupRule(path.resolve(place.cwd, file)));
      const rule = startup.find((found) => found !== undefined);
      if (rule) return actsLater(rule.because);
      if (known.hasOtherName(path.resolve(place.cwd, real))) return actsLater(OTHER_NAME);
      const manifest = manifestRule(access.target) ?? manifestRule(real);
      if (!manifest) return null;
      const before = known.textOf(path.resolve(place.cwd, real));
      const after = textAfter(access.target, before, input);
      return after !== null && !manifest.changes(before, after) ? null : actsLater(manifest.because);
    }
    case 'read':
    case 'delegate':
      return null;
    default:
      return access.kind satisfies never;
  }
}

/** An address in the input of a read-only tool that may carry data. */
function addressOf(input: unknown, held: readonly TextSource[], known: Known): boolean {
  return addressesInInput(input).some((url) => mayCarryData(url, held, known));
}

type Held = { held: readonly TextSource[]; known: Known; isMore: boolean };

/** Without a network, a command can only leave files behind, which are checked when it ends. */
function commandRisk(
  { access, place, sandbox }: GuardedAccess,
  { held, known, isMore }: Held,
): string | null {
  const network = access.unconfined || sandbox === null ? 'open' : sandbox.network;
  if (network === 'none') return null;
  const line = parseLine(access.target);
  const reached = reach(line, place);
  const isOwn = (command: SimpleCommand, cwd: string) =>
    !isMore && usesOwnRemote(command, known.remotesOf(cwd), known.known);
  const sender = reached.find(
    ({ command, cwd }) => usesNetwork(sendsData, command) && !isOwn(command, cwd),
  )?.written;
  if (sender) return `could send ${wordsFor(held)} with ${shorten(sender.source, MAX_SHOWN)}`;
  // The hosts that the sandbox lets commands reach are the user's choice.
  if (network === 'listed') return null;
  const stays = (command: SimpleCommand) => {
    if (onlyLooks(command, place)) return true;
    const cwd = reached.find(({ written }) => written === command)?.cwd ?? place.cwd;
    if (command.name === 'git' && known.hasHooks(cwd)) return false;
    return staysHere(command, place) || isOwn(command, cwd);
  };
  const isKnown = isUnderstood(line) && readsAlike(access.target, place.shell) && line.commands.every(stays);
  return isKnown ? null : `could send ${wordsFor(held)} over the network, which is open to commands`;
}

function isUnderstood({ commands, doubts }: ShellLine): boolean {
  return commands.length > 0 && doubts.length === 0;
}

function onlyLooks(command: SimpleCommand, place: Place): boolean {
  return judgeLook(command, { ...place, trusted: false }).type === 'only_looks';
}

/** Whether a command certainly uses neither the network nor code that the model may have changed. */
function staysHere(command: SimpleCommand, place: Place): boolean {
  if (!isLocal(command) || command.assignments.length > 0 || command.redirects.length > 0) return false;
  if (command.next === '&' || command.words.some(({ opaque, variables }) => opaque || variables.length > 0))
    return false;
  return command.nested.every(
    (line) => isUnderstood(line) && line.commands.every((inner) => onlyLooks(inner, place)),
  );
}

function actsLater(because: string): string {
  return `could take effect later (${because})`;
}

function hostOf(url: string): string {
  return shorten(URL.canParse(url) ? new URL(url).host : url, MAX_SHOWN);
}

function wordsFor(held: readonly TextSource[]): string {
  const files = held.flatMap(({ kind, name }) => (kind === 'user' ? [name] : []));
  const words = [
    ...(held.some(({ kind }) => kind === 'secret') ? ['secrets'] : []),
    ...(files.length > 0
      ? [files.length === 1 ? `${files[0]}` : `${files[0]} and other files of yours`].map((name) =>
          shorten(name, MAX_NAME),
        )
      : []),
    ...(held.some(({ kind }) => kind === 'project') ? ['files of this project'] : []),
  ];
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : (words[0] ?? '');
}

function namesOf(foreign: readonly TextSource[]): string {
  const all = [...new Set(foreign.map(({ name }) => name).reverse())];
  const names = all.slice(0, NAMED).map((name) => shorten(name, MAX_NAME));
  const rest = all.length - names.length;
  if (rest > 0) return `${names.join(', ')} and ${rest} other ${rest === 1 ? 'source' : 'sources'}`;
  return names.join(' and ');
}
