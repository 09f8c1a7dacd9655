import type { HeardPrompt } from '../../agent/controller.ts';
import type { GoOn } from '../../agent/run-on.ts';
import type { RouterDeps } from '../../agent/tool-router.ts';
import type { Extensions, RunOptions, SlashCommand } from '../../contract/command.ts';
import { UserError } from '../../contract/errors.ts';
import type { AssistantMessage, Message, UserMessage } from '../../contract/message.ts';
import type { ToolDefinition } from '../../contract/provider.ts';
import type { Shell, Tool } from '../../contract/tool.ts';
import { raceAbort } from '../../lib/async/abort.ts';
import type { CustomCommand } from '../../plugins/custom-command.ts';
import type { LoadedPlugin, PluginTrouble } from '../../plugins/load.ts';
import { plainCopy, thrownWords } from '../../plugins/plain-copy.ts';
import type { HookRunner } from '../../plugins/plugin-hooks.ts';
import type { Skill } from '../../plugins/skills.ts';
import { toDefinition } from '../../tools/registry.ts';
import type { HostAdditions, Parts } from '../parts.ts';
import { findCommands, findSkills, hasMarkdown } from './find-extensions.ts';
import { createSessionHooks, type SessionHooks } from './session-hooks.ts';
import type { UserCall } from './user-calls.ts';

export type ExtensionDeps = {
  shell: Pick<Shell, 'run'>;
  mode(): string;
  notice(text: string): void;
  /** A call on the user's word: judged, asked about and run like one of the model's. */
  call(name: string, input: unknown): Promise<UserCall>;
  /** Whether a path the user may read leads to a file. */
  isFile(file: string): Promise<boolean>;
};

/** As the system prompt shows them. */
export function hostInstructions({ host }: HostAdditions): { file: string; text: string }[] {
  return host?.instructions === undefined ? [] : [{ file: 'the program', text: host.instructions }];
}

/** What the user's and the project's own additions do in one session. */
export type SessionExtensions = Pick<SessionHooks, 'keepsAll'> & {
  desk: Extensions;
  /** In the prompt's order. Empty until `ready`, and the same from then on. */
  definitions(builtin: readonly ToolDefinition[]): readonly ToolDefinition[];
  find(name: string): Tool | undefined;
  /** Plugins are loaded and skills are found. */
  ready(): Promise<{ skills: readonly Pick<Skill, 'name' | 'description'>[] }>;
  /** What follows is for this run only. */
  beginRun(options: RunOptions): void;
  beforePrompt(content: UserMessage['content'], signal: AbortSignal): Promise<HeardPrompt>;
  router: Pick<RouterDeps, 'before' | 'after' | 'heed'>;
  heed(message: AssistantMessage): Promise<AssistantMessage>;
  goOn: GoOn;
  close(): Promise<void>;
};

type Loaded = {
  plugins: readonly LoadedPlugin[];
  troubles: readonly PluginTrouble[];
  hooks: HookRunner | null;
  skills: readonly Skill[];
  tools: readonly Tool[];
  commands: readonly SlashCommand[];
};

