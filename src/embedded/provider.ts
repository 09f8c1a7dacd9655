import { ProviderError } from '../contract/errors.ts';
import type { Message } from '../contract/message.ts';
import type { CompletionRequest, Provider, ProviderEvent } from '../contract/provider.ts';
import type { ToolDefinition } from '../contract/request/tool-definition.ts';
import { raceAbort } from '../lib/async/abort.ts';
import { Channel } from '../lib/async/channel.ts';
import { parseObject } from '../lib/text/json.ts';
import {
  callsAmong,
  type Dialect,
  FENCE_FORM,
  findDialect,
  firstWords,
  XML_FORM,
  XML_TEXT_FORM,
} from './dialect.ts';
import { toDialogue } from './dialogue.ts';
import { type CallForm, callGrammar, schemaGrammar } from './grammar.ts';
import type { Fit } from './models/fit.ts';
import type { GgufFacts } from './models/gguf.ts';
import { EngineFault, RemoteEngine } from './models/remote.ts';
import { pruneStates, stateFile } from './prompt-states.ts';
import type { Constraint, Dialogue, Generated, LoadedModel } from './protocol.ts';
import { attemptOf, repairing } from './repair.ts';
import { describeLoad, gpuName } from './runtime/gpu-words.ts';
import type { Gpu } from './runtime/platform.ts';
import { markBroken, probeGpus, workingGpu } from './runtime/probe.ts';
import type { InstalledRuntime } from './runtime/runtime-folder.ts';
import { type LoadProgress, SharedLoad } from './shared-load.ts';

/** How replies are parsed. Injected: replies of other models are parsed in the same way. */
export type Reading = {
  /**
   * Turns calls in text into call events. `native` leaves the request unchanged; otherwise tools are
   * described in text.
   */
  withCalls(provider: Provider, mode: 'native' | 'xml' | 'fence'): Provider;
  /** `bare`: the reply starts in the middle of thinking. */
  splitThinking(mode: 'tags' | 'bare'): { push(text: string): ProviderEvent[]; end(): ProviderEvent[] };
  systemOf(request: CompletionRequest): string;
};

export type EmbeddedOptions = {
  /** Used in messages and errors. */
  name: string;
  facts: GgufFacts;
  fit: Fit;
  runtime: InstalledRuntime;
  /** The built worker file, and its environment. */
  worker: string;
  env: Record<string, string>;
  reading: Reading;
  /** Where prompt states are saved; null disables it. */
  stateFolder: string | null;
  /** The call format for models whose template has none. */
  textMode?: 'xml' | 'fence';
  /** For reproducible replies. */
  seed?: number;
  /** Statistics about cached and newly read tokens. */
  onGenerated?(generated: Generated): void;
  /** Says after a load what computes, unless that goes without saying; and why a graphics card is not used any more. */
  notice?(text: string): void;
};

export type EmbeddedProvider = Provider & {
  /** Null if the model cannot, or failed. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<number[][] | null>;
  /** Frees the memory. A later request loads the model again. */
  close(): Promise<void>;
};

type Open = { engine: RemoteEngine; dialect: Dialect };

const FORMS = [XML_FORM, FENCE_FORM];
const TEMPERATURE = 0.6;

/** A model of this program, in its own process. Loaded on the first request. */
export function createEmbedded(options: EmbeddedOptions): EmbeddedProvider {
  const { name, reading, textMode = 'fence' } = options;
  const engine = new LazyEngine(options);
  const modeOf = ({ dialect }: Open) => (dialect.accepts.tools ? 'native' : textMode);

  async function* reply(request: CompletionRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
    const opened = yield* engine.opening(signal);
    const { tools = [] } = request;
    if (tools.length === 0) return yield* speaker(opened, options).stream(textOnly(request), signal);
    const form = formOf(opened, textMode);
    const say = (constraints: Constraint[], begin = '') =>
      reading
        .withCalls(speaker(opened, options, { constraints, begin }), modeOf(opened))
        .stream(request, signal);
    // A model may use another call format than the one requested.
    const lazily = FORMS.map((written) => ({
      grammar: callGrammar(tools, written.open === form.open ? form : written),
      after: written.open,
    }));
    yield* repairing(say(lazily), {
      isGood: (call) => isCallOf(call, tools),
      isAttempt: attemptOf(tools.map((tool) => tool.name)),
      again: () => say([{ grammar: callGrammar(tools, form, 'one'), after: null }], form.open),
    });
  }

  return {
    name,
    close: () => engine.close(),

    async *stream(request, signal) {
      for (let hasSpoken = false; ; ) {
        try {
          for await (const event of reply(request, signal)) {
            hasSpoken ||= event.type !== 'loading';
            yield event;
          }
          return;
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof EngineFault)) throw error;
          const isElsewhereNext = error.fault === 'died' && (await engine.giveUpGpu());
          if (error.fault === 'died' || error.fault === 'killed') await engine.close();
          if (!isElsewhereNext || hasSpoken) throw providerError(error, name);
        }
      }
    },

    async countTokens(request, signal) {
      // Don't load the model just for a token count.
      if (!engine.isOpened) return null;
      const opened = await engine.open(signal);
      const asked = reading.withCalls(speaker(opened, options), modeOf(opened));
      return raceAbort(asked.countTokens(request, signal), signal);
    },

    async embed(texts, signal) {
      try {
        const { engine: remote } = await engine.open(signal);
        return await raceAbort(remote.ask('embed', texts).answer, signal);
      } catch {
        // On any failure, notes are found by their words.
        return null;
      }
    },
  };
}

