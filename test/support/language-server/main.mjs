#!/usr/bin/env node
/**
 * A language server with a script: every line with BAD is an error, every line with WARN a warning, and `needs NAME`
 * is an error unless a file of that name is open or on disk; `uses WORD from NAME`, unless that file has `def WORD`. Its faults are those that real servers have.
 *
 * Usage: main.mjs '{"mode":"pull|register|push","fault":"...","delayMs":0,"loadMs":0,"stageMs":0,"log":"FILE"}'
 *
 * `register`: diagnostics can be requested once the server has registered for it. `stageMs`: lines with SYNTAX are known
 * at once, everything else only after this time. `stageSignal`: how it says so, `refresh` or `status`.
 * `holds`: the method that it works on until the file `until` exists; what comes after it waits.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const script = JSON.parse(process.argv[2] ?? '{}');
const { mode = 'pull', fault = '', delayMs = 0, loadMs = 0, stageMs = 0, stageSignal = '', log } = script;
const { holds, until } = script;
/** Documents whose first stage is over, as `uri version`. */
const analysed = new Set();
const documents = new Map();
const history = new Map();

const note = (text) => log && appendFileSync(log, `${text}\n`);
note(`start ${process.pid}`);

function send(message) {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

/** As the server sees a file: as it is open, or else on disk. */
function textOf(file) {
  const open = documents.get(pathToFileURL(file).href);
  return open?.text ?? (existsSync(file) ? readFileSync(file, 'utf8') : null);
}

function findings(uri, text) {
  return text.split('\n').flatMap((line, number) => {
    const at = (word, severity, message) => ({
      range: {
        start: { line: number, character: line.indexOf(word) },
        end: { line: number, character: line.length },
      },
      severity,
      code: word.trim(),
      source: 'scripted',
      message,
    });
    const needed = /needs (\S+)/.exec(line)?.[1];
    const other = needed && path.join(path.dirname(fileURLToPath(uri)), needed);
    const isMissing = other && textOf(other) === null;
    const [, used, from] = /uses (\S+) from (\S+)/.exec(line) ?? [];
    const isUndefined =
      used && !textOf(path.join(path.dirname(fileURLToPath(uri)), from))?.includes(`def ${used}`);
    return [
      ...(line.includes('BAD') ? [at('BAD', 1, `bad: ${line.trim()}`)] : []),
      ...(line.includes('WARN') ? [at('WARN', 2, 'a warning')] : []),
      ...(isUndefined ? [at('uses', 1, `${from} has no ${used}`)] : []),
      ...(isMissing ? [at('needs', 1, `${needed} is missing`)] : []),
    ];
  });
}

function publish(uri) {
  const { version, text } = documents.get(uri) ?? {};
  if (version === undefined) return;
  const items = findings(uri, text);
  const old = history.get(uri)?.at(-2);
  const lie = [
    {
      range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
      severity: 1,
      message: 'STALE',
    },
  ];
  if (fault === 'no-version') return send(published(uri, undefined, lie));
  if (fault === 'stale' && old) send(published(uri, old, lie));
  if (fault === 'stale') send(published(uri, version + 1, lie));
  if (fault === 'first-without-version' && history.get(uri).length === 1)
    return send(published(uri, undefined, items));
  setTimeout(() => {
    send(published(uri, version, stageMs > 0 ? syntaxOf(items) : items));
    if (fault === 'stale' && old) send(published(uri, old, lie));
  }, delayMs);
  if (stageMs > 0) setTimeout(() => send(published(uri, version, items)), delayMs + stageMs);
}

const syntaxOf = (items) => items.filter(({ message }) => message.includes('SYNTAX'));

/** What is known of a text now. A second stage begins with the first request, and is announced. */
function knownOf(uri) {
  const { version, text = '' } = documents.get(uri) ?? {};
  const items = findings(uri, text);
  const key = `${uri} ${version}`;
  if (stageMs === 0 || analysed.has(key)) return items;
  if (stageSignal === 'status') send(status(false));
  setTimeout(() => {
    analysed.add(key);
    send(
      stageSignal === 'status'
        ? status(true)
        : { id: `refresh ${key}`, method: 'workspace/diagnostic/refresh' },
    );
  }, stageMs);
  return syntaxOf(items);
}

const status = (quiescent) => ({
  method: 'experimental/serverStatus',
  params: { health: 'ok', quiescent },
});

const published = (uri, version, diagnostics) => ({
  method: 'textDocument/publishDiagnostics',
  params: { uri, diagnostics, ...(version !== undefined && { version }) },
});

function progress(kind) {
  send({ method: '$/progress', params: { token: 'load', value: { kind, title: 'Indexing' } } });
}

const handlers = {
  initialize(message) {
    if (fault === 'silent') return;
    if (fault === 'garbage') return void process.stdout.write('Hello, I am not a language server!\n');
    if (fault === 'no-json') return void process.stdout.write('Content-Length: 5\r\n\r\n{{{{{');
    if (fault === 'crash-at-start') {
      process.stderr.write('scripted: cannot start\n');
      process.exit(3);
    }
    if (fault === 'huge') return void process.stdout.write('Content-Length: 99999999999\r\n\r\n');
    send({
      id: message.id,
      result: {
        capabilities: {
          textDocumentSync: { openClose: true, change: 1, save: true },
          ...(mode === 'pull' && {
            diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: false },
          }),
          definitionProvider: true,
          referencesProvider: true,
          documentSymbolProvider: true,
          workspaceSymbolProvider: true,
          renameProvider: true,
        },
      },
    });
    if (loadMs > 0) {
      progress('begin');
      setTimeout(() => progress('end'), loadMs);
    }
  },
  initialized() {
    if (mode !== 'register') return;
    const registration = (id, method, registerOptions) =>
      send({
        id,
        method: 'client/registerCapability',
        params: { registrations: [{ id, method, registerOptions }] },
      });
    registration('watch', 'workspace/didChangeWatchedFiles', { watchers: [] });
    setTimeout(() => registration('pull', 'textDocument/diagnostic', { identifier: 'demo' }), delayMs);
  },
  'textDocument/didOpen': ({ params: { textDocument } }) => take(textDocument.uri, textDocument),
  'textDocument/didChange': ({ params: { textDocument, contentChanges } }) =>
    take(textDocument.uri, { ...textDocument, text: contentChanges.at(-1).text }),
  'textDocument/didClose'({ params: { textDocument } }) {
    documents.delete(textDocument.uri);
    send(published(textDocument.uri, undefined, []));
  },
  'textDocument/diagnostic'({ id, params: { textDocument, identifier } }) {
    note(`ask ${path.basename(textDocument.uri)}`);
    if (fault === 'never') return;
    if (fault === 'crash-on-ask') process.exit(7);
    if (fault === 'allocate') return void history.set('', Buffer.alloc(512 * 1024 ** 2, 1));
    if (mode === 'register' && identifier !== 'demo')
      return send({ id, error: { code: -32601, message: 'not registered' } });
    const isFirst = !analysed.has(textDocument.uri);
    analysed.add(textDocument.uri);
    if (fault === 'not-yet' && isFirst) return send({ id, result: { kind: 'unchanged', resultId: '0' } });
    const items = knownOf(textDocument.uri);
    setTimeout(() => {
      if (fault === 'wrong-types')
        return send({
          id,
          result: { kind: 'full', items: [{ message: 5 }, { range: 'x', message: 'no range' }] },
        });
      if (fault === 'error') return send({ id, error: { code: -32603, message: 'scripted failure' } });
      send({ id, result: { kind: 'full', items } });
    }, delayMs);
  },
  'textDocument/definition': ({ id, params }) => send({ id, result: wordsLike(params).slice(0, 1) }),
  'textDocument/references': ({ id, params }) => send({ id, result: wordsLike(params) }),
  'textDocument/rename': ({ id, params }) =>
    send({
      id,
      result: {
        changes: {
          [params.textDocument.uri]: wordsLike(params).map(({ range }) => ({
            range,
            newText: params.newName,
          })),
        },
      },
    }),
  'textDocument/documentSymbol'({ id, params: { textDocument } }) {
    const lines = (documents.get(textDocument.uri)?.text ?? '').split('\n');
    const symbols = lines.flatMap((line, at) => {
      const name = /^def (\w+)/.exec(line)?.[1];
      const range = { start: { line: at, character: 4 }, end: { line: at, character: line.length } };
      return name ? [{ name, kind: 12, range, selectionRange: range }] : [];
    });
    send({ id, result: symbols });
  },
  'workspace/symbol': ({ id }) => send({ id, result: [] }),
};

