import path from 'node:path';
import type { Access } from '../../contract/permission.ts';
import type { TextSource } from '../../contract/provenance.ts';
import { startOf } from '../../lib/text/cut-line.ts';
import { fetchesText, isLocal, namesAddress, showsFetched, usesNetwork } from '../rules/network.ts';
import { judgeLook, type Place } from '../shell/look.ts';
import { parseLine } from '../shell/parse.ts';
import { type Reached, reach } from '../shell/reach.ts';
import { namedInLine } from './named.ts';
import { pathSources, type SourcePlace } from './paths.ts';

/** A call whose result the model reads. */
export type ReadCall = {
  tool: string;
  accesses: readonly Access[];
  /** Whether its commands, if any, could reach the network. */
  hasNetwork: boolean;
  output?: string;
};

const NAMED: Readonly<Record<string, string>> = {
  Recall: 'earlier sessions',
  McpSearch: 'descriptions of MCP tools',
  McpRead: 'descriptions of MCP resources',
};
const MAX_NAME = 120;
/** A line that grep and its relatives print about a file in a folder. */
const FOUND = /^(?:\.\/)?([^\s:]+)\/[^\s:/]+[:-]/gm;

/** Where the result of a call comes from. */
export function sourcesOf(
  { tool, accesses, hasNetwork, output = '' }: ReadCall,
  place: SourcePlace,
): TextSource[] {
  const named = Object.hasOwn(NAMED, tool) ? NAMED[tool] : undefined;
  const own: TextSource[] = named === undefined ? [] : [{ kind: 'foreign', name: named }];
  const found = accesses.flatMap((access): TextSource[] => {
    if (access.server)
      return [{ kind: 'foreign', name: `the MCP server ${tool.slice(0, tool.indexOf(':'))}` }];
    switch (access.kind) {
      case 'fetch':
        return [{ kind: 'foreign', name: plainAddress(access.target) }];
      case 'search':
        return [{ kind: 'foreign', name: `web search results for "${access.target}"` }];
      case 'read': {
        const written = access.target.replace(/^~(?=\/|$)/, () => place.home);
        return [...pathSources(path.resolve(place.cwd, written), place)];
      }
      case 'execute':
        return tool.includes(':') ? [] : ofCommand(access.target, hasNetwork, place);
      case 'write':
      case 'delegate':
        return [];
      default:
        return access.kind satisfies never;
    }
  });
  return [...own, ...found, ...foundIn(output, place)].map((source) => ({
    ...source,
    name: shorten(source.name, MAX_NAME),
  }));
}

/** The first folder with untrusted text that a search has found something in. */
function foundIn(output: string, place: SourcePlace): TextSource[] {
  const folders = new Set([...output.matchAll(FOUND)].map(([, folder = '']) => folder));
  for (const folder of folders) {
    const sources = pathSources(path.resolve(place.cwd, folder, '*'), place);
    const foreign = sources.find(({ kind }) => kind === 'foreign');
    if (foreign) return [foreign];
  }
  return [];
}

/** As a browser would request it, so that no name can imitate another; without a password. */
function plainAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}

function ofCommand(line: string, hasNetwork: boolean, place: SourcePlace): TextSource[] {
  const files = namedInLine(line, place);
  const fetched = fetchedBy(reach(parseLine(line), place), hasNetwork, place);
  return fetched === null ? files : [{ kind: 'foreign', name: `the output of ${fetched}` }, ...files];
}

/** The part of a line that fetches untrusted text, or null. */
function fetchedBy(
  reached: readonly Reached[],
  hasNetwork: boolean,
  { cwd, home }: SourcePlace,
): string | null {
  const inert: Place = { cwd, home, trusted: false, isInside: () => true };
  for (const { command, written } of reached) {
    const isFetched = () =>
      usesNetwork(fetchesText, command) ||
      (namesAddress(command) && !isLocal(command) && judgeLook(command, inert).type === 'unsure');
    if (usesNetwork(showsFetched, command) || (hasNetwork && isFetched())) return written.source;
  }
  return null;
}

/** On one line, with at most `max` characters. */
export function shorten(text: string, max: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > max ? `${startOf(line, max)}…` : line;
}
