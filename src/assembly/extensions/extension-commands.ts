import { commandNamed } from '../../commands/command-named.ts';
import type { Extensions, RunOptions, SlashCommand } from '../../contract/command.ts';
import { UserError } from '../../contract/errors.ts';
import type { PromptCommand } from '../../plugins/custom-command.ts';
import type { AttachMentions } from './attach-mentions.ts';
import type { SessionExtensions } from './extensions.ts';
import type { UserCalls } from './user-calls.ts';

export type ExtensionCommandDeps = {
  /** A call on behalf of the user: judged, approved and run like one of the model's. */
  call: UserCalls['call'];
  attach: AttachMentions;
};

/** What the user can list and run of a session's extensions. */
export function createExtensionCommands(
  { loader, hooks }: Pick<SessionExtensions, 'loader' | 'hooks'>,
  { call, attach }: ExtensionCommandDeps,
): Extensions {
  async function expand(command: PromptCommand, typed: string) {
    const { model, tools, name, agent, rules } = command;
    const { expandCommand } = await import('../../plugins/custom-command.ts');
    const { text, written } = await expandCommand(command, typed, {
      async run(command) {
        const { text, success, refused } = await call('Bash', { command }, rules);
        if (refused)
          throw new UserError(
            `/${name} was not sent: ${text}.`,
            'Allow the command, or remove it from the file.',
          );
        return success ? text.trimEnd() : `[${command} failed]\n${text.trimEnd()}`;
      },
      missing(names) {
        throw new UserError(
          `/${name} was not sent: ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} missing.`,
          `Type /${name} ${names.map((key) => `${key}="…"`).join(' ')}`,
        );
      },
    });
    if (agent !== undefined) {
      const answer = await delegated(command, agent, text);
      return { content: [{ ...answer, typed: written }], options: {} };
    }
    const options: RunOptions = {
      ...(model !== undefined && { model }),
      ...(tools && { tools }),
      ...(rules && { command: name }),
    };
    return { content: await attach([{ type: 'text', text, typed: written }], written), options };
  }

  /** The conversation goes on with the answer of the subagent that did the work. */
  async function delegated({ name, rules }: PromptCommand, agent: string, prompt: string) {
    const task = { agent, description: `/${name}`, prompt };
    const { text, success, refused } = await call('Task', task, rules);
    if (refused) throw new UserError(`/${name} was not sent: ${text}.`, `It runs as the subagent ${agent}.`);
    const said = success ? 'did its work and answered' : 'failed';
    const next = 'Give the user its answer, as far as it matters to them.';
    return { type: 'text' as const, text: `/${name}: the subagent ${agent} ${said}. ${next}\n\n${text}` };
  }

  return {
    async plugins() {
      const { plugins, troubles } = await loader.all;
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
        ...loader.bundles.map(({ parts, hooks: rows }) => ({
          name: parts.name,
          version: parts.version,
          place: parts.root,
          trouble: '',
          tools: [],
          hooks: Object.keys(rows),
          commands: loader.custom.flatMap(({ name, file }) =>
            parts.commands.some((one) => one.file === file) ? [name] : [],
          ),
        })),
        ...troubles.map(({ place, because }) => ({
          ...{ name: '', version: '', place, trouble: because },
          ...{ tools: [], hooks: [], commands: [] },
        })),
      ];
    },
    skills: async () => (await loader.all).skills,
    hooks: () => hooks.list(),
    commands: () => [
      ...[...loader.custom, ...(loader.loaded?.skillCommands ?? [])].map((command) => ({
        name: command.name,
        description: command.description,
        forGuests: true as const,
        async execute(words: string[], { submit }: Parameters<SlashCommand['execute']>[1]) {
          const { content, options } = await expand(command, words.join(' '));
          await submit(content, options);
        },
      })),
      ...(loader.loaded?.commands ?? []),
    ],
    async promptFor(line) {
      const [, name = '', typed = ''] = /^\/([a-z0-9][\w.:-]*)(?:\s+([\s\S]*))?$/i.exec(line.trim()) ?? [];
      if (name === '') return null;
      await loader.commandsFound;
      const command = commandNamed(name, [...loader.custom, ...(await loader.all).skillCommands]);
      return command ? expand(command, typed) : null;
    },
  };
}