/** All places of the word at a position, in the same file. */
function wordsLike({ textDocument: { uri }, position: { line, character } }) {
  const lines = (documents.get(uri)?.text ?? '').split('\n');
  const word = /^\w+/.exec(lines[line]?.slice(character) ?? '')?.[0];
  if (!word) return [];
  return lines.flatMap((text, at) =>
    [...text.matchAll(new RegExp(`\\b${word}\\b`, 'g'))].map(({ index }) => ({
      uri,
      range: { start: { line: at, character: index }, end: { line: at, character: index + word.length } },
    })),
  );
}

function take(uri, { version, text }) {
  documents.set(uri, { version, text });
  history.set(uri, [...(history.get(uri) ?? []), version]);
  note(`text ${path.basename(uri)} ${version}`);
  if (mode === 'push') publish(uri);
}

let buffer = Buffer.alloc(0);
const received = [];
let timer;
process.stdin.on('data', (chunk) => {
  buffer = Buffer.concat([buffer, chunk]);
  for (let message = next(); message; message = next()) received.push(message);
  answerAll();
});
process.stdin.on('end', () => process.exit(0));

/** The first message in the buffer that is complete. */
function next() {
  const end = buffer.indexOf('\r\n\r\n');
  const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, Math.max(end, 0)))?.[1]);
  if (end < 0 || buffer.length < end + 4 + length) return null;
  const message = JSON.parse(buffer.subarray(end + 4, end + 4 + length).toString());
  buffer = buffer.subarray(end + 4 + length);
  return message;
}

function answerAll() {
  clearTimeout(timer);
  while (received.length > 0) {
    if (holds && received[0].method === holds && !existsSync(until)) {
      timer = setTimeout(answerAll, 20);
      return;
    }
    const message = received.shift();
    handlers[message.method]?.(message);
  }
}
