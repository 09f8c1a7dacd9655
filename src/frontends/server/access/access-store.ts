import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { updateFile } from '../../../lib/files/file-update.ts';
import { readTextIfAny } from '../../../lib/files/read-text.ts';
import { parseJson } from '../../../lib/text/json.ts';
import type { Identity } from '../identity.ts';
import type { Invitation, NewInvitation, SignIn } from '../owner-methods.ts';
import { participantName } from './participant-name.ts';
import { hashOf, isSecret, newSecret, readToken, sameHash, tokenFileIn } from './secrets.ts';

const DAY_MS = 24 * 60 * 60_000;
const CODE_MS = 10 * 60_000;
const SIGN_IN_MS = 30 * DAY_MS;
const MAX_INVITATIONS = 200;
const MAX_SIGN_INS = 500;
const MAX_SIGN_INS_OF_ONE = 20;

const stored = z.object({
  /** Where links lead: the address of the server that ran last. */
  url: z.string().nullable().default(null),
  invitations: z
    .array(
      z.object({
        id: z.string(),
        hash: z.string(),
        role: z.enum(['owner', 'editor', 'viewer']),
        sessions: z.union([z.literal('all'), z.array(z.string())]),
        name: z.string().nullable(),
        createdAt: z.string(),
        expiresAt: z.string(),
        lastUsedAt: z.string().nullable(),
      }),
    )
    .default([]),
  signIns: z
    .array(
      z.object({
        id: z.string(),
        /** The invitation, or `owner`. */
        grant: z.string(),
        cookieHash: z.string(),
        keyHash: z.string(),
        name: z.string(),
        browser: z.string().default('Unknown browser'),
        createdAt: z.string().nullable().default(null),
        expiresAt: z.string(),
      }),
    )
    .default([]),
});

type Stored = z.infer<typeof stored>;
type StoredInvitation = Stored['invitations'][number];

/** Proof of access, and whom it belongs to. */
export type Access = {
  who: Identity;
  /** The invitation, or `owner`. */
  grant: string;
  /** The browser; null for a program. */
  signIn: string | null;
  /** Of the owner's token, for a program. */
  tokenHash: string | null;
  /** ISO 8601; null for the token. */
  expiresAt: string | null;
};

/** A browser needs both: the cookie, and the key that its page sends itself. */
export type SignedIn = { cookie: string; key: string; access: Access; maxAgeSeconds: number };

/**
 * Invitations and signed-in browsers, in a file that the server and other commands share. Secrets are stored as hashes.
 * Everything is looked up in the file, so that a revoked access ends at once, whoever revoked it.
 */
export class AccessStore {
  readonly #folder: string;
  readonly #file: string;
  readonly #now: () => number;
  #cache: { version: string; content: Stored } | null = null;
  #token: { version: string; hash: string | null } | null = null;

  constructor(folder: string, now: () => number = Date.now) {
    this.#folder = folder;
    this.#file = path.join(folder, 'access.json');
    this.#now = now;
  }

  /** The owner's token, or the secret of an invitation. */
  async byToken(secret: string): Promise<Access | null> {
    if (!isSecret(secret)) return null;
    const hash = hashOf(secret);
    const token = this.#tokenHash();
    if (token !== null && sameHash(hash, token)) return { ...ownerAccess(null, null), tokenHash: token };
    const invitation = this.#valid(await this.#read()).invitations.find((one) => sameHash(one.hash, hash));
    return invitation && invitation.role !== 'owner' ? guestAccess(invitation) : null;
  }

  /** A signed-in browser; `cookies` are all with the right name, because other servers on this host can set some. */
  async byCookie(cookies: readonly string[], key: string): Promise<Access | null> {
    const content = this.#valid(await this.#read());
    const hashes = cookies.filter(isSecret).map(hashOf);
    const found = content.signIns.find(
      ({ cookieHash, keyHash }) =>
        hashes.some((hash) => sameHash(hash, cookieHash)) && sameHash(hashOf(key), keyHash),
    );
    return found ? accessOf(content, found.id) : null;
  }

  /** Whether an access is still valid: neither revoked, expired nor signed out. */
  async isValid({ grant, signIn, tokenHash }: Access): Promise<boolean> {
    if (tokenHash !== null) return tokenHash === this.#tokenHash();
    const content = this.#valid(await this.#read());
    return signIn === null
      ? content.invitations.some(({ id }) => id === grant)
      : content.signIns.some(({ id }) => id === signIn);
  }