export function createExtensions(parts: Parts, deps: ExtensionDeps): SessionExtensions {
  const { config, cwd, dataRoot, opened } = parts;
  const { session } = opened;
  const places = { dataRoot, files: parts.projectFiles ?? [] };
  const hooks = createSessionHooks({ ...deps, hooks: config.hooks, session, cwd });
  /** What nobody could be told yet. */
  const untold: string[] = [];
  let custom: readonly CustomCommand[] = [];
  let found: Loaded | undefined;
  let stopWatching: (() => void) | undefined;
  let started = false;
  let limit: RunOptions = {};
  let joined: { builtin: readonly ToolDefinition[]; all: readonly ToolDefinition[] } | undefined;

  const looking = lookForCommands();
  const loading = load();

  async function lookForCommands(): Promise<void> {
    if (!hasMarkdown(places, 'commands')) return;
    const { commands, troubles } = await findCommands(places);
    custom = commands;
    untold.push(...troubles);
  }

  async function load(): Promise<Loaded> {
    const { plugins, troubles } = await loadAll();
    await looking;
    const folders = plugins.flatMap(({ folder }) => folder ?? []);
    const hasSkills = folders.length > 0 || hasMarkdown(places, 'skills');
    const shelf = hasSkills ? await findSkills(places, folders) : { skills: [], troubles: [] };
    untold.push(...shelf.troubles);
    const skill =
      shelf.skills.length > 0 ? [(await import('../../tools/skill.ts')).createSkill(shelf.skills)] : [];
    found = {
      plugins,
      troubles,
      hooks: await hooksOf(plugins),
      skills: shelf.skills,
      tools: [...skill, ...plugins.flatMap(({ tools }) => tools), ...(parts.host?.tools ?? [])],
      commands: await commandsOf(plugins),
    };
    return found;
  }

  async function loadAll(): Promise<Pick<Loaded, 'plugins' | 'troubles'>> {
    if (config.plugins.length === 0) return { plugins: [], troubles: [] };
    const { loadPlugins } = await import('../../plugins/load.ts');
    const taken = new Set(Object.keys(config.mcpServers));
    const all = await loadPlugins(config.plugins, { taken });
    for (const { place, because } of all.troubles)
      untold.push(`The plugin ${place} was left out: ${because}`);
    return all;
  }

  async function hooksOf(plugins: readonly LoadedPlugin[]): Promise<HookRunner | null> {
    if (plugins.length === 0) return null;
    const [{ createPluginHooks }, { catchStrayErrors }] = await Promise.all([
      import('../../plugins/plugin-hooks.ts'),
      import('../../plugins/stray-errors.ts'),
    ]);
    stopWatching = catchStrayErrors(plugins, deps.notice);
    return createPluginHooks(plugins, { notice: deps.notice });
  }

  async function commandsOf(plugins: readonly LoadedPlugin[]): Promise<SlashCommand[]> {
    if (plugins.every(({ commands }) => commands.length === 0)) return [];
    const { builtinCommands } = await import('../../commands/index.ts');
    const taken = new Set([...builtinCommands, ...custom].map(({ name }) => name));
    const kept: SlashCommand[] = [];
    for (const { name: plugin, commands } of plugins) {
      for (const command of commands) {
        const { name } = command;
        const description = `${command.description} (${plugin})`;
        if (taken.has(name))
          untold.push(
            `The command /${name} of the plugin ${plugin} was left out: there is one of that name.`,
          );
        else kept.push({ name, description, execute: safely(plugin, command) });
        taken.add(name);
      }
    }
    return kept;
  }

  async function expand({ body, model, tools, name }: CustomCommand, typed: string) {
    const { expandCommand } = await import('../../plugins/custom-command.ts');
    const text = await expandCommand(body, typed, {
      async run(command) {
        const { text, success, refused } = await deps.call('Bash', { command });
        if (refused)
          throw new UserError(
            `/${name} was not sent: ${text}.`,
            'Allow the command, or take it out of the file.',
          );
        return success ? text.trimEnd() : `[${command} failed]\n${text.trimEnd()}`;
      },
      read: async (file) =>
        (await deps.isFile(file)) ? (await deps.call('Read', { file_path: file })).text : null,
    });
    const options: RunOptions = { ...(model !== undefined && { model }), ...(tools && { tools }) };
    return { content: [{ type: 'text' as const, text }], options };
  }

  const desk: Extensions = {
    async plugins() {
      const { plugins, troubles } = await loading;
      return [
        ...plugins.map(({ name, version, file, tools, hooks: asked, commands }) => ({
          name,
          version,
          place: file,
          trouble: '',
          tools: tools.map((tool) => tool.name),
          hooks: Object.keys(asked),
          commands: commands.map((command) => command.name),
        })),
        ...troubles.map(({ place, because }) => ({
          ...{ name: '', version: '', place, trouble: because },
          ...{ tools: [], hooks: [], commands: [] },
        })),
      ];
    },
    skills: async () => (await loading).skills,
    hooks: () => hooks.list(),
    commands: () => [
      ...custom.map((command) => ({
        name: command.name,
        description: command.description,
        async execute(words: string[], { submit }: Parameters<SlashCommand['execute']>[1]) {
          const { content, options } = await expand(command, words.join(' '));
          await submit(content, options);
        },
      })),
      ...(found?.commands ?? []),
    ],
    async promptFor(line) {
      const [, name = '', typed = ''] =
        /^\/([a-z][\w-]*(?::[\w.:-]+)?)(?:\s+([\s\S]*))?$/i.exec(line.trim()) ?? [];
      await looking;
      const command = custom.find((one) => one.name === name.toLowerCase());
      return command ? expand(command, typed) : null;
    },
  };

  const heed = async <M extends Message>(message: M): Promise<M> =>
    (await (await loading).hooks?.message(message)) ?? message;

  return {
    desk,
    definitions(builtin) {
      const tools = found?.tools ?? [];
      if (tools.length === 0) return builtin;
      if (joined?.builtin !== builtin) joined = { builtin, all: [...builtin, ...tools.map(toDefinition)] };
      return joined.all;
    },
    find: (name) => found?.tools.find((tool) => tool.name === name || wireName(tool.name) === name),
    async ready() {
      const { skills } = await loading;
      for (const text of untold.splice(0)) deps.notice(text);
      return { skills };
    },
    beginRun(options) {
      limit = options;
    },
    async beforePrompt(content, signal) {
      const { hooks: plugins } = await loading;
      const context: string[] = [];
      if (!started) {
        started = true;
        await plugins?.sessionStart(session);
        context.push(
          ...(await hooks.sessionStart(session.messages.length === 0 ? 'startup' : 'resume', signal)),
        );
      }
      const prompt = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
      const said = await hooks.prompt(prompt, signal);
      if (said.blocked !== null) return { type: 'block', because: `a hook refuses it: ${said.blocked}` };
      const added = [...context, ...said.context].map((text) => `\n\n[From a hook:]\n${text}`);
      const parts = [...content, ...added.map((text) => ({ type: 'text' as const, text }))];
      const message = { role: 'user' as const, content: parts, timestamp: new Date().toISOString() };
      return { type: 'go', content: (await heed(message)).content };
    },
    router: {
      async before(call, signal) {
        const { tools } = limit;
        if (tools && !tools.some((name) => isNamed(name, call.name)))
          return { type: 'block', by: 'command', because: `only ${tools.join(', ')} may be used for this` };
        const asked = await (await loading).hooks?.beforeCall(call);
        if (asked?.type === 'block') return asked;
        return hooks.before({ ...call, input: asked ? asked.input : call.input }, signal);
      },
      async after(call, result, signal) {
        await (await loading).hooks?.afterCall(call, result);
        return hooks.after(call, result, signal);
      },
      heed,
    },
    heed,
    goOn: hooks.goOn,
    keepsAll: hooks.keepsAll,
    async close() {
      if (started) await hooks.sessionEnd();
      stopWatching?.();
    },
  };
}

