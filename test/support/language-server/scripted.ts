import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Language } from '../../../src/language-servers/languages.ts';
import type { StartServer } from '../../../src/language-servers/server.ts';

export const scriptedServer = path.join(path.dirname(fileURLToPath(import.meta.url)), 'main.mjs');

export type ServerScript = {
  mode?: 'pull' | 'register' | 'push';
  fault?: string;
  delayMs?: number;
  loadMs?: number;
  stageMs?: number;
  stageSignal?: 'refresh' | 'status';
  /** The method that it works on until the file `until` exists; what comes after it waits. */
  holds?: string;
  until?: string;
  log?: string;
  /** Tells its process from others. */
  name?: string;
};

/** A language of files that end in .demo, served by the scripted server. */
export function demoLanguage(script: ServerScript = {}): Language {
  return {
    name: 'Demo',
    extensions: { '.demo': 'demo' },
    markers: ['demo.json'],
    programs: [{ name: 'scripted', command: scriptedServer, args: [JSON.stringify(script)] }],
  };
}

/** Starts a server as a plain child process. */
export const startPlainly: StartServer = async ({ file, args }, root) => {
  const child = spawn(process.execPath, [file, ...args], { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] });
  let words = '';
  child.stderr.on('data', (text: Buffer) => {
    words += text.toString();
  });
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    ended: new Promise((resolve) =>
      child.once('close', (code, signal) => resolve(`ended with ${code ?? signal}: ${words.trim()}`)),
    ),
    sandbox: 'none',
    end: async () => void child.kill('SIGKILL'),
  };
};