function providerError(fault: EngineFault, provider: string): ProviderError {
  const hint = 'Try it again. If it stops again, choose a smaller model: aca models list';
  const details = {
    overflow: { kind: 'overflow' },
    template: { kind: 'bad_request' },
    other: { kind: 'bad_request' },
    died: { kind: 'server_error', nextStep: hint },
    killed: { kind: 'server_error', nextStep: hint },
  } as const;
  return new ProviderError(fault.message, { ...details[fault.fault], provider }, { cause: fault });
}

/** The engine's process with the model, from the first request until it is closed. */
class LazyEngine {
  readonly #options: EmbeddedOptions;
  readonly #shared: SharedLoad<Open>;
  #engine: RemoteEngine | undefined;
  #gpu: Gpu = 'none';

  constructor(options: EmbeddedOptions) {
    this.#options = options;
    this.#shared = new SharedLoad(
      (loading) => this.#start(loading),
      () => this.#stop(),
    );
  }

  get isOpened(): boolean {
    return this.#shared.isStarted;
  }

  async open(signal: AbortSignal, loading?: LoadProgress): Promise<Open> {
    try {
      return await this.#shared.get(signal, loading);
    } catch (error) {
      signal.throwIfAborted();
      const { name, facts } = this.#options;
      const fault = error instanceof EngineFault ? error.fault : 'other';
      const message = `Could not load ${facts.name ?? name}: ${(error as Error).message}`;
      throw providerError(new EngineFault(fault, message), name);
    }
  }

  /** Reports the progress of a load. */
  async *opening(signal: AbortSignal): AsyncGenerator<ProviderEvent, Open> {
    const { file, bytes } = this.#options.facts;
    const shares = new Channel<number>();
    if (!this.isOpened) void shares.push(0);
    const opened = this.open(signal, (share) => void shares.push(share));
    opened.then(
      () => shares.close(),
      (error: unknown) => shares.fail(error),
    );
    for await (const share of shares) yield { type: 'loading', file, bytes, share };
    return opened;
  }

  close(): Promise<void> {
    return this.#shared.close();
  }

  async #stop(): Promise<void> {
    const last = this.#engine;
    this.#engine = undefined;
    await last?.close();
  }

  /** After a crash; false if it happened on the CPU. */
  async giveUpGpu(): Promise<boolean> {
    const { runtime, notice } = this.#options;
    const gpu = this.#gpu;
    if (gpu === 'none') return false;
    await markBroken(runtime, gpu, 'it crashed');
    notice?.(`${gpuName(gpu)} crashed, and is not used any more with this driver.`);
    return true;
  }

  async #start(loading: LoadProgress): Promise<Open> {
    const { runtime, facts, stateFolder, notice } = this.#options;
    const probe = await probeGpus(runtime, this.#options);
    const trial = workingGpu(probe);
    let remote = this.#fork(trial.gpu);
    const loaded = await this.#load(remote, loading).catch(async (error: unknown) => {
      const isItself = error instanceof EngineFault && error.fault === 'killed';
      if (trial.gpu === 'none' || isItself) throw error;
      if (error instanceof EngineFault && error.fault === 'died') await this.giveUpGpu();
      else notice?.(`${gpuName(trial.gpu)} cannot load the model: ${(error as Error).message}`);
      await remote.close();
      remote = this.#fork('none');
      return this.#load(remote, loading);
    });
    const words = describeLoad(loaded, probe);
    if (words !== null) notice?.(words);
    const dialect = facts.isEmbedding
      ? { accepts: { system: true, tools: false }, form: null, specials: 'hidden' as const }
      : await findDialect({
          template: facts.chatTemplate,
          render: (dialogue) => remote.ask('render', dialogue).answer,
          respell: (text) => remote.ask('respell', text).answer,
          callsIn: (text, tools) => callsAmong(readText(text, tools, this.#options)),
        });
    if (stateFolder !== null) await pruneStates(stateFolder);
    return { engine: remote, dialect };
  }

  #fork(gpu: Gpu): RemoteEngine {
    this.#gpu = gpu;
    this.#engine = new RemoteEngine(this.#options.worker, this.#options.env);
    return this.#engine;
  }

  #load(remote: RemoteEngine, loading: LoadProgress): Promise<LoadedModel> {
    const { runtime, facts, fit } = this.#options;
    const files = { runtime: runtime.folder, model: facts.file, template: facts.chatTemplate };
    return remote.ask('load', { ...files, gpu: this.#gpu, fit }, { loading }).answer;
  }
}

