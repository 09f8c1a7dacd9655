import type { Extensions, PluginState, SlashCommand } from '../contract/command.ts';

export const plugins: SlashCommand = {
  name: 'plugins',
  description: 'List plugins, skills and hooks',
  async execute(_args, { extensions, print }) {
    if (!extensions) return print('No plugins available.');
    print((await describe(extensions)).join('\n'));
  },
};

async function describe(extensions: Extensions): Promise<string[]> {
  const [found, skills] = await Promise.all([extensions.plugins(), extensions.skills()]);
  const hooks = extensions.hooks();
  return [
    found.length > 0 ? 'Plugins:' : 'No plugins. Install them with `aca plugin install`.',
    ...found.flatMap(pluginLines),
    skills.length > 0 ? 'Skills:' : 'No skills.',
    ...skills.map(({ name, description, source }) => `  ${name} (${source})  ${description}`),
    hooks.length > 0 ? 'Hooks:' : 'No hooks.',
    ...hooks.map(({ point, command }) => `  ${point}  ${command}`),
  ];
}

function pluginLines({ name, version, place, trouble, ...brings }: PluginState): string[] {
  if (trouble !== '') return [`  ${place}: skipped. ${trouble}`];
  const lists = {
    tools: brings.tools,
    hooks: brings.hooks,
    commands: brings.commands.map((one) => `/${one}`),
  };
  const told = Object.entries(lists).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`    ${what}: ${names.join(', ')}`],
  );
  return [`  ${name} ${version}  ${place}`, ...told];
}
