import path from 'node:path';
import type { Access } from '../../contract/permission.ts';
import type { TextSource } from '../../contract/provenance.ts';
import { fetchesText, isLocal, namesAddress, usesNetwork } from '../rules/network.ts';
import { judgeLook, type Place } from '../shell/look.ts';
import { parseLine } from '../shell/parse.ts';
import { reach } from '../shell/reach.ts';
import { pathSource, pathsInCommand, type SourcePlace } from './paths.ts';

/** A call whose result the model reads. */
export type ReadCall = {
  tool: string;
  accesses: readonly Access[];
  /** Whether its commands, if any, could reach the network. */
  hasNetwork: boolean;
};

const NAMED: Readonly<Record<string, string>> = {
  Recall: 'earlier sessions',
  McpSearch: 'descriptions of MCP tools',
  McpRead: 'descriptions of MCP resources',
};
const MAX_NAME = 120;

/** Where the result of a call comes from. */
export function sourcesOf({ tool, accesses, hasNetwork }: ReadCall, place: SourcePlace): TextSource[] {
  const named = Object.hasOwn(NAMED, tool) ? NAMED[tool] : undefined;
  const own: TextSource[] = named === undefined ? [] : [{ kind: 'foreign', name: named }];
  const found = accesses.flatMap((access): TextSource[] => {
    if (access.server)
      return [{ kind: 'foreign', name: `the MCP server ${tool.slice(0, tool.indexOf(':'))}` }];
    switch (access.kind) {
      case 'fetch':
        return [{ kind: 'foreign', name: access.target }];
      case 'search':
        return [{ kind: 'foreign', name: `web search results for ${access.target}` }];
      case 'read': {
        const written = access.target.replace(/^~(?=\/|$)/, () => place.home);
        const source = pathSource(path.resolve(place.cwd, written), place);
        return source === null ? [] : [source];
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
  return [...own, ...found].map((source) => ({ ...source, name: oneLine(source.name) }));
}

function ofCommand(line: string, hasNetwork: boolean, place: SourcePlace): TextSource[] {
  const files = pathsInCommand(line, place);
  const fetched = hasNetwork ? fetchedBy(line, place) : null;
  return fetched === null ? files : [{ kind: 'foreign', name: fetched }, ...files];
}

/** The part of a line that fetches text of others, or null. */
function fetchedBy(text: string, { cwd, home }: SourcePlace): string | null {
  const inert: Place = { cwd, home, trusted: false, isInside: () => true };
  for (const { command, written } of reach(parseLine(text), { cwd, home })) {
    const isFetched =
      usesNetwork(fetchesText, command) ||
      (namesAddress(command) && !isLocal(command) && judgeLook(command, inert).type === 'unsure');
    if (isFetched) return written.source;
  }
  return null;
}

function oneLine(name: string): string {
  const line = name.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_NAME ? `${line.slice(0, MAX_NAME)}…` : line;
}
