import path from 'node:path';
import { Command } from 'commander';
import { setValue, valueFromText } from '../../config/edit.ts';
import { formatKeyPath, knownKeyPath, parseKeyPath } from '../../config/key-path.ts';
import { type LoadedConfig, loadConfig, userConfigFile } from '../../config/load.ts';
import { maskSecrets } from '../../config/mask.ts';
import { leavesOf } from '../../config/merge.ts';
import { needsTrust } from '../../config/project-rules.ts';
import { configJsonSchema } from '../../config/schema/reference.ts';
import { findProjectFile } from '../../config/trust.ts';
import { UserError } from '../../contract/errors.ts';
import { dataRoot } from '../../lib/files/data-root.ts';
import { userFile } from '../../lib/files/file-update.ts';
import { isObject } from '../../lib/text/json.ts';
import { type SubcommandContext, table, withContext } from './context.ts';

type ShowOptions = { json?: boolean; origins?: boolean; trust?: boolean };

export function configCommand(context: SubcommandContext): Command {
  const command = withContext(new Command('config'), context).description('Show and change settings');
  const print = (text: string): void => {
    context.stdout.write(text);
  };
  const trust = ['--trust', "include this folder's settings even if it is not trusted"] as const;

  command
    .command('show')
    .alias('list')
    .description('Print the settings in effect in this folder, with secrets masked')
    .option('--json', 'print JSON')
    .option('--origins', 'show where each setting comes from')
    .option(...trust)
    .action((options: ShowOptions) => print(show(load(context, options), options)));

  command
    .command('get')
    .description('Print one setting')
    .argument('<key>', 'such as maxTurns or permissions.allow')
    .option(...trust)
    .action((key: string, options: { trust?: boolean }) => {
      print(`${get(load(context, options), knownKeyPath(key))}\n`);
    });

  command
    .command('set')
    .description('Change one setting in your configuration file')
    .argument('<key>', 'such as maxTurns or permissions.allow')
    .argument('<value>', 'JSON, or plain text')
    .option('--project', "change this project's .ai-assistant.json instead")
    .action((key: string, value: string, options: { project?: boolean }) =>
      set(context, { keyPath: knownKeyPath(key), text: value, inProject: options.project === true }),
    );

  command
    .command('unset')
    .description('Remove one setting from your configuration file, so that its default applies again')
    .argument('<key>', 'such as maxTurns or permissions.allow')
    .option('--project', "change this project's .ai-assistant.json instead")
    .action((key: string, { project }: { project?: boolean }) =>
      unset(context, parseKeyPath(key), project === true),
    );

  command
    .command('path')
    .description('Print the paths of the configuration files')
    .action(() => {
      const project = findProjectFile(context.cwd);
      const rows = [['user', userConfigFile(dataRoot(context.env))]];
      print(table(project === null ? rows : [...rows, ['project', project]]));
    });

  command
    .command('schema')
    .description('Print the JSON Schema for configuration files')
    .action(() => print(`${JSON.stringify(configJsonSchema(), null, 2)}\n`));

  return command;
}

function load({ env, cwd, stderr }: SubcommandContext, options: { trust?: boolean }): LoadedConfig {
  const loaded = loadConfig({ home: dataRoot(env), cwd, env, trusted: options.trust === true });
  for (const notice of loaded.notices) stderr.write(`${notice}\n`);
  return loaded;
}

function show({ config, origins }: LoadedConfig, options: ShowOptions): string {
  const masked = maskSecrets(config);
  if (options.json) {
    return `${JSON.stringify(options.origins ? { config: masked, origins } : masked, null, 2)}\n`;
  }
  const rows = [...leavesOf(masked)].map(([names, value]) => {
    const key = formatKeyPath(names);
    return [key, JSON.stringify(value), ...(options.origins ? [origins[key] ?? 'default'] : [])];
  });
  return table(rows);
}

/** Strings are printed without quotes, so that scripts can use them; anything else is JSON. */
function get({ config }: LoadedConfig, keyPath: readonly string[]): string {
  let value: unknown = maskSecrets(config);
  for (const name of keyPath) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  if (value === undefined) {
    throw new UserError(
      `${formatKeyPath(keyPath)} is not set.`,
      `Set it with \`aca config set ${formatKeyPath(keyPath)} VALUE\`.`,
    );
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type Change = { keyPath: string[]; text: string; inProject: boolean };

async function set(context: SubcommandContext, { keyPath, text, inProject }: Change): Promise<void> {
  const { env, cwd, stdout, stderr } = context;
  const key = formatKeyPath(keyPath);
  if (inProject && keyPath.includes('apiKey')) {
    throw new UserError(
      'Do not store API keys in a project, where others can read them.',
      'Store the key with `aca keys set`.',
    );
  }
  const { file, place } = fileToChange({ env, cwd }, inProject);
  const value = valueFromText(keyPath, text);
  const { notices } = await setValue(place, keyPath, value);

  for (const notice of notices) stderr.write(`${notice}\n`);
  stdout.write(`${key} is now ${shown(keyPath, value)} in ${file}\n`);
  if (inProject && needsTrust(keyPath)) {
    stderr.write(
      `${key} in a project applies only after you trust the folder, with \`aca trust\` or --trust.\n`,
    );
  }
}

/** Unknown and misspelt keys can be removed also. */
async function unset(context: SubcommandContext, keyPath: string[], inProject: boolean): Promise<void> {
  const { stdout, stderr } = context;
  const key = formatKeyPath(keyPath);
  const { file, place } = fileToChange(context, inProject);
  const { notices, changed } = await setValue(place, keyPath, undefined);
  for (const notice of notices) stderr.write(`${notice}\n`);
  if (!changed)
    throw new UserError(
      `${key} is not set in ${file}.`,
      'Run `aca config show --origins` to see where a setting comes from.',
    );
  stdout.write(`Removed ${key} from ${file}\n`);
}

function fileToChange({ env, cwd }: Pick<SubcommandContext, 'env' | 'cwd'>, inProject: boolean) {
  const root = dataRoot(env);
  if (!inProject) return { file: userConfigFile(root), place: userConfigFile(root) };
  const file = findProjectFile(cwd) ?? path.join(cwd, '.ai-assistant.json');
  return { file, place: userFile(root, file) };
}

function shown(keyPath: readonly string[], value: unknown): string {
  const wrapped = keyPath.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  const [leaf] = leavesOf(maskSecrets(wrapped));
  return isObject(value) ? 'changed' : JSON.stringify(leaf?.[1]);
}
