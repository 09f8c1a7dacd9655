import { existsSync } from 'node:fs';
import path from 'node:path';
import type { InsteadOfTool } from '../../assembly/parts.ts';
import { textOf } from '../../contract/message.ts';
import { type Access, type Approver, userDenied } from '../../contract/permission.ts';
import type { Tool, ToolResult } from '../../contract/tool.ts';
import { PLACEHOLDER } from '../../firewall/placeholders.ts';
import { mapValue } from '../../session/bundle/map-texts.ts';
import type { Change } from '../../session/undo/file-state.ts';
import type { UndoRecord } from '../../session/undo/undo-log.ts';
import type { Opened } from '../open-assistant.ts';
import type { Checker } from './checker.ts';
import { outwardBecause } from './outward.ts';
import type { Scratch } from './scratch.ts';
import { type KnownCall, NOT_RUN, type Script } from './script.ts';
import type { Timeline } from './timeline.ts';

type AnswersDeps = {
  script: Script;
  scratch: Scratch;
  timeline: Timeline;
  checker: Checker;
  /** Tools of MCP servers. */
  standIns: readonly Tool[];
  /** From the original places to those of the replay. */
  there(text: string): string;
  isUnsandboxed: boolean;
  /** The undo log of the copy. */
  records(): UndoRecord[];
  assistant(): Opened | undefined;
};

/** What the model reads, and read, when nobody was there to answer. */
const UNATTENDED = /nobody can approve it in this run|and this session is not interactive; /;
/** What it reads when a hook refused a call. */
const BY_HOOK = 'It did not run: ';

/** Which calls of a session do not run again, and what is answered instead: what the journal has. */
export class Answers implements InsteadOfTool {
  readonly #deps: AnswersDeps;
  /** Commands of the current run so far: those in the undo log of the copy, and those answered from the journal. */
  #commandsBefore = 0;
  #commandsAnswered = 0;
  /** Whether a subagent of the current run did not work again: its changes are part of those of the run. */
  isAgentMissing = false;
  /** Why git commands of the current run are not run again; null if they are. */
  #gitBecause: string | null = null;

  constructor(deps: AnswersDeps) {
    this.#deps = deps;
  }

  beginRun(gitBecause: string | null): void {
    this.#gitBecause = gitBecause;
    this.#commandsBefore = this.#commandsRun();
    this.#commandsAnswered = 0;
    this.isAgentMissing = false;
  }

  /** The user's answers follow from the results. */
  readonly approve: Approver = async ({ callId }) => {
    const text = this.#refusedAs(callId) ?? '';
    if (!text.startsWith(userDenied)) return { choice: 'once' };
    const reason = text.slice(userDenied.length).replace(/^[:.]?\s*/, '');
    return { choice: 'no', ...(reason !== '' && { reason }) };
  };