  /** Signs a browser in with the token, a one-time code or the secret of an invitation. Null if it is none of them. */
  async signIn(
    secret: string,
    { name: wantedName, browser }: { name: string; browser: string },
  ): Promise<SignedIn | 'needs a name' | null> {
    if (!isSecret(secret)) return null;
    const hash = hashOf(secret);
    const token = this.#tokenHash();
    const isOwner = token !== null && sameHash(hash, token);
    return this.#change((content) => {
      const invitation = content.invitations.find((one) => sameHash(one.hash, hash));
      if (!isOwner && !invitation) return null;
      if (invitation && invitation.role !== 'owner' && invitation.name === null && wantedName.trim() === '')
        return 'needs a name';
      const grant = isOwner || invitation?.role === 'owner' ? 'owner' : (invitation?.id ?? 'owner');
      if (invitation) invitation.lastUsedAt = this.#date();
      // A code for the owner works once.
      content.invitations = content.invitations.filter((one) => one !== invitation || one.role !== 'owner');
      const name =
        grant === 'owner' ? ownerName() : participantName(invitation?.name ?? wantedName, ownerName());
      const ends = Math.min(
        this.#now() + SIGN_IN_MS,
        grant === 'owner' || !invitation ? Number.POSITIVE_INFINITY : Date.parse(invitation.expiresAt),
      );
      const [cookie, key, id] = [newSecret(), newSecret(), newId()];
      const fresh = {
        id,
        grant,
        cookieHash: hashOf(cookie),
        keyHash: hashOf(key),
        name,
        browser,
        createdAt: this.#date(),
        expiresAt: this.#date(ends),
      };
      const others = content.signIns.filter((one) => one.grant !== grant);
      const same = content.signIns.filter((one) => one.grant === grant).slice(-MAX_SIGN_INS_OF_ONE + 1);
      content.signIns = [...others, ...same, fresh].slice(-MAX_SIGN_INS);
      const access = accessOf(content, id);
      return access && { cookie, key, access, maxAgeSeconds: Math.floor((ends - this.#now()) / 1000) };
    });
  }

  async signOut(signIn: string): Promise<void> {
    await this.#change((content) => {
      content.signIns = content.signIns.filter(({ id }) => id !== signIn);
    });
  }

  /** Newest first. */
  async listSignIns(): Promise<SignIn[]> {
    const content = this.#valid(await this.#read());
    return content.signIns.map((one) => shownSignIn(content, one)).reverse();
  }

  /** Null if there is none, or more than one begins like this. */
  async endSignIn(prefix: string): Promise<SignIn | null> {
    return this.#change((content) => {
      const [found, ...others] = content.signIns.filter(({ id }) => id.startsWith(prefix));
      if (!found || others.length > 0 || prefix === '') return null;
      const shown = shownSignIn(content, found);
      content.signIns = content.signIns.filter((one) => one !== found);
      return shown;
    });
  }

  /** The secret of a link that signs the owner in once. */
  async createCode(): Promise<string> {
    return (await this.#invite({ role: 'owner', expiresInMs: CODE_MS })).secret;
  }

  async createInvitation(wanted: NewInvitation): Promise<{ invitation: Invitation; secret: string }> {
    return this.#invite(wanted);
  }

  async listInvitations(): Promise<Invitation[]> {
    return this.#valid(await this.#read())
      .invitations.filter(({ role }) => role !== 'owner')
      .map(withoutHash);
  }

  /** Null if there is none, or more than one begins like this. */
  async revokeInvitation(prefix: string): Promise<Invitation | null> {
    return this.#change((content) => {
      const found = content.invitations.filter(({ id, role }) => role !== 'owner' && id.startsWith(prefix));
      const [invitation] = found;
      if (!invitation || found.length > 1 || prefix === '') return null;
      content.invitations = content.invitations.filter((one) => one !== invitation);
      content.signIns = content.signIns.filter(({ grant }) => grant !== invitation.id);
      return withoutHash(invitation);
    });
  }

  /** Ends every access but that of the token, which the caller replaces. */
  async revokeAll(): Promise<void> {
    await this.#change((content) => {
      content.invitations = [];
      content.signIns = [];
    });
  }

  async saveUrl(url: string): Promise<void> {
    await this.#change((content) => {
      content.url = url;
    });
  }

  async url(): Promise<string | null> {
    return (await this.#read()).url;
  }

  async #invite(wanted: Omit<NewInvitation, 'role'> & { role: Identity['role'] }) {
    const secret = newSecret();
    const invitation: StoredInvitation = {
      id: newId(),
      hash: hashOf(secret),
      role: wanted.role,
      sessions: wanted.sessions ? [...wanted.sessions] : 'all',
      name: wanted.name === undefined ? null : participantName(wanted.name, ownerName()),
      createdAt: this.#date(),
      expiresAt: this.#date(this.#now() + (wanted.expiresInMs ?? DAY_MS)),
      lastUsedAt: null,
    };
    await this.#change((content) => {
      content.invitations = [...content.invitations, invitation].slice(-MAX_INVITATIONS);
    });
    return { secret, invitation: withoutHash(invitation) };
  }

  #date(ms = this.#now()): string {
    return new Date(ms).toISOString();
  }

  #tokenHash(): string | null {
    const version = versionOf(tokenFileIn(this.#folder));
    if (this.#token?.version !== version) {
      const token = readToken(this.#folder);
      this.#token = { version, hash: token === null ? null : hashOf(token) };
    }
    return this.#token.hash;
  }

  async #read(): Promise<Stored> {
    const version = versionOf(this.#file);
    if (this.#cache?.version !== version) this.#cache = { version, content: await this.#parse() };
    return this.#cache.content;
  }

  async #parse(): Promise<Stored> {
    // A damaged file grants nothing; the token still works.
    const { success, data } = stored.safeParse(parseJson((await readTextIfAny(this.#file)) ?? '{}'));
    return success ? data : stored.parse({});
  }

  #valid(content: Stored): Stored {
    const now = this.#date();
    const invitations = content.invitations.filter(({ expiresAt }) => expiresAt > now);
    const grants = new Set(['owner', ...invitations.map(({ id }) => id)]);
    const signIns = content.signIns.filter(({ grant, expiresAt }) => expiresAt > now && grants.has(grant));
    return { ...content, invitations, signIns };
  }

  async #change<T>(change: (content: Stored) => T): Promise<T> {
    return updateFile(this.#file, async (write) => {
      const content = structuredClone(this.#valid(await this.#parse()));
      const result = change(content);
      await write(`${JSON.stringify(content, null, 2)}\n`);
      return result;
    });
  }
}

function accessOf(content: Stored, id: string): Access | null {
  const signIn = content.signIns.find((one) => one.id === id);
  if (!signIn) return null;
  if (signIn.grant === 'owner') return ownerAccess(id, signIn.expiresAt);
  const invitation = content.invitations.find((one) => one.id === signIn.grant);
  return invitation ? guestAccess({ ...invitation, name: signIn.name }, signIn) : null;
}

function ownerAccess(signIn: string | null, expiresAt: string | null): Access {
  const who: Identity = { id: 'owner', name: ownerName(), role: 'owner', sessions: 'all' };
  return { who, grant: 'owner', signIn, tokenHash: null, expiresAt };
}

function guestAccess(
  { id, name, role, sessions, expiresAt }: StoredInvitation,
  signIn?: Pick<Stored['signIns'][number], 'id' | 'expiresAt'>,
): Access {
  const who = { id: signIn ? `${id}-${signIn.id}` : id, name: name ?? 'Guest', role, sessions };
  const ends = signIn && signIn.expiresAt < expiresAt ? signIn.expiresAt : expiresAt;
  return { who, grant: id, signIn: signIn?.id ?? null, tokenHash: null, expiresAt: ends };
}

function shownSignIn(
  { invitations }: Stored,
  { id, grant, name, browser, createdAt, expiresAt }: Stored['signIns'][number],
): SignIn {
  const role = grant === 'owner' ? 'owner' : (invitations.find((one) => one.id === grant)?.role ?? 'viewer');
  return { id, name, role, browser, createdAt, expiresAt };
}

function withoutHash({ hash: _, ...invitation }: StoredInvitation): Invitation {
  return invitation;
}

function newId(): string {
  return randomBytes(5).toString('hex');
}

export function ownerName(): string {
  try {
    return participantName(userInfo().username, '');
  } catch {
    // A container may run under a uid without a name.
    return 'owner';
  }
}

/** Changes whenever the file is replaced. */
function versionOf(file: string): string {
  const { ino, size, mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { ino: 0, size: 0, mtimeMs: 0 };
  return `${ino} ${size} ${mtimeMs}`;
}
