import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import {
  type ClientApp,
  type ClientCapabilities,
  type ClientContext,
  type InitializeResponse,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
} from '@agentclientprotocol/sdk';
import { commandLine } from './find-program.ts';

/** The program gets this long to save and end, in milliseconds. */
const PATIENCE = 2_000;

type AgentCommand = { file: string; args: readonly string[]; cwd: string; env: NodeJS.ProcessEnv };

type StartOptions = {
  command: AgentCommand;
  app: ClientApp;
  capabilities: ClientCapabilities;
  /** What the program writes to its standard error. */
  log(text: string): void;
};

export type AgentProcess = {
  agent: ClientContext;
  info: InitializeResponse;
  pid: number | undefined;
  /** Resolves with a description of the end, whoever caused it. */
  ended: Promise<string>;
  /** Resolves when the process is gone. */
  stop(): Promise<void>;
};

/** Starts the agent and greets it. If it does not answer, it is ended again. */
export async function startAgent({ command, app, capabilities, log }: StartOptions): Promise<AgentProcess> {
  const { file, args, shell } = commandLine(command.file, command.args);
  const child = spawn(file, args, { cwd: command.cwd, env: command.env, shell, windowsHide: true });
  const ended = endOf(child);
  child.stderr.setEncoding('utf8').on('data', log);
  // A write to a program that has ended; its end is reported by `ended`.
  child.stdin.on('error', () => undefined);
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream);
  const connection = app.connect(stream);
  const stop = async () => {
    connection.close();
    await endProcess(child, ended);
  };
  try {
    const greeting = connection.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: 'vscode', title: 'VS Code', version: '' },
      clientCapabilities: capabilities,
    });
    const info = await Promise.race([greeting, ended.then((end) => Promise.reject(new Error(end)))]);
    if (info.protocolVersion !== PROTOCOL_VERSION)
      throw new Error(`It speaks version ${info.protocolVersion} of the protocol, not ${PROTOCOL_VERSION}.`);
    return { agent: connection.agent, info, pid: child.pid, ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) =>
      resolve(signal ? `It was ended by ${signal}.` : `It ended with exit code ${code}.`),
    );
  });
}

/** The program ends when its input does; otherwise it is made to. */
async function endProcess(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.stdin?.end();
  if (await within(PATIENCE, ended)) return;
  killTree(child, 'SIGTERM');
  if (await within(PATIENCE, ended)) return;
  killTree(child, 'SIGKILL');
  await ended;
}

function killTree(child: ChildProcess, signal: NodeJS.Signals): void {
  // On Windows the program may be the child of a shell.
  if (process.platform === 'win32' && child.pid !== undefined)
    spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'], { windowsHide: true });
  else child.kill(signal);
}

async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