/** Parses a reply's text into calls and text, without a model. */
function readText(
  text: string,
  tools: readonly string[],
  { name, reading }: EmbeddedOptions,
): AsyncIterable<ProviderEvent> {
  const echo: Provider = {
    name,
    countTokens: async () => null,
    async *stream() {
      yield { type: 'text', text };
      yield { type: 'stop', reason: 'end' };
    },
  };
  const definitions = tools.map((tool) => ({ name: tool, description: '', parameters: {} }));
  const request = { model: '', system: '', messages: [], tools: definitions };
  return reading.withCalls(echo, 'native').stream(request, new AbortController().signal);
}

/** One reply as text and thinking. `begin` is prefilled, and part of the reply. */
function speaker(
  { engine, dialect }: Open,
  options: EmbeddedOptions,
  { constraints, begin }: { constraints: Constraint[]; begin: string } = { constraints: [], begin: '' },
): Provider {
  const { name, reading } = options;
  const dialogueOf = (request: CompletionRequest) => {
    const { messages, tools = [] } = request;
    return toDialogue({ system: reading.systemOf(request), messages, tools }, dialect.accepts);
  };
  return {
    name,
    countTokens: async (request) => {
      const text = await engine.ask('render', dialogueOf(request)).answer;
      return engine.ask('count', text).answer;
    },
    async *stream(request, signal) {
      const dialogue = dialogueOf(request);
      const prompt = await raceAbort(engine.ask('render', dialogue).answer, signal);
      const schema = request.replySchema;
      const reply = engine.generate(
        {
          prompt: prompt + begin,
          kept: await keptPrefix(dialogue, engine, options),
          maxTokens: request.maxTokens ?? null,
          temperature: request.temperature ?? TEMPERATURE,
          seed: options.seed ?? null,
          stop: request.stopSequences ?? [],
          specials: dialect.specials,
          constraints: schema ? [{ grammar: schemaGrammar(schema), after: null }] : constraints,
        },
        signal,
      );
      const splitter = reading.splitThinking(/<think>\s*$/.test(prompt) && begin === '' ? 'bare' : 'tags');
      if (begin !== '') yield* splitter.push(begin);
      let next = await reply.next();
      for (; !next.done; next = await reply.next()) yield* splitter.push(next.value);
      yield* splitter.end();
      const { value } = next;
      options.onGenerated?.(value);
      yield { type: 'usage', usage: usageOf(value) };
      yield { type: 'stop', reason: value.reason === 'max_tokens' ? 'max_tokens' : 'end' };
    },
  };
}

/** The prefix shared by all conversations with this system prompt and these tools. */
async function keptPrefix(
  dialogue: Dialogue,
  engine: RemoteEngine,
  { stateFolder, facts, fit }: EmbeddedOptions,
) {
  if (stateFolder === null) return null;
  const [a, b] = await Promise.all(
    ['0', '~'].map((words) => engine.ask('render', firstWords(dialogue, words)).answer),
  );
  let shared = 0;
  while (a !== undefined && shared < a.length && a[shared] === b?.[shared]) shared++;
  const prefix = a?.slice(0, shared) ?? '';
  return { prefix, file: stateFile(stateFolder, { facts, fit, prefix }) };
}

function formOf({ dialect }: Open, textMode: 'xml' | 'fence'): CallForm {
  if (dialect.accepts.tools) return dialect.form ?? XML_FORM;
  return textMode === 'xml' ? XML_TEXT_FORM : FENCE_FORM;
}

function usageOf({ promptTokens, warm, outputTokens }: Generated) {
  return { inputTokens: promptTokens - warm, outputTokens, cacheReadTokens: warm, cacheWriteTokens: 0 };
}

function isCallOf({ name, json }: { name: string; json: string }, tools: readonly ToolDefinition[]): boolean {
  // Anything else is what the grammar is for.
  return tools.some((tool) => tool.name === name) && parseObject(json || '{}') !== undefined;
}

/** Without tools a history may still contain earlier calls; templates reject them. */
function textOnly(request: CompletionRequest): CompletionRequest {
  const messages = request.messages.flatMap((message): Message[] => {
    if (message.role === 'tool')
      return [{ role: 'user', content: message.content, timestamp: message.timestamp }];
    if (message.role === 'user') return [message];
    const content = message.content.flatMap((part) =>
      part.type === 'tool_call' ? [{ type: 'text' as const, text: `(called ${part.name})` }] : [part],
    );
    return [{ ...message, content }];
  });
  return { ...request, messages };
}
