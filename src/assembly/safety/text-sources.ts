import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import type { ReadCall } from '../../agent/router-deps.ts';
import type { SessionWriter } from '../../agent/session-writer.ts';
import { projectRoot, trustedFolders } from '../../config/trust.ts';
import { textOf, toolCallsOf, typedText, type UserMessage } from '../../contract/message.ts';
import type { JudgedCall } from '../../contract/permission.ts';
import type { TextSource } from '../../contract/provenance.ts';
import type { SandboxState } from '../../contract/sandbox.ts';
import { ownMessages } from '../../contract/session.ts';
import { peek } from '../../lib/files/peek.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { isMcpTool } from '../../permissions/pattern/tool-names.ts';
import { addressesIn } from '../../permissions/provenance/addresses.ts';
import type { Provenance } from '../../permissions/provenance/guard.ts';
import { type SourcePlace, untrusted } from '../../permissions/provenance/paths.ts';
import { shorten, sourcesOf } from '../../permissions/provenance/sources.ts';
import { loadGrammar } from '../../permissions/shell/grammar.ts';
import { realPath } from '../../sandbox/files/real-path.ts';
import type { Guard } from '../../sandbox/guard.ts';
import { hasHooks } from '../../sandbox/repository.ts';
import type { Parts } from '../parts.ts';
import { remotesOf } from './git-remotes.ts';
import type { SessionFolders } from './session-guard.ts';

export type TextSourcesDeps = {
  guard: Pick<Guard, 'isInside' | 'realOf'>;
  folders: SessionFolders;
  writer: Pick<SessionWriter, 'session' | 'noteSource'>;
  /** Whether a text contains a secret. */
  hasSecret(text: string): boolean;
};

/** Of each kind; with more, the guard is on anyway. */
const MAX_SOURCES = 200;
const MAX_LINKS = 5_000;
const MAX_NAME = 120;
/** Tools whose results are untrusted text and nothing else. What a command prints, the model may have composed. */
const READS_WEB = new Set(['WebFetch', 'WebSearch']);

/**
 * Where everything comes from that the model of a session and its subagents have read. Kept in the journal: it
 * outlives compaction, the run and the process.
 */
export class TextSources {
  readonly #parts: Parts;
  readonly #deps: TextSourcesDeps;
  readonly #place: SourcePlace;
  readonly #links = new Set<string>();
  #followed = new Set<string>();
  #initial: readonly TextSource[] | undefined;
  #hasOldLinks = false;

  constructor(parts: Parts, deps: TextSourcesDeps) {
    this.#parts = parts;
    this.#deps = deps;
    this.#place = sourcePlace(parts, deps);
  }

  /** For the judge of calls. */
  current(): Provenance {
    const { env } = this.#parts;
    return {
      sources: this.#all(),
      isTyped: (url) => this.#isTyped(url),
      isRead: (url) => this.#isRead(url),
      followed: this.#followed,
      remotesOf: (folder) => remotesOf(folder, env),
      hasHooks: (folder) => hasHooks(folder, env),
      textOf: (file) => (peek.file(file) === null ? null : peek.text(file)),
      hasOtherName: (file) => (peek.file(file)?.names ?? 1) > 1,
      folders: this.#place,
    };
  }

  /** Whether untrusted text was read: more than that of the folder itself, or with other private data held. */
  hasReadForeign(): boolean {
    const sources = this.#all();
    const foreign = sources.filter(({ kind }) => kind === 'foreign');
    if (foreign.some(({ own }) => !own)) return true;
    return foreign.length > 0 && sources.some(({ kind }) => kind === 'user' || kind === 'secret');
  }

  beginRun(): void {
    this.#followed = new Set();
  }

  /** Records where the answer of a call comes from. */
  async note({ tool, accesses, output }: ReadCall, sandbox: () => Promise<SandboxState>): Promise<void> {
    const runs = !isMcpTool(tool) && accesses.some(({ kind }) => kind === 'execute');
    if (runs) await loadGrammar();
    const confined = runs ? (await sandbox()).network : 'none';
    const hasNetwork = confined !== 'none' || accesses.some(({ unconfined }) => unconfined);
    await this.#note({ tool, accesses, output }, hasNetwork);
  }

