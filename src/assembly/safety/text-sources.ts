import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import type { SessionWriter } from '../../agent/session-writer.ts';
import type { ReadCall } from '../../agent/tool-router.ts';
import { projectRoot, trustedFolders } from '../../config/trust.ts';
import { promptText, textOf } from '../../contract/message.ts';
import type { JudgedCall } from '../../contract/permission.ts';
import type { TextSource } from '../../contract/provenance.ts';
import type { SandboxState } from '../../contract/sandbox.ts';
import { peek } from '../../lib/files/peek.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { isMcpTool } from '../../permissions/pattern/tool-names.ts';
import { addressesIn } from '../../permissions/provenance/addresses.ts';
import type { Provenance } from '../../permissions/provenance/guard.ts';
import { isPublished } from '../../permissions/provenance/own-remote.ts';
import type { SourcePlace } from '../../permissions/provenance/paths.ts';
import { sourcesOf } from '../../permissions/provenance/sources.ts';
import { loadGrammar } from '../../permissions/shell/grammar.ts';
import { realPath } from '../../sandbox/files/real-path.ts';
import type { Guard } from '../../sandbox/guard.ts';
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
const MAX_SOURCES = 40;
const MAX_LINKS = 5_000;

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
    return {
      sources: this.#all(),
      isTyped: (url) => this.#isTyped(url),
      isRead: (url) => this.#isRead(url),
      followed: this.#followed,
      remotesOf,
      textOf: (file) => (peek.file(file) === null ? null : peek.text(file)),
    };
  }

  /** Whether foreign text was read while private data is held. */
  isGuarded(): boolean {
    const sources = this.#all();
    return sources.some(({ kind }) => kind === 'foreign') && sources.some(({ kind }) => kind !== 'foreign');
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
    const found = sourcesOf({ tool, accesses, hasNetwork }, this.#place);
    if (this.#deps.hasSecret(output)) found.push({ kind: 'secret', name: 'secrets' });
    await this.add(...found);
    if (found.some(({ kind }) => kind === 'foreign')) this.#learnLinks(output);
  }

  async add(...found: TextSource[]): Promise<void> {
    if (found.length === 0) return;
    for (const source of [...this.#atStart(), ...found]) {
      const { sources = [] } = this.#deps.writer.session;
      const same = sources.filter(({ kind }) => kind === source.kind);
      if (same.length >= MAX_SOURCES || same.some(({ name }) => name === source.name)) continue;
      const remotes = source.kind === 'foreign' && same.length === 0 ? { remotes: this.#remotes() } : {};
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

  /** What the folder itself means: text of others if it is not trusted, otherwise private unless published. */
  #atStart(): readonly TextSource[] {
    this.#initial ??= this.#parts.trusted
      ? isPublic(this.#parts.cwd)
        ? []
        : [{ kind: 'project', name: this.#parts.cwd }]
      : [
          {
            kind: 'foreign',
            name: 'files of this folder, which you have not trusted',
            remotes: this.#remotes(),
          },
        ];
    return this.#initial;
  }

  #remotes(): readonly string[] {
    return remotesOf(this.#parts.cwd)?.all ?? [];
  }

  #isTyped(url: string): boolean {
    const { messages } = this.#deps.writer.session;
    return messages.some(
      (message) => message.role === 'user' && addressesIn(promptText(message)).includes(url),
    );
  }

  #isRead(url: string): boolean {
    if (!this.#hasOldLinks) {
      this.#hasOldLinks = true;
      for (const message of this.#deps.writer.session.messages)
        if (message.role === 'tool') this.#learnLinks(textOf(message));
    }
    return this.#links.has(url);
  }

  #learnLinks(text: string): void {
    for (const url of addressesIn(text)) if (this.#links.size < MAX_LINKS) this.#links.add(url);
  }
}

function sourcePlace({ cwd, dataRoot }: Parts, { guard, folders }: TextSourcesDeps): SourcePlace {
  const home = homedir();
  const own = [folders.output, ...folders.skills, dataRoot];
  return {
    cwd,
    home,
    temporary: [...new Set([tmpdir(), realPath(tmpdir()), '/tmp', '/var/tmp'])],
    isOpened: (file) => guard.isInside(file),
    isOwn: (file) => own.some((folder) => isInside(folder, file)),
    exists: (file) => peek.file(file) !== null || peek.folder(file) !== null,
    untrustedAround(file) {
      const root = projectRoot(path.dirname(realPath(file)));
      if (peek.folder(path.join(root, '.git')) === null || isInside(root, home)) return null;
      return trustedFolders(dataRoot).some(({ folder }) => folder === root) ? null : root;
    },
  };
}

/** Judged once, before the model could change anything. */
function isPublic(cwd: string): boolean {
  const root = projectRoot(cwd);
  const names = peek.folder(root)?.files.filter((name) => /^(licen[cs]e|copying)/i.test(name)) ?? [];
  const licence = names.map((name) => peek.text(path.join(root, name))).join('\n');
  return isPublished(licence, remotesOf(root));
}
