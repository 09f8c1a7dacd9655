import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { announcedMode } from '../../context/prompt/system-prompt.ts';
import type { Message, UserMessage } from '../../contract/message.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import { rewindSession } from '../../contract/session.ts';
import type { Tool } from '../../contract/tool.ts';
import { cacheKeyOf } from '../../providers/models/cache-key.ts';
import { mapValue } from '../../session/bundle/map-texts.ts';
import { rerooting } from '../../session/bundle/reroot.ts';
import { type SessionPlace, sessionPlace } from '../../session/session-place.ts';
import { Objects } from '../../session/undo/objects.ts';
import { changesIn, readUndoRecords, statesAtStart, type UndoRecord } from '../../session/undo/undo-log.ts';
import { type Opened, openAssistant } from '../open-assistant.ts';
import { sessionStore } from '../settings.ts';
import { Answers } from './answers.ts';
import { Checker, ownContent } from './checker.ts';
import { countCost, type OtherModel, openOtherModel } from './other-model.ts';
import { createPlayer, type NextReply } from './player.ts';
import type { ReplayReport } from './report.ts';
import type { Scratch } from './scratch.ts';
import { CUT_OFF, readSubagents, repliesOf, type Script } from './script.ts';
import { openSource, type ReplayPlace, type ReplaySource } from './source.ts';
import { recordedModel, replaySettings, serverTools } from './stand-ins.ts';
import { Timeline } from './timeline.ts';

export type ReplayOptions = {
  /** Commands run even if there is no sandbox here. */
  unsandboxed?: boolean;
  /** Another model is asked for each turn of the conversation, too. */
  model?: string;
  signal?: AbortSignal;
};

/** Runs a session again, in a copy of its folder and without its model, and compares what happens. */
export async function replaySession(
  wanted: string,
  options: ReplayOptions,
  place: ReplayPlace,
): Promise<ReplayReport> {
  const source = await openSource(wanted, place);
  const other = options.model === undefined ? null : await openOtherModel(options.model, place);
  try {
    const scratch = await source.createScratch();
    try {
      return await new Replay(source, scratch, { ...options, other }).play(place);
    } finally {
      await scratch.remove();
    }
  } finally {
    await other?.close();
  }
}

type Playing = ReplayOptions & { other: OtherModel | null };

class Replay {
  readonly #script: Script;
  readonly #source: ReplaySource;
  readonly #scratch: Scratch;
  readonly #options: Playing;
  /** Its spending is that of a session of its own. */
  readonly #id: string;
  readonly #timeline: Timeline;
  /** Tools of MCP servers. */
  readonly #standIns: readonly Tool[];
  readonly #checker: Checker;
  readonly #there: (text: string) => string;
  readonly #answers: Answers;
  #assistant: Opened | undefined;
  #cursor = 0;
  #runs = 0;
  /** Whether the next prompt comes from the journal, and not from a hook or a check. */
  #isGiven = false;
  /** How often each subagent id was started. */
  readonly #started = new Map<string, number>();

  constructor(source: ReplaySource, scratch: Scratch, options: Playing) {
    this.#source = source;
    this.#script = source.script;
    this.#scratch = scratch;
    this.#options = options;
    this.#id = options.other ? randomUUID() : source.id;
    this.#timeline = new Timeline(source.records);
    this.#standIns = serverTools(source.script);
    const outputs = { from: source.place.outputs, to: path.join(scratch.root, 'outputs', this.#id) };
    const moves = [...scratch.moves, outputs];
    this.#checker = new Checker(moves);
    this.#there = rerooting(moves);
    this.#answers = new Answers({
      script: source.script,
      scratch,
      timeline: this.#timeline,
      checker: this.#checker,
      standIns: this.#standIns,
      there: this.#there,
      isUnsandboxed: options.unsandboxed === true,
      records: () => this.#ownRecords(),
      assistant: () => this.#assistant,
    });
  }

