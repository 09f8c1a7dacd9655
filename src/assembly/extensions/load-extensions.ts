import type { SlashCommand } from '../../contract/command.ts';
import type { PromptRules } from '../../contract/permission.ts';
import type { Tool } from '../../contract/tool.ts';
import type { CustomCommand, PromptCommand } from '../../plugins/custom-command.ts';
import type { LoadedPlugin, PluginTrouble } from '../../plugins/load.ts';
import type { HookRunner } from '../../plugins/plugin-hooks.ts';
import type { Skill } from '../../plugins/skills.ts';
import type { SkillTool } from '../../tools/skill.ts';
import type { Parts } from '../parts.ts';
import { ruleCheck } from '../safety/rule-check.ts';
import type { SkillIn } from '../session/active-rules.ts';
import { findCommands, findSkills, hasMarkdown } from './find-extensions.ts';
import { safeCommand } from './plugin-command.ts';

export type LoadedExtensions = {
  plugins: readonly LoadedPlugin[];
  troubles: readonly PluginTrouble[];
  hooks: HookRunner | null;
  skills: readonly Skill[];
  /** Null without a skill for the model. */
  skillTool: SkillTool<Skill> | null;
  tools: readonly Tool[];
  /** Commands of plugins. */
  commands: readonly SlashCommand[];
  /** Skills that the user can start by name. */
  skillCommands: readonly PromptCommand[];
};

/**
 * Finds and loads the extensions of the user, the project and the host program for one session. Starts at
 * once.
 */
export class ExtensionLoader {
  readonly #parts: Parts;
  readonly #notice: (text: string) => void;
  readonly #notices: string[] = [];
  #stopWatching: (() => void) | undefined;
  /** Custom commands found so far. */
  custom: readonly CustomCommand[] = [];
  /** Undefined until everything is loaded. */
  loaded: LoadedExtensions | undefined;
  /** Resolves when custom commands are found. */
  readonly commandsFound: Promise<void>;
  readonly all: Promise<LoadedExtensions>;

  constructor(parts: Parts, notice: (text: string) => void) {
    this.#parts = parts;
    this.#notice = notice;
    this.commandsFound = this.#findCommands();
    this.all = this.#load();
  }

  /** What was skipped and why, each reported once. */
  takeNotices(): string[] {
    return this.#notices.splice(0);
  }

  /** Installed plugins in the format of other assistants. */
  get bundles() {
    return this.#places.bundles.filter(({ parts }) => !parts.isModule);
  }

  close(): void {
    this.#stopWatching?.();
  }

  /** The skill that a call uses; undefined if its tool is another one, whatever the name. */
  skillIn({ tool, input }: Parameters<SkillIn>[0]): Skill | undefined {
    const used = this.loaded?.skillTool;
    return used?.tool === tool ? used.find(input) : undefined;
  }

  /** The rules of a custom command, or of a skill that the user can start. */
  rulesOf(command: string): PromptRules | undefined {
    return [...this.custom, ...(this.loaded?.skillCommands ?? [])].find(({ name }) => name === command)
      ?.rules;
  }

  get #places() {
    const { userFiles = [], projectFiles = [], bundles = [], config, cwd } = this.#parts;
    return { user: userFiles, project: projectFiles, bundles, check: ruleCheck(config, cwd) };
  }

  async #findCommands(): Promise<void> {
    if (!hasMarkdown(this.#places, 'command')) return;
    const { commands, troubles } = await findCommands(this.#places);
    this.custom = commands;
    this.#notices.push(...troubles);
  }

  async #load(): Promise<LoadedExtensions> {
    const { plugins, troubles } = await this.#loadPlugins();
    await this.commandsFound;
    const skills = await this.#findSkills(plugins);
    const forModel = skills.filter(({ users }) => users === 'all' || users === 'model');
    const skillTool =
      forModel.length > 0 ? (await import('../../tools/skill.ts')).createSkill(forModel) : null;
    const hostTools = this.#parts.host?.tools ?? [];
    const commands = await this.#commandsOf(plugins);
    this.loaded = {
      plugins,
      troubles,
      hooks: await this.#hooksOf(plugins),
      skills,
      skillTool,
      tools: [...(skillTool ? [skillTool.tool] : []), ...plugins.flatMap(({ tools }) => tools), ...hostTools],
      commands,
      skillCommands: await this.#skillCommands(skills, commands),
    };
    return this.loaded;
  }

  async #loadPlugins(): Promise<Pick<LoadedExtensions, 'plugins' | 'troubles'>> {
    const { config } = this.#parts;
    if (config.plugins.length === 0) return { plugins: [], troubles: [] };
    const { loadPlugins } = await import('../../plugins/load.ts');
    const taken = new Set(Object.keys(config.mcpServers));
    const all = await loadPlugins(config.plugins, { taken });
    for (const { place, because } of all.troubles)
      this.#notices.push(`The plugin ${place} was skipped: ${because}`);
    return all;
  }

  async #findSkills(plugins: readonly LoadedPlugin[]): Promise<readonly Skill[]> {
    const folders = plugins.flatMap(({ folder }) => folder ?? []);
    if (folders.length === 0 && !hasMarkdown(this.#places, 'skill')) return [];
    const { skills, troubles } = await findSkills(this.#places, folders);
    this.#notices.push(...troubles);
    return skills;
  }

  async #hooksOf(plugins: readonly LoadedPlugin[]): Promise<HookRunner | null> {
    if (plugins.length === 0) return null;
    const [{ createPluginHooks }, { catchStrayErrors }] = await Promise.all([
      import('../../plugins/plugin-hooks.ts'),
      import('../../plugins/stray-errors.ts'),
    ]);
    this.#stopWatching = catchStrayErrors(plugins, this.#notice);
    return createPluginHooks(plugins, { notice: this.#notice });
  }

  /** A skill never replaces a command of the same name: it is `/skill:name` then. */
  async #skillCommands(
    skills: readonly Skill[],
    others: readonly { name: string }[],
  ): Promise<PromptCommand[]> {
    if (skills.length === 0) return [];
    const [{ skillCommand }, { builtinCommands }] = await Promise.all([
      import('../../plugins/skills.ts'),
      import('../../commands/index.ts'),
    ]);
    const taken = new Set([...builtinCommands, ...this.custom, ...others].map(({ name }) => name));
    const commands = skills.flatMap((skill) => skillCommand(skill) ?? []);
    return commands.map((one) => (taken.has(one.name) ? { ...one, name: `skill:${one.name}` } : one));
  }

  async #commandsOf(plugins: readonly LoadedPlugin[]): Promise<SlashCommand[]> {
    if (plugins.every(({ commands }) => commands.length === 0)) return [];
    const { builtinCommands } = await import('../../commands/index.ts');
    const taken = new Set([...builtinCommands, ...this.custom].map(({ name }) => name));
    const kept: SlashCommand[] = [];
    for (const { name: plugin, commands } of plugins) {
      for (const command of commands) {
        const { name } = command;
        const description = `${command.description} (${plugin})`;
        if (taken.has(name))
          this.#notices.push(
            `The command /${name} of the plugin ${plugin} was skipped: the name is already taken.`,
          );
        else kept.push({ name, description, execute: safeCommand(plugin, command) });
        taken.add(name);
      }
    }
    return kept;
  }
}
