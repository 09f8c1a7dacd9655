import * as vscode from 'vscode';
import { unknownCertificate } from '../../../../src/frontends/server/pinned-certificate.ts';
import { type ServerAddress, serverAddress } from '../../../../src/frontends/server/server-address.ts';
import { localAccess } from '../../../../src/frontends/server/server-socket.ts';
import type { SessionSummary } from '../../../../web/chat/connection.ts';
import { messageOf } from '../chat/chat.ts';
import type { AttachedChat } from './attached-chat.ts';
import type { Conversations } from './conversations.ts';

/** `certificate` is the only one that is accepted, in PEM. */
type Place = { url: string | null; secret?: string; certificate?: string };

/** `aca: Attach to Server…`: which server, and which of its sessions. */
export async function attachToServer(conversations: Conversations): Promise<boolean> {
  const place = await chooseServer();
  if (!place) return false;
  const chat = await conversations.connect(place.url, place);
  try {
    await chat.open();
    const chosen = await chooseSession(chat, place);
    if (!chosen) {
      await chat.stop();
      return false;
    }
    await conversations.attach(chat, chosen.session);
    return true;
  } catch (error) {
    await chat.stop();
    throw error;
  }
}

async function chooseServer(): Promise<Place | undefined> {
  const local = localAccess(process.env);
  if (!local) return enterServer();
  const here = { label: '$(server) The server of this machine', description: local.url };
  const other = { label: '$(link) Another server…', description: 'by its address or an invitation link' };
  const chosen = await vscode.window.showQuickPick([here, other], { placeHolder: 'Select a server' });
  if (!chosen) return undefined;
  return chosen === here ? { url: null } : enterServer();
}

async function enterServer(): Promise<Place | undefined> {
  const written = await vscode.window.showInputBox({
    prompt: 'Address of a server, or an invitation link',
    placeHolder: 'https://box.example:7317/#code=…',
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? undefined : wrongIn(text)),
  });
  if (written === undefined || written.trim() === '') return undefined;
  const { url, secret } = serverAddress(written);
  const certificate = await acceptedCertificate(url);
  if (certificate === undefined) return undefined;
  const entered =
    secret ??
    (await vscode.window.showInputBox({
      prompt: `Token of ${url}. It is in serve/token in the data root of its owner`,
      password: true,
      ignoreFocusOut: true,
    }));
  if (entered === undefined) return undefined;
  return { url, secret: entered.trim(), ...(certificate !== null && { certificate }) };
}

/** Null if this machine trusts it anyway, undefined if the user does not accept it. */
async function acceptedCertificate(url: string): Promise<string | null | undefined> {
  const found = await unknownCertificate(url);
  if (!found) return null;
  const detail = `Connect only if its SHA-256 fingerprint is the one that \`aca serve\` printed there:\n\n${found.fingerprint}`;
  const message = `This machine does not know the certificate of ${url}.`;
  const chosen = await vscode.window.showWarningMessage(message, { modal: true, detail }, 'Connect');
  return chosen === 'Connect' ? found.pem : undefined;
}

function wrongIn(text: string): string | undefined {
  try {
    serverAddress(text) satisfies ServerAddress;
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** `session` is null for a new one in this folder, which only the server of this machine has. */
async function chooseSession(
  chat: AttachedChat,
  { url }: Place,
): Promise<{ session: string | null } | undefined> {
  const begin = { label: '$(add) New session in this folder', session: null };
  const sessions = await chat.listSessions();
  const items = [...(url === null ? [begin] : []), ...sessions.map(itemOf)];
  if (items.length === 0) throw new Error('This server has no sessions that you may see.');
  return vscode.window.showQuickPick(items, {
    placeHolder: 'Select a session',
    matchOnDescription: true,
    matchOnDetail: true,
  });
}

function itemOf({ id, title, state, cwd, lastLine }: SessionSummary) {
  return {
    label: title ?? 'Untitled session',
    description: [state, cwd].filter(Boolean).join(' · '),
    detail: lastLine ?? '',
    session: id,
  };
}
