import path from 'node:path';
import { notedMode } from '../../context/system-prompt.ts';
import { UserError } from '../../contract/errors.ts';
import { type Message, textOf, type UserMessage } from '../../contract/message.ts';
import { type Approver, userDenied } from '../../contract/permission.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import type { ToolResult } from '../../contract/tool.ts';
import { cacheKeyOf } from '../../providers/models/cache-key.ts';
import { mapValue } from '../../session/bundle/map-texts.ts';
import { rerooting } from '../../session/bundle/reroot.ts';
import { type SessionPlace, sessionPlace } from '../../session/session-place.ts';
import { Objects } from '../../session/undo/objects.ts';
import { foldHistory, readUndoRecords, type UndoRecord } from '../../session/undo/undo-log.ts';
import type { Host } from '../host.ts';
import { type Opened, openAssistant } from '../open-assistant.ts';
import { type Settings, sessionFolder, sessionStore } from '../settings.ts';
import { Checker, ownContent } from './checker.ts';
import { outwardBecause } from './outward.ts';
import { createPlayer, type NextReply } from './player.ts';
import type { ReplayReport } from './report.ts';
import { createScratch, type Scratch } from './scratch.ts';
import { readScript, repliesOf, type Script } from './script.ts';
import { recordedModel, replaySettings, serverTools } from './stand-ins.ts';
import { changesIn, Timeline } from './timeline.ts';

export type ReplayPlace = { settings: Settings; host: Host };

export type ReplayOptions = {
  /** Commands run even if there is no sandbox here. */
  unsandboxed?: boolean;
  signal?: AbortSignal;
};

/** Runs a session again, in a copy of its folder and without its model, and compares what happens. */
export async function replaySession(
  wanted: string,
  options: ReplayOptions,
  place: ReplayPlace,
): Promise<ReplayReport> {
  const source = await openSource(wanted, place);
  const scratch = await source.createScratch();
  try {
    const replay = new Replay(source, scratch, options);
    return await replay.play(place);
  } finally {
    await scratch.remove();
  }
}

export type ReplaySource = Awaited<ReturnType<typeof openSource>>;

/** Everything that is known about a session, and the copy of its folder as it was. */
export async function openSource(wanted: string, { settings, host }: ReplayPlace) {
  const store = sessionStore(settings);
  const id = await store.find(wanted);
  if (id === null)
    throw new UserError(`There is no session "${wanted}".`, 'Run `aca sessions` to list all sessions.');
  const sessions = sessionFolder(settings);
  const cwd = store.folderOf(id) ?? host.cwd;
  const place = sessionPlace({ dataRoot: settings.root, sessions, id, cwd });
  const script = readScript(place);
  const records = place.undoLog === null ? [] : readUndoRecords(place.undoLog);
  const history = foldHistory(records);
  const objects = new Objects(path.join(place.undoFolder, 'objects'), { withheld: () => history.withheld });
  const { workingDirectory, messages } = script.session;
  const start = Timeline.start(records);
  return {
    id,
    place,
    script,
    records,
    objects,
    async createScratch(at?: string): Promise<Scratch> {
      const scratch = await createScratch({
        workingDirectory,
        dataRoot: settings.root,
        objects,
        start: history.start,
        ended: messages.at(-1)?.timestamp ?? '',
        known: new Set(start.keys()),
        ...(at !== undefined && { at }),
      });
      await scratch.set(start);
      return scratch;
    },
  };
}

class Replay {
  readonly #script: Script;
  readonly #source: ReplaySource;
  readonly #scratch: Scratch;
  readonly #options: ReplayOptions;
  readonly #timeline: Timeline;
  readonly #checker: Checker;
  readonly #there: (text: string) => string;
  #assistant: Opened | undefined;
  #cursor = 0;
  #runs = 0;
  /** Commands of the current run so far: those in the undo log of the copy, and those answered from the journal. */
  #commandsBefore = 0;
  #commandsAnswered = 0;
  /** How often each subagent id was started. */
  readonly #started = new Map<string, number>();

  constructor(source: ReplaySource, scratch: Scratch, options: ReplayOptions) {
    this.#source = source;
    this.#script = source.script;
    this.#scratch = scratch;
    this.#options = options;
    this.#timeline = new Timeline(source.records);
    const outputs = { from: source.place.outputs, to: path.join(scratch.root, 'outputs', source.id) };
    const moves = [...scratch.moves, outputs];
    this.#checker = new Checker(moves);
    this.#there = rerooting(moves);
  }