  async play({ settings, host }: ReplayPlace): Promise<ReplayReport> {
    const { script } = this.#source;
    const { other } = this.#options;
    const { folder, root } = this.#scratch;
    const place = { folder, root, host, user: settings, spends: other !== null };
    const own = replaySettings(script.session, place);
    const choice = other?.choice ?? recordedModel(script.session, own);
    const opened = sessionStore(own).create(folder, script.session.settings, this.#id);
    opened.session.messages.push(...mapValue(script.inherited, { text: this.#there }));
    const assistant = await openAssistant(choice, {
      settings: own,
      options: { offline: true },
      host: { ...host, cwd: folder },
      session: opened,
      provider: createPlayer({
        name: choice.preset.name,
        next: this.#next,
        interrupt: () => this.#assistant?.controller.interrupt(),
        ...(other && { before: this.#askOther(other) }),
      }),
      additions: { tools: this.#standIns },
      approver: this.#answers.approve,
      instead: this.#answers,
    });
    this.#assistant = assistant;
    assistant.controller.listen((event) => {
      if (event.type === 'message') this.#take(event.message);
      if (other) countCost(event, other.comparison);
    });
    assistant.controller.steerWith(this.#steer);
    const stop = () => assistant.controller.interrupt();
    this.#options.signal?.addEventListener('abort', stop);
    try {
      while (this.#cursor < script.items.length && !this.#isStopped) await this.#step(assistant);
      this.#checker.run = null;
    } finally {
      await assistant.close();
    }
    // What is left of a run that was stopped would be missing.
    if (!this.#isStopped) {
      this.#checker.subagents(script.subagents, readSubagents(this.#ownPlace()));
      this.#findOtherChanges();
    }
    return this.#report();
  }

  async #step({ controller, opened }: Opened): Promise<void> {
    const item = this.#script.items[this.#cursor];
    if (item?.type !== 'message') {
      if (item?.type === 'rewind') rewindSession(opened.session, item.keep);
      this.#cursor += 1;
      return;
    }
    const { message } = item;
    if (message.role === 'tool') {
      this.#cursor += 1;
      return;
    }
    const before = this.#cursor;
    this.#runs += 1;
    this.#checker.run = this.#runs;
    if (message.role === 'user') {
      await this.#prepare(message);
      this.#isGiven = true;
      await controller.submit(mapValue(ownContent(message), { text: this.#there }));
    } else await controller.retry();
    if (this.#isStopped) return;
    if (this.#cursor === before) {
      this.#checker.missing(message);
      this.#cursor += 1;
    }
    this.#skipRest();
    await this.#endRun();
  }

  get #isStopped(): boolean {
    const { signal, other } = this.#options;
    return signal?.aborted === true || (other?.comparison.stopped ?? null) !== null;
  }

  #askOther({ ask }: OtherModel): NonNullable<Parameters<typeof createPlayer>[0]['before']> {
    return async (request, reply, signal) =>
      this.#isOfConversation(request) ? ask(request, reply, { signal, original: this.#checker.back }) : [];
  }

  /** As opposed to a subagent, or work in the background. */
  #isOfConversation({ cacheKey }: CompletionRequest): boolean {
    const session = this.#assistant?.opened.session;
    return session !== undefined && (cacheKey === cacheKeyOf(session) || cacheKey === session.id);
  }

  /** Brings files into the state that they had when the prompt was sent. */
  async #prepare(message: UserMessage): Promise<void> {
    const later = this.#script.items
      .slice(this.#cursor + 1)
      .find((item) => item.type === 'message' && item.message.role === 'user');
    const next = later?.type === 'message' ? later.message.timestamp : null;
    const position = this.#assistant?.opened.session.messages.length ?? 0;
    await this.#scratch.set(this.#timeline.before({ at: message.timestamp, next, message: position }));
    const gitBecause = await this.#scratch.setGit(this.#timeline.git);
    const mode = announcedMode(message);
    if (mode !== undefined) this.#assistant?.mode.set(mode as Parameters<Opened['mode']['set']>[0]);
    this.#answers.beginRun(gitBecause);
  }

  async #endRun(): Promise<void> {
    const changed = this.#timeline.runEnded();
    if (this.#answers.isAgentMissing) await this.#scratch.set(changed);
    this.#checker.tree(this.#timeline.known, this.#scratch, this.#source.objects);
  }

  /** What was left of the original run after the replayed one ended. */
  #skipRest(): void {
    const { items } = this.#script;
    const previous = items[this.#cursor - 1];
    const wasDone =
      previous?.type === 'message' &&
      previous.message.role === 'assistant' &&
      previous.message.stopReason === 'end';
    for (let item = items[this.#cursor]; item?.type === 'message'; item = items[this.#cursor]) {
      if (item.message.role === 'user' && !wasDone) return;
      this.#checker.missing(item.message);
      this.#cursor += 1;
    }
  }

  #take(actual: Message): void {
    const item = this.#script.items[this.#cursor];
    const expected = item?.type === 'message' ? item.message : null;
    const isExpected =
      expected?.role === actual.role &&
      (expected.role !== 'tool' || actual.role !== 'tool' || expected.callId === actual.callId);
    if (!expected || !isExpected) {
      this.#checker.unexpected(actual);
      return;
    }
    this.#checker.message(expected, actual, { isGiven: this.#isGiven && actual.role === 'user' });
    if (actual.role === 'user') this.#isGiven = false;
    this.#cursor += 1;
  }

  /** Whether the program ended during the call before: what follows was sent to another process. */
  get #wasCutOff(): boolean {
    const item = this.#script.items[this.#cursor - 1];
    if (item?.type !== 'message' || item.message.role !== 'tool') return false;
    const known = this.#script.calls.get(item.message.callId) ?? [];
    return known.some(({ unrepeatable }) => unrepeatable === CUT_OFF);
  }

  readonly #steer = async () => {
    const item = this.#script.items[this.#cursor];
    if (item?.type !== 'message' || item.message.role !== 'user' || this.#wasCutOff) return null;
    await this.#endRun();
    await this.#prepare(item.message);
    this.#isGiven = true;
    return { content: mapValue(ownContent(item.message), { text: this.#there }), claim: () => true };
  };

  readonly #next: NextReply = async (request) => {
    if (this.#isOfConversation(request)) {
      const item = this.#script.items[this.#cursor];
      if (item?.type !== 'message' || item.message.role !== 'assistant') return 'end';
      return mapValue(item.message, { text: this.#there });
    }
    const reply = await this.#subagentReply(request);
    return reply && reply !== 'end' ? mapValue(reply, { text: this.#there }) : reply;
  };

  async #subagentReply({ messages, cacheKey = '' }: CompletionRequest) {
    const said = messages.filter(({ role }) => role === 'assistant').length;
    const open = await this.#assistant?.opened.subagents.all();
    const id = open?.find((one) => one.id === cacheKey || cacheKeyOf(one) === cacheKey)?.id ?? cacheKey;
    const known = this.#script.subagents.get(id);
    if (!known) return null;
    if (said === 0) this.#started.set(id, (this.#started.get(id) ?? 0) + 1);
    const conversation = known[(this.#started.get(id) ?? 1) - 1] ?? known.at(-1);
    return (conversation && repliesOf(conversation)[said]) ?? ('end' as const);
  }

  #ownRecords(): UndoRecord[] {
    const { undoLog } = this.#ownPlace();
    return undoLog === null ? [] : readUndoRecords(undoLog);
  }

  #ownPlace(): SessionPlace {
    const { root, folder } = this.#scratch;
    const sessions = path.join(root, 'sessions');
    return sessionPlace({ dataRoot: root, sessions, id: this.#id, cwd: folder });
  }

  /** Files that the original did not change. */
  #findOtherChanges(): void {
    const [{ from, to } = { from: '', to: '' }] = this.#scratch.moves;
    const before = statesAtStart(this.#ownRecords());
    const others = [...before].flatMap(([file, state]) => {
      const original = path.join(from, path.relative(to, file));
      return this.#timeline.known.has(original) ? [] : [[original, state] as const];
    });
    const saved = new Objects(path.join(this.#ownPlace().undoFolder, 'objects'));
    this.#checker.tree(new Map(others), this.#scratch, saved);
  }

  #report(): ReplayReport {
    const { differences, ignored, fromJournal, files, calls } = this.#checker;
    const { compactions, notes } = this.#script;
    const { other } = this.#options;
    const doubtful = this.#source.records.flatMap(changesIn).filter(({ doubt }) => doubt !== undefined);
    return {
      session: this.#source.id,
      same: differences.length === 0,
      complete: fromJournal.size === 0,
      runs: this.#runs,
      calls,
      fromJournal: [...fromJournal.values()],
      ignored,
      files: files.size,
      differences,
      notes: [
        ...notes,
        ...new Set([...this.#scratch.notes, ...this.#checker.notes]),
        ...(compactions > 0 ? ['Compactions are not compared: they change only what a model sees.'] : []),
        ...(doubtful.length > 0
          ? [
              `Possibly changed by another program: ${[...new Set(doubtful.map((one) => one.path))].join(', ')}.`,
            ]
          : []),
      ],
      ...(other && { comparison: other.comparison }),
    };
  }
}
