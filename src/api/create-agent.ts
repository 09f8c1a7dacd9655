import path from 'node:path';
import process from 'node:process';
import { openAssistant } from '../app/open-assistant.ts';
import { findModel } from '../app/opening/find-model.ts';
import { ruleNotices, type Settings, withPlugins } from '../app/settings.ts';
import { loadConfig } from '../config/load.ts';
import { keepDataRootPrivate } from '../config/private-root.ts';
import type { ConfigInput } from '../config/schema/schema.ts';
import { UserError } from '../contract/errors.ts';
import type { Answer, Approver } from '../contract/permission.ts';
import { dataRoot } from '../lib/files/data-root.ts';
import { startRun } from './agent-run.ts';
import { ownTools } from './agent-tool.ts';
import type { Agent, AgentOptions, AgentPermissions } from './types.ts';

/**
 * Embeds the assistant in another program, with the same permission checks, sandbox, firewall and settings as
 * on the command line. Several agents can live in one process. Errors that the caller can fix are thrown as a
 * `UserError`.
 */
export async function createAgent(options: AgentOptions = {}): Promise<Agent> {
  options.signal?.throwIfAborted();
  const place = { env: { ...(options.env ?? process.env) }, cwd: path.resolve(options.cwd ?? process.cwd()) };
  const settings = settingsOf(options, place);
  const choice = await findModel(settings, place);
  if (!choice)
    throw new UserError('No model configured.', 'Set a model, provide an API key, or start a local server.');
  const { session = 'new', permissions = {}, instructions } = options;
  const opened = await openAssistant(choice, {
    settings,
    options: typeof session === 'object' ? { resume: session.resume, forceDir: true } : {},
    host: place,
    additions: {
      tools: ownTools(options.tools ?? [], Object.keys(settings.config.mcpServers)),
      ...(instructions !== undefined && { instructions }),
    },
    ...(permissions.approve && { approver: approverOf(permissions.approve) }),
    ...(options.ask && { ask: options.ask }),
  });
  // The first messages of a long session are loaded last.
  await opened.opened.ready;
  const { controller } = opened;
  const over = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;

  const close = () => {
    closing ??= (async () => {
      options.signal?.removeEventListener('abort', closeQuietly);
      over.abort();
      await last;
      await opened.close();
    })();
    return closing;
  };
  const agent: Agent = {
    sessionId: controller.session.id,
    provider: choice.preset.name,
    model: choice.model,
    notices: [...opened.notices, ...opened.hints],
    get messages() {
      return controller.session.messages;
    },
    run(prompt, { signal } = {}) {
      if (closing)
        throw new UserError('This agent is closed.', 'Create another one with session: { resume }.');
      const stop = signal ? AbortSignal.any([over.signal, signal]) : over.signal;
      const run = startRun(prompt, controller, {
        turn: last,
        stop,
        undo: opened.undo,
        memory: opened.memory,
        cwd: place.cwd,
      });
      // A failed run is reported to its own reader; the next run starts regardless.
      last = run.result.catch(() => undefined);
      return run;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  // Errors are reported to callers of `close()`.
  const closeQuietly = () => void close().catch(() => undefined);
  options.signal?.addEventListener('abort', closeQuietly, { once: true });
  if (options.signal?.aborted) closeQuietly();
  return agent;
}

function settingsOf(options: AgentOptions, { env, cwd }: { env: NodeJS.ProcessEnv; cwd: string }): Settings {
  const { model, maxTurns, budget, trust = false, session, permissions = {} } = options;
  const { mode, allow = [], ask = [], deny = [] } = permissions;
  // Validated by loadConfig, like a config file.
  const written = options.settings as ConfigInput | undefined;
  const flags: ConfigInput = {
    ...written,
    ...(model !== undefined && { model }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(budget !== undefined && { limits: { ...written?.limits, run: budget } }),
    ...(mode !== undefined && { mode }),
    ...(session === 'none' && { saveHistory: false }),
    permissions: rulesOf(written?.permissions, { allow, ask, deny }),
  };
  const root = dataRoot(env);
  keepDataRootPrivate(root);
  const loaded = withPlugins(root, loadConfig({ home: root, cwd, env, flags, trusted: trust }));
  // Invalid rules throw before anything is started that would need to be stopped.
  return { ...loaded, notices: [...loaded.notices, ...ruleNotices(loaded, cwd)], root };
}

type Rules = Required<Pick<AgentPermissions, 'allow' | 'ask' | 'deny'>>;

/** Merges the rules from `settings` and `permissions`. */
function rulesOf(written: unknown, own: Rules): NonNullable<ConfigInput['permissions']> {
  // Not validated yet: if it is not a list, settings validation reports it.
  const set = (written ?? {}) as Partial<Record<keyof Rules, unknown>>;
  const joined = (key: keyof Rules) => {
    const before = set[key] ?? [];
    return (Array.isArray(before) ? [...before, ...own[key]] : before) as string[];
  };
  return { ...set, allow: joined('allow'), ask: joined('ask'), deny: joined('deny') };
}

/** A callback that throws counts as a no. */
function approverOf(approve: NonNullable<AgentPermissions['approve']>): Approver {
  return async (request, signal) => {
    try {
      return answerOf(await approve(request, signal));
    } catch (error) {
      signal.throwIfAborted();
      const because = error instanceof Error ? error.message : String(error);
      return { choice: 'no', reason: `the program that was to answer failed: ${because}` };
    }
  };
}

const CHOICES: readonly Answer['choice'][] = ['once', 'sandboxed', 'session', 'always', 'no'];

function answerOf(said: boolean | Answer): Answer {
  if (said === true) return { choice: 'once' };
  // Untyped callers may return anything; only these answers count as a yes.
  const isAnswer = typeof said === 'object' && said !== null && CHOICES.includes(said.choice);
  return isAnswer ? said : { choice: 'no' };
}