  async play({ settings, host }: ReplayPlace): Promise<ReplayReport> {
    const { id, script } = this.#source;
    const { folder, root } = this.#scratch;
    const own = replaySettings(script.session, { folder, root, host, userRoot: settings.root });
    const choice = recordedModel(script.session, own);
    const assistant = await openAssistant(choice, {
      settings: own,
      options: { offline: true },
      host: { ...host, cwd: folder },
      session: sessionStore(own).create(folder, script.session.settings, id),
      provider: createPlayer({
        name: choice.preset.name,
        next: this.#next,
        interrupt: () => this.#assistant?.controller.interrupt(),
      }),
      additions: { tools: serverTools(script) },
      approver: this.#approve,
      instead: this.#instead,
    });
    this.#assistant = assistant;
    assistant.controller.listen((event) => {
      if (event.type === 'message') this.#take(event.message);
    });
    assistant.controller.steerWith(this.#steer);
    const stop = () => assistant.controller.interrupt();
    this.#options.signal?.addEventListener('abort', stop);
    try {
      while (this.#cursor < script.items.length && !this.#options.signal?.aborted)
        await this.#step(assistant);
      await this.#compareSubagents(assistant);
    } finally {
      await assistant.close();
    }
    this.#findOtherChanges();
    return this.#report();
  }

  async #step({ controller, opened }: Opened): Promise<void> {
    const item = this.#script.items[this.#cursor];
    if (item?.type !== 'message') {
      if (item?.type === 'rewind')
        opened.session.messages.length = Math.min(opened.session.messages.length, item.keep);
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
    if (message.role === 'user') {
      await this.#prepare(message);
      await controller.submit(mapValue(ownContent(message), { text: this.#there }));
    } else await controller.retry();
    this.#endRun();
    if (this.#cursor === before) {
      this.#checker.missing(message);
      this.#cursor += 1;
    }
    this.#skipRest();
  }

  /** Brings files into the state that they had when the prompt was sent. */
  async #prepare(message: UserMessage): Promise<void> {
    const later = this.#script.items
      .slice(this.#cursor + 1)
      .find((item) => item.type === 'message' && item.message.role === 'user');
    const next = later?.type === 'message' ? later.message.timestamp : null;
    const position = this.#assistant?.opened.session.messages.length ?? 0;
    await this.#scratch.set(this.#timeline.before({ at: message.timestamp, next, message: position }));
    const mode = notedMode([message]);
    if (mode !== undefined) this.#assistant?.mode.set(mode as Parameters<Opened['mode']['set']>[0]);
    this.#commandsBefore = this.#commandsRun();
    this.#commandsAnswered = 0;
  }

  #endRun(): void {
    this.#timeline.runEnded();
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
    this.#checker.message(expected, actual);
    this.#cursor += 1;
  }

  readonly #steer = async () => {
    const item = this.#script.items[this.#cursor];
    if (item?.type !== 'message' || item.message.role !== 'user') return null;
    this.#endRun();
    await this.#prepare(item.message);
    return { content: mapValue(ownContent(item.message), { text: this.#there }), claim: () => true };
  };

  readonly #next: NextReply = async (request) => {
    const session = this.#assistant?.opened.session;
    const { cacheKey = '' } = request;
    if (session && (cacheKey === cacheKeyOf(session) || cacheKey === session.id)) {
      const item = this.#script.items[this.#cursor];
      if (item?.type !== 'message' || item.message.role !== 'assistant') return 'end';
      return mapValue(item.message, { text: this.#there });
    }
    const reply = await this.#subagentReply(request, cacheKey);
    return reply && reply !== 'end' ? mapValue(reply, { text: this.#there }) : reply;
  };

  async #subagentReply({ messages }: CompletionRequest, cacheKey: string) {
    const said = messages.filter(({ role }) => role === 'assistant').length;
    const open = await this.#assistant?.opened.subagents.all();
    const id = open?.find((one) => one.id === cacheKey || cacheKeyOf(one) === cacheKey)?.id ?? cacheKey;
    const known = this.#script.subagents.get(id);
    if (!known) return null;
    if (said === 0) this.#started.set(id, (this.#started.get(id) ?? 0) + 1);
    const conversation = known[(this.#started.get(id) ?? 1) - 1] ?? known.at(-1);
    return (conversation && repliesOf(conversation)[said]) ?? ('end' as const);
  }

  /** The user's answers follow from the results. */
  readonly #approve: Approver = async ({ callId }) => {
    const text = this.#script.calls.get(callId)?.map(({ result }) => textOf(result))[0] ?? '';
    if (!text.startsWith(userDenied)) return { choice: 'once' };
    const reason = text.slice(userDenied.length).replace(/^[:.]?\s*/, '');
    return { choice: 'no', ...(reason !== '' && { reason }) };
  };

  readonly #instead: NonNullable<Parameters<typeof openAssistant>[1]['instead']> = async ({
    id,
    tool,
    input,
  }) => {
    const known = this.#script.calls.get(id)?.find(({ result }) => result.name === tool.name);
    if (!known) return null;
    const accesses = tool.access(input);
    const leaves = accesses.some(({ kind, target }) => kind === 'write' && this.#scratch.isOutside(target));
    const because =
      known.unrepeatable ??
      (leaves ? 'it changed files outside the folder' : null) ??
      outwardBecause(tool, accesses) ??
      (await this.#withoutSandbox(accesses[0]?.kind));
    if (because === null) return null;
    this.#checker.fromJournal.set(id, { call: this.#checker.titleOf(id), because });
    if (accesses.some(({ kind }) => kind === 'execute')) await this.#repeatChanges();
    const { content, success } = mapValue(known.result, { text: this.#there });
    const [first] = content;
    const text = first?.type === 'text' ? first.text : '';
    const mode = /plan mode is off: (edits are accepted|each change)/.exec(text)?.[1];
    if (mode !== undefined)
      this.#assistant?.mode.set(mode === 'edits are accepted' ? 'accept-edits' : 'default');
    const images = content.filter((part) => part.type === 'image');
    return (success ? { success, output: text, images } : { success, error: text }) satisfies ToolResult;
  };

  async #withoutSandbox(kind: string | undefined): Promise<string | null> {
    if (kind !== 'execute' || this.#options.unsandboxed) return null;
    const state = await this.#assistant?.sandbox();
    return state?.kind === 'host' ? 'there is no sandbox here (--unsandboxed runs it anyway)' : null;
  }

  /** A command that is not run again still changed files. */
  async #repeatChanges(): Promise<void> {
    const index = this.#commandsRun() - this.#commandsBefore + this.#commandsAnswered;
    this.#commandsAnswered += 1;
    const changes = this.#timeline.changesByCommand(index);
    await this.#scratch.set(new Map(changes.map(({ path: file, after }) => [file, after])));
  }

  #commandsRun(): number {
    return this.#ownRecords().filter(({ type }) => type === 'command_end').length;
  }

  #ownRecords(): UndoRecord[] {
    const { undoLog } = this.#ownPlace();
    return undoLog === null ? [] : readUndoRecords(undoLog);
  }

  #ownPlace(): SessionPlace {
    const { root, folder } = this.#scratch;
    return sessionPlace({ dataRoot: root, sessions: '', id: this.#source.id, cwd: folder });
  }

  async #compareSubagents({ opened }: Opened): Promise<void> {
    const actual = await opened.subagents.all();
    for (const [id, known] of this.#script.subagents) {
      const expected = known.at(-1);
      const found = actual.find((one) => one.id === id);
      if (!expected) continue;
      for (const [i, message] of expected.messages.entries()) {
        const now = found?.messages[i];
        if (now?.role === message.role) this.#checker.message(message, now);
        else this.#checker.missing(message);
      }
      for (const more of found?.messages.slice(expected.messages.length) ?? [])
        this.#checker.unexpected(more);
    }
  }

  /** Files that the original did not change. */
  #findOtherChanges(): void {
    const [{ from, to } = { from: '', to: '' }] = this.#scratch.moves;
    const before = Timeline.start(this.#ownRecords());
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
    const doubtful = this.#source.records.flatMap(changesIn).filter(({ doubt }) => doubt !== undefined);
    return {
      session: this.#source.id,
      same: differences.length === 0,
      runs: this.#runs,
      calls,
      fromJournal: [...fromJournal.values()],
      ignored,
      files: files.size,
      differences,
      notes: [
        ...notes,
        ...new Set(this.#scratch.notes),
        ...(compactions > 0 ? ['Compactions are not compared: they change only what a model sees.'] : []),
        ...(doubtful.length > 0
          ? [
              `Possibly changed by another program: ${[...new Set(doubtful.map((one) => one.path))].join(', ')}.`,
            ]
          : []),
      ],
    };
  }
}
