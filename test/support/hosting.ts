import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import type { Identity, Role } from '../../src/frontends/server/identity.ts';
import { Connection } from '../../src/frontends/server/sessions/connection.ts';
import { HostedSessions } from '../../src/frontends/server/sessions/hosted-sessions.ts';
import type { Terminal } from '../../src/frontends/shared/terminal.ts';
import type { AccessEntry } from '../../src/observability/audit/access-log.ts';
import { cleanEnv, doors } from './aca.ts';
import { Member, type MemberOptions } from './hosted.ts';
import type { Step } from './model-server/script.ts';
import { serve } from './serve.ts';
import type { Workspace } from './workspace.ts';

type Guest = { name?: string; role?: Role; sessions?: Identity['sessions'] } & MemberOptions;

/** The sessions of a server behind a door that believes whoever knocks. */
export async function hosting(space: Workspace, script: readonly Step[]) {
  const model = await serve(script);
  const { model: name, env } = doors.anthropic(model.url);
  const leaving = new AbortController();
  const audited: AccessEntry[] = [];
  /** The names of those who have no access any more. */
  const revoked = new Set<string>();
  const hosted = new HostedSessions({
    options: { model: name, budget: [], allow: [], deny: [], addDir: [] },
    terminal: { env: cleanEnv(space, env), cwd: space.root } as Terminal,
    leaving: leaving.signal,
    folder: path.join(space.home, 'serve'),
    audit: (entry) => audited.push(entry),
  });
  const door = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  door.on('connection', (socket, request) => {
    const who = JSON.parse(String(request.headers['x-who'])) as Identity;
    void new Connection(socket, who, { hosted, isAllowed: async () => !revoked.has(who.name) }).serve();
  });
  await new Promise((listening) => door.once('listening', listening));
  onTestFinished(async () => {
    leaving.abort();
    door.close();
    for (const socket of door.clients) socket.terminate();
    await hosted.closeAll();
  });
  const url = `ws://127.0.0.1:${(door.address() as AddressInfo).port}`;
  const join = ({ name = 'Ada', role = 'owner', sessions = 'all', ...options }: Guest = {}) => {
    const who: Identity = { id: name, name, role, sessions };
    return Member.connect(url, { ...options, headers: { 'x-who': JSON.stringify(who) } });
  };
  return { hosted, audited, revoked, join, model, url };
}
