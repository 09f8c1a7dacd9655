import type { Extensions, RunOptions, SlashCommand } from '../../contract/command.ts';
import { UserError } from '../../contract/errors.ts';
import type { ToolContext } from '../../contract/tool.ts';
import type { CustomCommand } from '../../plugins/custom-command.ts';
import type { SessionExtensions } from './extensions.ts';
import type { UserCall } from './user-calls.ts';

export type ExtensionCommandDeps = {
  /** A call on behalf of the user: judged, approved and run like one of the model's. */
  call(name: string, input: unknown): Promise<UserCall>;
  files: Pick<ToolContext['files'], 'stat'>;
};

type Expandable = Pick<CustomCommand, 'name' | 'body' | 'model' | 'tools'>;

/** What the user can list and run of a session's extensions. */
export function createExtensionCommands(
  { loader, hooks }: Pick<SessionExtensions, 'loader' | 'hooks'>,
  { call, files }: ExtensionCommandDeps,
): Extensions {
  /** Whether a path that the user may read is a file. */
  const isFile = (file: string) =>
    files.stat(file).then(
      (stat) => stat?.type === 'file',
      () => false,
    );

  async function expand({ body, model, tools, name }: Expandable, typed: string) {
    const { expandCommand } = await import('../../plugins/custom-command.ts');
    const text = await expandCommand(body, typed, {
      async run(command) {
        const { text, success, refused } = await call('Bash', { command });
        if (refused)
          throw new UserError(
            `/${name} was not sent: ${text}.`,
            'Allow the command, or remove it from the file.',
          );
        return success ? text.trimEnd() : `[${command} failed]\n${text.trimEnd()}`;
      },
      read: async (file) => ((await isFile(file)) ? (await call('Read', { file_path: file })).text : null),
    });
    const options: RunOptions = { ...(model !== undefined && { model }), ...(tools && { tools }) };
    return { content: [{ type: 'text' as const, text }], options };
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
        async execute(words: string[], { submit }: Parameters<SlashCommand['execute']>[1]) {
          const { content, options } = await expand(command, words.join(' '));
          await submit(content, options);
        },
      })),
      ...(loader.loaded?.commands ?? []),
    ],
    async promptFor(line) {
      const [, name = '', typed = ''] =
        /^\/([a-z][\w-]*(?::[\w.:-]+)?)(?:\s+([\s\S]*))?$/i.exec(line.trim()) ?? [];
      await loader.commandsFound;
      const isMeant = (one: Expandable) => one.name === name.toLowerCase();
      const command =
        loader.custom.find(isMeant) ??
        (name === '' ? undefined : (await loader.all).skillCommands.find(isMeant));
      return command ? expand(command, typed) : null;
    },
  };
}