  isUnattended(callId: string): boolean {
    return UNATTENDED.test(this.#refusedAs(callId) ?? '');
  }

  refusal(callId: string): string | null {
    const text = this.#refusedAs(callId);
    if (text === null) return null;
    // Hooks run again: that none of them refuses it now is a difference. Flags and modes are not known.
    if (text.startsWith(BY_HOOK))
      return 'It did not run in the session: a hook refused it, and none does now.';
    this.#note(callId, NOT_RUN);
    return text;
  }

  async result({
    id,
    tool,
    input,
    changes,
  }: Parameters<InsteadOfTool['result']>[0]): Promise<ToolResult | null> {
    const { script, scratch, standIns, there } = this.#deps;
    const isStandIn = standIns.includes(tool);
    const known = script.calls.get(id)?.find(({ result }) => isStandIn || result.name === tool.name);
    if (!known) return null;
    const accesses = tool.access(input);
    const isCommand = accesses.some(({ kind }) => kind === 'execute') && changes.length > 0;
    const changed = isCommand ? this.#changesOfCommand() : [];
    const leaves =
      accesses.some(({ kind, target }) => kind === 'write' && scratch.isOutside(target)) ||
      changed.some((change) => scratch.at(change.path) === null);
    const because =
      known.unrepeatable ??
      (isStandIn ? 'it called an MCP server' : null) ??
      (leaves ? 'it changed files outside the folder' : null) ??
      outwardBecause(tool, accesses) ??
      this.#withoutSecrets(input, known) ??
      this.#withoutGit(accesses) ??
      (await this.#withoutSandbox(accesses[0]?.kind));
    if (because === null) return null;
    this.#note(id, because);
    if (isParent(script, id)) this.isAgentMissing = true;
    if (isCommand) {
      this.#commandsAnswered += 1;
      await this.#repeat(changed);
    }
    const { content, success } = mapValue(known.result, { text: there });
    const [first] = content;
    const text = first?.type === 'text' ? first.text : '';
    this.#followMode(text);
    const images = content.filter((part) => part.type === 'image');
    return (success ? { success, output: text, images } : { success, error: text }) satisfies ToolResult;
  }

  #note(callId: string, because: string): void {
    const { checker } = this.#deps;
    checker.fromJournal.set(callId, { call: checker.titleOf(callId), because });
  }

  /** What the model read instead of a result, if the call never ran. */
  #refusedAs(callId: string): string | null {
    const known = this.#deps.script.calls.get(callId);
    const refused = known?.find((call: KnownCall) => call.isRefused);
    return refused ? textOf(refused.result) : null;
  }

  /** Approving a plan also sets the mode. */
  #followMode(text: string): void {
    const mode = /plan mode is off: (edits are accepted|each change)/.exec(text)?.[1];
    if (mode !== undefined)
      this.#deps.assistant()?.mode.set(mode === 'edits are accepted' ? 'accept-edits' : 'default');
  }

  /** Another machine has neither the secrets behind placeholders nor the contents that a bundle left out for them. */
  #withoutSecrets(input: unknown, { result }: KnownCall): string | null {
    const { sources = [] } = this.#deps.script.session;
    if (!sources.some(({ imported }) => imported !== undefined)) return null;
    const isAboutSecrets = JSON.stringify([input, result.content]).search(PLACEHOLDER) !== -1;
    return isAboutSecrets ? 'it involves secrets that are not known here' : null;
  }

  #withoutGit(accesses: readonly Access[]): string | null {
    const { timeline, scratch } = this.#deps;
    if (!accesses.some(({ kind, target }) => kind === 'execute' && /\bgit\b/.test(target))) return null;
    if (timeline.git === undefined && existsSync(path.join(scratch.folder, '.git')))
      scratch.notes.push(
        'How git was before a run is not known: its commands ran on the repository as it is now.',
      );
    return this.#gitBecause;
  }

  async #withoutSandbox(kind: string | undefined): Promise<string | null> {
    const { isUnsandboxed, scratch, assistant } = this.#deps;
    if (kind !== 'execute') return null;
    if ((await assistant()?.sandbox())?.kind !== 'host') return null;
    if (scratch.linked.length > 0) return 'there is no sandbox here, and a folder is too large to copy';
    return isUnsandboxed ? null : 'there is no sandbox here (--unsandboxed runs it anyway)';
  }

  /** What the next command of the run changed. */
  #changesOfCommand(): Change[] {
    const index = this.#commandsRun() - this.#commandsBefore + this.#commandsAnswered;
    return this.#deps.timeline.changesByCommand(index);
  }

  /** A command that is not run again still changed files. */
  async #repeat(changes: readonly Change[]): Promise<void> {
    const inside = changes.filter((change) => this.#deps.scratch.at(change.path) !== null);
    await this.#deps.scratch.set(new Map(inside.map(({ path: file, after }) => [file, after])));
  }

  #commandsRun(): number {
    return this.#deps.records().filter(({ type }) => type === 'command_end').length;
  }
}

function isParent({ subagents }: Script, callId: string): boolean {
  return [...subagents.values()].flat().some(({ subagent }) => subagent?.callId === callId);
}
