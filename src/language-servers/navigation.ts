import type {
  DocumentSymbol,
  Location,
  LocationLink,
  Position,
  SymbolInformation,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver-protocol';
import type {
  CodeIntelligence,
  CodeLocation,
  RenamedFile,
  SymbolPlace,
} from '../contract/code-intelligence.ts';
import { fromUri, toUri } from './client.ts';
import { textOnDisk } from './disk.ts';
import type { LanguageServerPool } from './pool.ts';
import { type LanguageServer, messageOf } from './server.ts';

type Failed = { error: string };
type Navigation = Omit<CodeIntelligence, 'diagnostics'>;

/** How deep the outline of a file goes. */
const MAX_DEPTH = 3;
const MAX_RESULTS = 500;

/** Questions about code, answered by the server of the file's language. */
export function createNavigation(pool: LanguageServerPool): Navigation {
  async function places(
    method: string,
    place: SymbolPlace,
    { signal, more = {} }: { signal: AbortSignal; more?: object },
  ): Promise<CodeLocation[] | Failed> {
    const asked = await askAt<Location | Location[] | LocationLink[] | null>(method, place, { signal, more });
    if ('error' in asked) return asked;
    const { result } = asked;
    return locations(Array.isArray(result) ? result : result ? [result] : []);
  }

  async function askAt<T>(
    method: string,
    { path: file, line, symbol }: SymbolPlace,
    { signal, more }: { signal: AbortSignal; more: object },
  ): Promise<{ result: T; server: LanguageServer; textOf(file: string): string | undefined } | Failed> {
    const server = pool.serverFor(file);
    if (!server) return { error: `No language server for ${file} is installed.` };
    const missing = textOnDisk(file) === null ? `There is no text file ${file}.` : '';
    if (missing) return { error: missing };
    try {
      const answer = await server.ask<T>(
        method,
        {
          files: [file],
          params: (textOf) => {
            const position = positionOf(textOf(file), line, symbol);
            if (!position) throw new Error(`There is no "${symbol}" on line ${line}`);
            return { textDocument: { uri: toUri(file) }, position, ...more };
          },
        },
        signal,
      );
      return { ...answer, server };
    } catch (error) {
      if (signal.aborted) throw error;
      return { error: `${messageOf(error)}.` };
    }
  }

  return {
    definition: (place, signal) => places('textDocument/definition', place, { signal }),
    references: (place, signal) =>
      places('textDocument/references', place, { signal, more: { context: { includeDeclaration: true } } }),

    async outline(file, signal) {
      const server = pool.serverFor(file);
      if (!server) return { error: `No language server for ${file} is installed.` };
      try {
        const { result } = await server.ask<(DocumentSymbol | SymbolInformation)[] | null>(
          'textDocument/documentSymbol',
          { files: [file], params: () => ({ textDocument: { uri: toUri(file) } }) },
          signal,
        );
        return outlineOf(file, result ?? []);
      } catch (error) {
        if (signal.aborted) throw error;
        return { error: `${messageOf(error)}.` };
      }
    },

    async symbols(query, signal) {
      const ready = pool.servers().filter((server) => server.state().phase === 'ready');
      if (ready.length === 0)
        return { error: 'No language server runs yet: read a source file first, or name a file.' };
      const answers = await Promise.all(
        ready.map((server) =>
          server
            .ask<SymbolInformation[] | null>(
              'workspace/symbol',
              { files: [], params: () => ({ query }) },
              signal,
            )
            .then(({ result }) => result ?? [])
            .catch(() => []),
        ),
      );
      return answers
        .flat()
        .slice(0, MAX_RESULTS)
        .flatMap(({ name, location }) => {
          const [found] = locations(location ? [location] : []);
          return found ? [{ ...found, text: `${name}  ${found.text}` }] : [];
        });
    },

    async rename(place, newName, signal) {
      const asked = await askAt<WorkspaceEdit | null>('textDocument/rename', place, {
        signal,
        more: { newName },
      });
      return 'error' in asked ? asked : renamedFiles(asked.result, place.symbol, asked.textOf);
    },
  };
}

/** Of a name on a line, both counted from 1; the first that is a whole word. */
function positionOf(text: string, line: number, symbol: string): Position | null {
  const found = text.split(/\r\n|\r|\n/)[line - 1];
  if (found === undefined || symbol === '') return null;
  const isPart = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}_$]/u.test(char);
  for (let at = found.indexOf(symbol); at !== -1; at = found.indexOf(symbol, at + 1))
    if (!isPart(found[at - 1]) && !isPart(found[at + symbol.length]))
      return { line: line - 1, character: at };
  return null;
}

