import { accessSync, constants, statSync } from 'node:fs';
import os from 'node:os';
import type { ClientApp } from '@agentclientprotocol/sdk';
import * as vscode from 'vscode';
import { capabilities } from '../chat/client-app.ts';
import { ChatUnavailable } from '../chat/problem.ts';
import { type AgentProcess, startAgent } from './agent-process.ts';
import { findProgram } from './find-program.ts';

/** The folder of the session is the first one; it can use the others too. */
export function place(): { cwd: string; additionalDirectories: string[] } {
  const [cwd, ...additionalDirectories] = localFolders();
  if (cwd === undefined) throw new ChatUnavailable({ type: 'no-folder' });
  return { cwd, additionalDirectories };
}

/** The program and its arguments, as the settings say. */
export function programLine(): { file: string; args: string[] } {
  if (!vscode.workspace.isTrusted) throw new ChatUnavailable({ type: 'untrusted' });
  const settings = vscode.workspace.getConfiguration('aca');
  const setting = settings.get('path', '');
  const file = findProgram({
    setting,
    path: process.env.PATH ?? '',
    folders: localFolders(),
    home: os.homedir(),
    platform: process.platform,
    isProgram,
  });
  if (file === null) throw new ChatUnavailable({ type: 'not-found', setting });
  return { file, args: ['acp', ...settings.get<string[]>('args', [])] };
}

export async function launch(app: ClientApp, log: vscode.LogOutputChannel): Promise<AgentProcess> {
  const { file, args } = programLine();
  const { cwd } = place();
  log.info(`Starting ${[file, ...args].join(' ')} in ${cwd}`);
  try {
    const started = await startAgent({
      command: { file, args, cwd, env: environment() },
      app,
      capabilities,
      log: (text) => log.info(text.trimEnd()),
    });
    const { name, version } = started.info.agentInfo ?? { name: 'An agent', version: '' };
    log.info(`${name} ${version} is ready.`);
    void started.ended.then((end) => log.info(end));
    return started;
  } catch (error) {
    log.error(error instanceof Error ? error : String(error));
    const reason = error instanceof Error ? error.message : String(error);
    throw new ChatUnavailable({ type: 'stopped', reason: `${file} did not start: ${reason}` });
  }
}

function localFolders(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

/** Without the variables that make the editor's own program behave as Node. */
function environment(): NodeJS.ProcessEnv {
  const own = /^(ELECTRON_RUN_AS_NODE|VSCODE_.*)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
