import path from 'node:path';
import { type Command, Option } from 'commander';
import { loadSettings, sessionStore } from '../../app/settings.ts';
import { UserError } from '../../contract/errors.ts';
import type { OfflineAccess } from '../../frontends/server/access/offline-access.ts';
import type { Invitation, NewInvitation, SignIn } from '../../frontends/server/owner-methods.ts';
import { findServer } from '../../frontends/server/server-record.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { visible } from '../../lib/text/printable.ts';
import { DAY_MS, validityFlag } from '../flags/duration-flag.ts';
import { table } from './context.ts';

const collect = (value: string, previous: string[]) => [...previous, value];

type InviteFlags = {
  role: NewInvitation['role'];
  session: string[];
  expires: number;
  name?: string;
  qr: boolean;
};

/** `aca serve link`, `invite`, `invitations`, `revoke`, `sign-ins` and `sign-out`: also while no server runs. */
export function addAccessCommands(command: Command, terminal: Terminal): Command {
  const print = (text: string) => void terminal.stdout.write(text);
  command
    .command('link')
    .description('Print a link that signs you in to the server once, within 10 minutes')
    .option('--no-qr', 'print no QR code')
    .action(async ({ qr }: { qr: boolean }) => {
      const access = await open(terminal);
      print(await shownLink(await access.signInLink(), qr, terminal));
      warnWithoutServer(terminal);
    });
  command
    .command('invite')
    .description('Print a link for somebody else')
    .addOption(
      new Option('--role <role>', 'viewers watch, editors also prompt and approve')
        .choices(['viewer', 'editor'])
        .default('viewer'),
    )
    .option('--session <id>', 'only this session; repeatable (default: all sessions)', collect, [])
    .option(
      '--expires <time>',
      'how long it is valid, such as 30m, 2h or 7d',
      validityFlag(LONGEST_MS),
      DAY_MS,
    )
    .option('--name <name>', 'how the guest is called (default: asked when they join)')
    .option('--no-qr', 'print no QR code')
    .action(async (flags: InviteFlags) => {
      const access = await open(terminal);
      const { invitation, link } = await access.invitations.create(
        await wantedOf(flags, terminal),
        access.owner,
      );
      print(await shownLink(link, flags.qr, terminal));
      print(
        `Valid until ${shownTime(invitation.expiresAt)}. To revoke it: aca serve revoke ${invitation.id}\n`,
      );
      warnWithoutServer(terminal);
    });
  command
    .command('invitations')
    .description('List the invitations that are still valid')
    .option('--json', 'print JSON lines')
    .action(async ({ json }: { json?: true }) => {
      const all = await (await open(terminal)).invitations.list();
      if (json) for (const one of all) print(`${JSON.stringify(one)}\n`);
      else print(all.length > 0 ? table(all.map(rowOf)) : 'No invitations.\n');
    });
  command
    .command('revoke')
    .description('Revoke an invitation; its guests are disconnected at once')
    .argument('[id]', 'the invitation, as `aca serve invitations` lists it')
    .option('--all', 'revoke all invitations, sign out all browsers, and replace the token')
    .action(async (id: string | undefined, { all }: { all?: true }) =>
      print(await revoke(id, { all }, terminal)),
    );
  return addSignInCommands(command, terminal);
}

function addSignInCommands(command: Command, terminal: Terminal): Command {
  const print = (text: string) => void terminal.stdout.write(text);
  command
    .command('sign-ins')
    .description('List the browsers that are signed in')
    .option('--json', 'print JSON lines')
    .action(async ({ json }: { json?: true }) => {
      const all = await (await open(terminal)).signIns.list();
      if (json) for (const one of all) print(`${JSON.stringify(one)}\n`);
      else print(all.length > 0 ? table(all.map(signInRow)) : 'No browser is signed in.\n');
    });
  command
    .command('sign-out')
    .description('Sign a browser out; it is disconnected at once')
    .argument('<id>', 'the browser, as `aca serve sign-ins` lists it')
    .action(async (id: string) => {
      const access = await open(terminal);
      if (!(await access.signIns.end(id, access.owner)))
        throw new UserError(`There is no sign-in ${id}.`, 'List them with `aca serve sign-ins`.');
      print(`Signed out ${id}.\n`);
    });
  return command;
}

async function revoke(
  id: string | undefined,
  { all }: { all: true | undefined },
  terminal: Terminal,
): Promise<string> {
  const access = await open(terminal);
  if (all) {
    await access.revokeAll();
    return 'Revoked all invitations, signed out all browsers, and replaced the token.\n';
  }
  if (id === undefined) throw new UserError('Which invitation?', 'List them with `aca serve invitations`.');
  if (!(await access.invitations.revoke(id, access.owner)))
    throw new UserError(`There is no invitation ${id}.`, 'List them with `aca serve invitations`.');
  return `Revoked ${id}.\n`;
}

async function open(terminal: Terminal): Promise<OfflineAccess> {
  const { openAccess } = await import('../../frontends/server/access/offline-access.ts');
  const { root, config } = loadSettings({}, terminal);
  return openAccess({
    folder: path.join(root, 'serve'),
    auditFile: config.auditLog ? path.join(root, 'audit.jsonl') : null,
    onTrouble: (message) => void terminal.stderr.write(`${message}\n`),
  });
}

function warnWithoutServer(terminal: Terminal): void {
  const { root } = loadSettings({}, terminal);
  if (!findServer(root))
    terminal.stderr.write(
      'No server is running here, so nothing answers this link yet. Start one: aca serve\n',
    );
}

/** Without the code where no person looks at it. */
async function shownLink(link: string, qr: boolean, { stdout }: Terminal): Promise<string> {
  const { linkText } = await import('../../frontends/server/http/announcement.ts');
  return linkText(link, { qr: qr && stdout.isTTY === true });
}

async function wantedOf(
  { role, session, expires, name }: InviteFlags,
  terminal: Terminal,
): Promise<NewInvitation> {
  const store = sessionStore(loadSettings({}, terminal));
  const sessions: string[] = [];
  for (const wanted of session) {
    const id = await store.find(wanted);
    if (id === null) throw new UserError(`There is no session ${wanted}.`, 'List them with `aca sessions`.');
    sessions.push(id);
  }
  return { role, name, expiresInMs: expires, sessions: sessions.length > 0 ? sessions : undefined };
}

function rowOf({ id, role, name, sessions, expiresAt, lastUsedAt }: Invitation): string[] {
  return [
    id,
    role,
    visible(name ?? ''),
    sessions === 'all' ? 'all sessions' : visible(sessions.join(', ')),
    `until ${shownTime(expiresAt)}`,
    lastUsedAt === null ? 'never used' : `used ${shownTime(lastUsedAt)}`,
  ];
}

function signInRow({ id, name, role, browser, createdAt, expiresAt }: SignIn): string[] {
  return [
    id,
    visible(name),
    role,
    visible(browser),
    createdAt === null ? '' : `since ${shownTime(createdAt)}`,
    `until ${shownTime(expiresAt)}`,
  ];
}

function shownTime(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

const LONGEST_MS = 90 * DAY_MS;