function locations(found: readonly (Location | LocationLink)[]): CodeLocation[] {
  const texts = new Map<string, string[]>();
  return found.slice(0, MAX_RESULTS).flatMap((one): CodeLocation[] => {
    const [uri, range] =
      'targetUri' in one ? [one.targetUri, one.targetSelectionRange] : [one.uri, one.range];
    const file = fromUri(uri);
    if (file === null || !range) return [];
    const lines = texts.get(file) ?? (textOnDisk(file) ?? '').split(/\r\n|\r|\n/);
    texts.set(file, lines);
    const { line, character } = range.start;
    return [
      { path: file, line: line + 1, column: character + 1, text: (lines[line] ?? '').trim().slice(0, 200) },
    ];
  });
}

function outlineOf(
  file: string,
  symbols: readonly (DocumentSymbol | SymbolInformation)[],
  depth = 0,
): CodeLocation[] {
  if (depth >= MAX_DEPTH) return [];
  return symbols.flatMap((symbol): CodeLocation[] => {
    const { start } = 'location' in symbol ? symbol.location.range : symbol.selectionRange;
    const text = `${'  '.repeat(depth)}${symbol.name}`;
    const below = 'children' in symbol ? outlineOf(file, symbol.children ?? [], depth + 1) : [];
    return [{ path: file, line: start.line + 1, column: start.character + 1, text }, ...below];
  });
}

function renamedFiles(
  edit: WorkspaceEdit | null,
  symbol: string,
  versionedText: (file: string) => string | undefined,
): RenamedFile[] | Failed {
  const changes = edit?.documentChanges ?? [];
  if (changes.some((change) => !('edits' in change)))
    return { error: 'The server wants to move files, too. Rename with edits instead.' };
  const edits = new Map<string, TextEdit[]>();
  const add = (uri: string, added: readonly TextEdit[]) => {
    const file = fromUri(uri);
    if (file !== null) edits.set(file, [...(edits.get(file) ?? []), ...added]);
  };
  for (const change of changes)
    if ('edits' in change) add(change.textDocument.uri, change.edits as TextEdit[]);
  if (changes.length === 0)
    for (const [uri, added] of Object.entries(edit?.changes ?? {})) add(uri, added ?? []);
  const files: RenamedFile[] = [];
  for (const [file, added] of edits) {
    const before = textOnDisk(file);
    const sent = versionedText(file);
    // The positions belong to the text that the server has.
    if (before === null || (sent !== undefined && sent !== before))
      return { error: `${file} was changed meanwhile. Try again.` };
    const after = applyEdits(before, added, symbol);
    if (after === null) return { error: `The server sent edits that do not fit ${file}.` };
    files.push({ path: file, before, after });
  }
  return files.length > 0 ? files : { error: 'The server found nothing to rename there.' };
}

/** Null if edits overlap, lie outside the text, or replace anything but `symbol`. */
function applyEdits(text: string, edits: readonly TextEdit[], symbol: string): string | null {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
  const offsetOf = ({ line, character }: Position) => {
    const start = starts[line];
    if (start === undefined) return line === starts.length && character === 0 ? text.length : null;
    const end = starts[line + 1] ?? text.length;
    return start + character > end ? null : start + character;
  };
  const spans = edits.map(({ range, newText }) => ({
    from: offsetOf(range.start),
    to: offsetOf(range.end),
    newText,
  }));
  let result = '';
  let at = 0;
  for (const { from, to, newText } of spans.toSorted((a, b) => (a.from ?? 0) - (b.from ?? 0))) {
    if (from === null || to === null || from < at || text.slice(from, to) !== symbol) return null;
    result += text.slice(at, from) + newText;
    at = to;
  }
  return result + text.slice(at);
}
