import type { CheckedPrompt } from '../../agent/controller.ts';
import type { RouterDeps } from '../../agent/router-deps.ts';
import type { RemainingWork } from '../../agent/run-until-done.ts';
import type { AssistantMessage, Message, UserMessage } from '../../contract/message.ts';
import type { PermissionMode } from '../../contract/permission.ts';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import type { Shell, Tool } from '../../contract/tool.ts';
import type { Skill } from '../../plugins/skills.ts';
import { toDefinition } from '../../tools/registry.ts';
import type { HostAdditions, Parts } from '../parts.ts';
import type { SkillIn } from '../session/active-rules.ts';
import { createSessionHooks, type SessionHooks } from './hooks/session-hooks.ts';
import { ExtensionLoader } from './load-extensions.ts';
import { hooksOf } from './plugin-bundles.ts';
import { createRunLimits, type RunLimits, wireName } from './run-limits.ts';

export type ExtensionDeps = {
  shell: Pick<Shell, 'run'>;
  /** A folder that commands in the sandbox can read. */
  folder: string;
  mode(): PermissionMode;
  hide<T>(value: T): T;
  notice(text: string): void;
  info(text: string): void;
  /** Called with what a hook says to the model. */
  onHookSaid(command: string, text: string): Promise<void>;
};

/** As shown in the system prompt. */
export function hostInstructions({ host }: HostAdditions): { file: string; text: string }[] {
  return host?.instructions === undefined ? [] : [{ file: 'the program', text: host.instructions }];
}

/** The user's and the project's extensions in one session. */
export type SessionExtensions = Pick<SessionHooks, 'keepsAll'> &
  Omit<RunLimits, 'refusal'> & {
    loader: ExtensionLoader;
    hooks: SessionHooks;
    /** In the order of the prompt. Empty until `ready`, constant after that. */
    definitions(builtin: readonly ToolDefinition[]): readonly ToolDefinition[];
    find(name: string): Tool | undefined;
    /** Resolves when plugins are loaded and skills are found. */
    ready(): Promise<{ skills: readonly Pick<Skill, 'name' | 'description'>[] }>;
    skillIn: SkillIn;
    beforePrompt(content: UserMessage['content'], signal: AbortSignal): Promise<CheckedPrompt>;
    router: Pick<RouterDeps, 'before' | 'beforeQuestion' | 'after' | 'halted' | 'transformMessage'>;
    /** Instead of `router.before`, for calls that are not part of a run. */
    beforeUserCall: NonNullable<RouterDeps['before']>;
    transformMessage(message: AssistantMessage): Promise<AssistantMessage>;
    remainingWork: RemainingWork;
    close(): Promise<void>;
  };

export function createExtensions(parts: Parts, deps: ExtensionDeps): SessionExtensions {
  const { config, cwd, opened } = parts;
  const { session } = opened;
  const hooks = createSessionHooks({
    ...deps,
    sources: [{ rows: config.hooks }, ...(parts.bundles ?? []).map(hooksOf)],
    session,
    cwd,
    env: parts.env,
    keepsHistory: config.saveHistory,
    isWatched: parts.approver !== undefined,
    fetch: parts.fetch ?? globalThis.fetch,
    onSaid: deps.onHookSaid,
  });
  const loader = new ExtensionLoader(parts, deps.notice);
  let started = false;
  const limits = createRunLimits(loader, deps.info);
  let joined: { builtin: readonly ToolDefinition[]; all: readonly ToolDefinition[] } | undefined;

  const pluginHooks = async () => (await loader.all).hooks;
  const transformMessage = async <M extends Message>(message: M): Promise<M> =>
    (await (await pluginHooks())?.message(message)) ?? message;

  /** Output of hooks at the first prompt. */
  async function startSession(signal: AbortSignal): Promise<string[]> {
    if (started) return [];
    started = true;
    await (await pluginHooks())?.sessionStart(session);
    return hooks.sessionStart(session.messages.length === 0 ? 'startup' : 'resume', signal);
  }

  const beforeUserCall: SessionExtensions['beforeUserCall'] = async (call, signal, about) => {
    const asked = await (await pluginHooks())?.beforeCall(call);
    if (asked?.type === 'block') return asked;
    return hooks.before({ ...call, input: asked ? asked.input : call.input }, signal, about);
  };

  return {
    loader,
    hooks,
    beforeUserCall,
    definitions(builtin) {
      const tools = loader.loaded?.tools ?? [];
      if (tools.length === 0) return builtin;
      if (joined?.builtin !== builtin) joined = { builtin, all: [...builtin, ...tools.map(toDefinition)] };
      return joined.all;
    },
    find: (name) => loader.loaded?.tools.find((tool) => tool.name === name || wireName(tool.name) === name),
    async ready() {
      const { skills } = await loader.all;
      for (const text of loader.takeNotices()) deps.notice(text);
      return { skills: skills.filter(({ users }) => users === 'all' || users === 'model') };
    },
    ...limits,
    skillIn: (work) => loader.skillIn(work),
    async beforePrompt(content, signal) {
      await loader.all;
      hooks.proceed();
      const context = await startSession(signal);
      const prompt = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
      const said = await hooks.prompt(prompt, signal);
      const because = said.blocked === null ? hooks.halted() : `blocked by a hook: ${said.blocked}`;
      if (because !== null) return { type: 'block', because };
      const added = [...context, ...said.context].map((text) => `\n\n[From a hook:]\n${text}`);
      const parts = [...content, ...added.map((text) => ({ type: 'text' as const, text }))];
      const message = { role: 'user' as const, content: parts, timestamp: new Date().toISOString() };
      return { type: 'go', content: (await transformMessage(message)).content };
    },
    router: {
      async before(call, signal, about) {
        return limits.refusal(call.name) ?? beforeUserCall(call, signal, about);
      },
      beforeQuestion: hooks.beforeQuestion,
      async after(call, result, signal, about) {
        await (await pluginHooks())?.afterCall(call, result);
        return hooks.after(call, result, signal, about);
      },
      halted: hooks.halted,
      transformMessage,
    },
    transformMessage,
    remainingWork: hooks.remainingWork,
    keepsAll: hooks.keepsAll,
    async close() {
      if (started) await hooks.sessionEnd();
      hooks.close();
      loader.close();
    },
  };
}