/** What a plugin's command throws, or never ends with, ends the command, not the conversation. */
function safely(plugin: string, command: SlashCommand): SlashCommand['execute'] {
  return async (words, context) => {
    const submit: typeof context.submit = (content, options) => context.submit(promptOf(content), options);
    // Its getters stay what they are.
    const own = Object.create(context, { submit: { value: submit } }) as typeof context;
    try {
      await raceAbort(
        Promise.resolve().then(() => command.execute(words, own)),
        context.signal,
      );
    } catch (error) {
      if (error instanceof UserError || context.signal.aborted) throw error;
      throw new UserError(
        `/${command.name} failed: ${thrownWords(error)}.`,
        `It belongs to the plugin ${plugin}.`,
      );
    }
  };
}

/** What a plugin's command sends, if it is a prompt. */
function promptOf(content: unknown): UserMessage['content'] {
  const parts = plainCopy(content);
  const isText = (part: Record<string, unknown>) => part.type === 'text' && typeof part.text === 'string';
  const isImage = (part: Record<string, unknown>) =>
    part.type === 'image' && typeof part.mediaType === 'string' && typeof part.data === 'string';
  if (
    !Array.isArray(parts) ||
    parts.length === 0 ||
    !parts.every((part) => part && (isText(part) || isImage(part)))
  )
    throw new Error('submit takes a list of texts and images');
  // Checked just now.
  return parts as UserMessage['content'];
}

function wireName(name: string): string {
  return name.replace(':', '__');
}

/** A name as in permission rules; what stands in brackets behind it does not count here. */
function isNamed(written: string, tool: string): boolean {
  const name = written.replace(/\(.*$/s, '').trim();
  return [tool, `mcp:${tool}`, `mcp__${wireName(tool)}`].some(
    (one) => one.toLowerCase() === name.toLowerCase(),
  );
}