  /** Records where the texts come from that programs put into a prompt. */
  async noteOrigins(content: UserMessage['content']): Promise<void> {
    for (const part of content) {
      if (part.type !== 'text' || part.origin === undefined) continue;
      const { kind, name } = part.origin;
      if (kind === 'others') {
        await this.add({ kind: 'foreign', name: shorten(name, MAX_NAME) });
        if (this.#deps.hasSecret(part.text)) await this.add({ kind: 'secret', name: 'secrets' });
        this.#learnLinks(part.text, '');
        continue;
      }
      if (kind === 'command') await loadGrammar();
      if (kind === 'resource' && !path.isAbsolute(name)) await this.add({ kind: 'foreign', name });
      const accesses = [
        { kind: kind === 'command' ? ('execute' as const) : ('read' as const), target: name },
      ];
      const tool = kind === 'command' ? 'Bash' : 'Read';
      await this.#note({ tool, accesses, output: part.text }, true);
    }
  }

  async #note({ tool, accesses, output }: ReadCall, hasNetwork: boolean): Promise<void> {
    const found = sourcesOf({ tool, accesses, hasNetwork, output }, this.#place);
    if (this.#deps.hasSecret(output)) found.push({ kind: 'secret', name: 'secrets' });
    await this.add(...found);
    if (READS_WEB.has(tool)) this.#learnLinks(output, accesses.map(({ target }) => target).join(' '));
  }

  async add(...found: TextSource[]): Promise<void> {
    if (found.length === 0) return;
    for (const source of [...this.#atStart(), ...found]) {
      const { sources = [] } = this.#deps.writer.session;
      const same = sources.filter(({ kind }) => kind === source.kind);
      // What was read again is the latest again.
      const recent = source.kind === 'foreign' ? same.slice(-1) : same;
      if (same.length >= MAX_SOURCES || recent.some(({ name }) => name === source.name)) continue;
      const remotes =
        source.kind === 'foreign' && !same.some((one) => one.remotes) ? { remotes: this.#remotes() } : {};
      await this.#deps.writer.noteSource({ ...source, ...remotes });
    }
  }

  /** A call was allowed: the pages that it fetches count. */
  allowed({ accesses }: Pick<JudgedCall, 'accesses'>): void {
    for (const { kind, target } of accesses) if (kind === 'fetch') this.#followed.add(target);
  }

  #all(): readonly TextSource[] {
    const { sources = [] } = this.#deps.writer.session;
    const known = new Set(sources.map(({ kind, name }) => `${kind} ${name}`));
    return [...this.#atStart().filter(({ kind, name }) => !known.has(`${kind} ${name}`)), ...sources];
  }

  /** What the folder itself means: private unless the user has published it; untrusted text if it is not trusted. */
  #atStart(): readonly TextSource[] {
    const { trusted, cwd, config } = this.#parts;
    const name = 'files of this folder, which you have not trusted';
    this.#initial ??= [
      ...(trusted ? [] : [{ kind: 'foreign' as const, name, own: true as const, remotes: this.#remotes() }]),
      ...(config.publicProject ? [] : [{ kind: 'project' as const, name: cwd }]),
    ];
    return this.#initial;
  }

  #remotes(): readonly string[] {
    return remotesOf(this.#parts.cwd, this.#parts.env)?.all ?? [];
  }

  #isTyped(url: string): boolean {
    return ownMessages(this.#deps.writer.session).some(
      (message) => message.role === 'user' && addressesIn(typedText(message)).includes(url),
    );
  }

  #isRead(url: string): boolean {
    if (!this.#hasOldLinks) {
      this.#hasOldLinks = true;
      const inputs = new Map<string, string>();
      for (const message of this.#deps.writer.session.messages) {
        if (message.role === 'user')
          for (const part of message.content)
            if (part.type === 'text' && part.origin?.kind === 'others') this.#learnLinks(part.text, '');
        if (message.role === 'assistant')
          for (const { id, input } of toolCallsOf(message)) inputs.set(id, JSON.stringify(input));
        if (message.role === 'tool' && READS_WEB.has(message.name))
          this.#learnLinks(textOf(message), inputs.get(message.callId) ?? '');
      }
    }
    return this.#links.has(url);
  }

  /** Without those in `said`: the model could have search results repeat an address that it put together. */
  #learnLinks(text: string, said: string): void {
    for (const url of addressesIn(text)) {
      const isRepeated = said.includes(url.replace(/^https?:\/\//i, ''));
      if (!isRepeated && this.#links.size < MAX_LINKS) this.#links.add(url);
    }
  }
}

function sourcePlace({ cwd, dataRoot }: Parts, { guard, folders }: TextSourcesDeps): SourcePlace {
  const home = homedir();
  const own = [folders.output, ...folders.skills, dataRoot];
  const main = projectRoot(realPath(cwd));
  const isRepository = (folder: string) => peek.folder(path.join(folder, '.git')) !== null;
  const isTrusted = (root: string) => trustedFolders(dataRoot).some(({ folder }) => folder === root);
  const rootOf = (file: string) => projectRoot(path.dirname(realPath(file)));
  return {
    cwd,
    home,
    temporary: [...new Set([tmpdir(), realPath(tmpdir()), '/tmp', '/var/tmp'])],
    opened(file) {
      if (!guard.isInside(file)) return null;
      const root = rootOf(file);
      const isForeign = root !== main && isRepository(root) && !isTrusted(root);
      // A folder of repositories was opened as a whole.
      if (isInside(cwd, file)) return isForeign && isRepository(main) ? [untrusted(root, { cwd, home })] : [];
      const shared: TextSource[] = root === main ? [] : [{ kind: 'project', name: root }];
      return isForeign ? [untrusted(root, { cwd, home }), ...shared] : shared;
    },
    realOf: (file) =>
      path.basename(file) === '*' ? path.join(realPath(path.dirname(file)), '*') : realPath(file),
    isOwn: (file) => own.some((folder) => isInside(folder, file)),
    exists: (file) => peek.file(file) !== null || peek.folder(file) !== null,
    untrustedAround(file) {
      const root = rootOf(file);
      return !isRepository(root) || isInside(root, home) || isTrusted(root) ? null : root;
    },
  };
}
