import { execFileSync } from 'node:child_process';
import { aca, doors } from './aca.ts';
import type { Step } from './model-server/script.ts';
import { serve } from './serve.ts';
import { openTerminal } from './terminal.ts';
import { type Workspace, workspace } from './workspace.ts';

const WHO = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@b',
};

/** A real repository with one commit of these files. */
export async function repository(files: Record<string, string>) {
  const space = await workspace(files);
  const git = (...args: string[]) => gitIn(space, space.root, ...args);
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'first: begin');
  return { space, git };
}

export function gitIn(space: Workspace, cwd: string, ...args: string[]): string {
  const program = 'git';
  const env = { PATH: process.env.PATH ?? '', HOME: space.home, ...WHO };
  return execFileSync(program, args, { cwd, env, encoding: 'utf8' }).trim();
}

export async function start(space: Workspace, script: Step[]) {
  const server = await serve(script);
  const { model, env: door } = doors['openai-chat'](server.url);
  const env = { ...door, ...WHO };
  const run = (args: string[]) => aca(space, [...args, '--model', model], { env });
  const terminal = (...args: string[]) => openTerminal(space, ['--plain', '--model', model, ...args], env);
  return { server, run, terminal };
}

export const PROMPT = '/help for commands';
