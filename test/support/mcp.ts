import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Hub, type HubOptions, openHub } from '../../src/mcp/hub.ts';
import { createProcessKeeper } from '../../src/sandbox/shell/process-keeper.ts';
import { freePort } from './free-port.ts';
import type { Terminal } from './terminal.ts';
import { type WhenDone, type Workspace, workspace } from './workspace.ts';

const packages = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../node_modules');

export type Program = { command: string; args: string[]; env?: Record<string, string> };

/** A published server, run from the installed package. */
export function published(name: 'everything' | 'filesystem' | 'memory', ...args: string[]): Program {
  const file = path.join(packages, `@modelcontextprotocol/server-${name}/dist/index.js`);
  return { command: process.execPath, args: [file, ...args] };
}

/** Writes the user's settings. */
export async function configure(space: Workspace, config: object): Promise<string> {
  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root, { recursive: true });
  await writeFile(path.join(root, 'config.json'), JSON.stringify(config));
  return root;
}

/** These servers, with real processes; stopped at the end of the test, or when `whenDone` says. */
export async function hubOf(
  servers: HubOptions['servers'],
  {
    whenDone = onTestFinished,
    ...options
  }: Partial<Pick<HubOptions, 'backoffMs' | 'fetch'>> & { whenDone?: WhenDone } = {},
): Promise<{ hub: Hub; space: Workspace }> {
  const space = await workspace({}, whenDone);
  const hub = openHub({
    servers,
    env: process.env,
    cwd: space.root,
    roots: [space.root],
    keeper: createProcessKeeper({ path: process.env.PATH }),
    fetch,
    dataRoot: space.home,
    trusted: false,
    version: 'test',
    ...options,
  });
  whenDone(() => hub.close());
  return { hub, space };
}

/** Polls until the server is connected: an interactive session does not wait long for its servers. */
export async function waitForServer(terminal: Terminal, name: string): Promise<void> {
  const told = () => terminal.screen().match(new RegExp(`^${name}  .*$`, 'gm')) ?? [];
  const until = Date.now() + 60_000;
  while (!told().some((line) => / \d+ tools, /.test(line))) {
    const before = told().length;
    if (Date.now() > until) throw new Error(`${name} did not start. The screen:\n${terminal.screen()}`);
    terminal.type('/mcp\r');
    while (told().length === before && Date.now() < until) await sleep(50);
  }
}

/** The published server over HTTP; stopped at the end of the test. */
export async function everythingOver(kind: 'streamableHttp' | 'sse'): Promise<string> {
  return (await startEverything(kind, await freePort())).url;
}

/** `stop` is immediate, and frees the port. */
export async function startEverything(
  kind: 'streamableHttp' | 'sse',
  port: number,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { command, args } = published('everything', kind);
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH ?? '', PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('The server did not start.')));
    child.stderr.on('data', (text: Buffer) => {
      if (/port \d+/.test(String(text))) resolve();
    });
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = () => {
    child.kill('SIGKILL');
    return ended;
  };
  return { url: `http://127.0.0.1:${port}/${kind === 'sse' ? 'sse' : 'mcp'}`, stop };
}

/** A server that misbehaves in one way; `words` are its own arguments. */
export function oddServer(way: string, ...words: string[]): Program {
  return { command: process.execPath, args: ['-e', ODD, way, ...words] };
}

const ODD = String.raw`
const fs = require('node:fs');
const { spawn } = require('node:child_process');
const [way, word = ''] = process.argv.slice(1);
const write = (value) => process.stdout.write(JSON.stringify(value) + '\n');
const describe = () => (way === 'changing' ? fs.readFileSync(word, 'utf8') : 'Says what it was told');
const tool = (name, description) => ({
  name, description, annotations: { readOnlyHint: way !== 'writes' },
  inputSchema: { type: 'object', properties: { text: { type: 'string', description: 'x'.repeat(way === 'many' ? 400 : 1) } } },
});
const tools = () => way === 'many'
  ? Array.from({ length: 300 }, (_, i) => tool('tool_' + i, 'Does thing number ' + i + (i === 217 ? ', the zebra one' : '')))
  : [tool('say', describe()), ...(grown ? [tool('late', 'Came later')] : [])];
let grown = false;
let warm = false;
if (way === 'stubborn') {
  process.on('SIGTERM', () => {});
  const child = spawn('sleep', [word], { detached: true, stdio: 'ignore' });
  child.unref();
  setInterval(() => {}, 1000);
}
if (word && way === 'counts') fs.appendFileSync(word, process.pid + '\n');
if (way === 'noise') setInterval(() => process.stdout.write('not a message\n'.repeat(1000)), 1);
if (way === 'dies at once') { console.error('I cannot find my config'); process.exit(3); }
let rest = '';
process.stdin.on('data', (chunk) => {
  rest += chunk;
  const lines = rest.split('\n');
  rest = lines.pop();
  for (const line of lines) if (line.trim()) answer(JSON.parse(line));
});
if (way !== 'stubborn') process.stdin.on('end', () => process.exit(0));
function answer({ id, method, params }) {
  if (way === 'hangs' || way === 'noise') return;
  if (way === 'slow' && !warm) return void setTimeout(() => { warm = true; answer({ id, method, params }); }, Number(word));
  if (way === 'garbage') process.stdout.write('loading...\n{"half": \n\n42\nnull\n');
  if (method === 'initialize')
    return write({ jsonrpc: '2.0', id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'odd', version: '1' } } });
  if (method === 'tools/list') {
    write({ jsonrpc: '2.0', id, result: { tools: tools() } });
    if (grown && word) fs.writeFileSync(word, '');
    return;
  }
  if (method === 'notifications/cancelled') return write({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'heard: ' + params.reason } });
  if (method !== 'tools/call') return id === undefined ? undefined : write({ jsonrpc: '2.0', id, result: {} });
  if (way === 'hangs in calls') return;
  if (way === 'dies in calls') process.exit(1);
  if (way === 'floods') { const junk = 'x'.repeat(1 << 20); const more = () => process.stdout.write(junk, more); return more(); }
  if (way === 'hurries') {
    const { progressToken } = params._meta;
    const told = [1, 2, 3].map((progress) => ({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress, total: 3 } }));
    const answer = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'at once' }] } };
    return process.stdout.write([...told, answer].map((each) => JSON.stringify(each) + '\n').join(''));
  }
  if (way === 'grows') { grown = true; write({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }); }
  write({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'said ' + JSON.stringify(params.arguments) + (way === 'long' ? 'y'.repeat(50000) : '') }] } });
}
`;
