import { Command } from 'commander';
import { createKeychain, type Keychain } from '../../config/keys/keychain.ts';
import { maskKey } from '../../config/mask.ts';
import { UserError } from '../../contract/errors.ts';
import { dataRoot } from '../../lib/files/data-root.ts';
import { didYouMean } from '../../lib/text/nearest.ts';
import { type SubcommandContext, table, withContext } from './context.ts';
import { readSecret } from './read-secret.ts';

export type KeysContext = SubcommandContext & {
  /** Known vendor names: another name causes a warning, not an error. */
  providers?: readonly string[];
  /** Where keys are stored. Default: the user's keychain. */
  keychain?: Keychain;
};

export function keysCommand(context: KeysContext): Command {
  const command = withContext(new Command('keys'), context).description(
    'Store API keys in the system keychain, or in a private file if there is none',
  );
  const keychain = context.keychain ?? createKeychain({ home: dataRoot(context.env), env: context.env });

  command
    .command('set')
    .description('Store the API key of a provider; prompts for it, or reads it from standard input')
    .argument('<provider>', 'such as anthropic')
    .action((provider: string) => setKey(provider, context, keychain));

  command
    .command('list')
    .description('List stored keys and their location; shows only the last four characters')
    .action(async () => {
      const stored = await keychain.list();
      if (stored.length === 0)
        context.stderr.write('No keys stored. Add one with `aca keys set PROVIDER`.\n');
      else
        context.stdout.write(table(stored.map(({ provider, masked, where }) => [provider, masked, where])));
    });

  command
    .command('remove')
    .description('Delete the stored key of a provider')
    .argument('<provider>', 'such as anthropic')
    .action(async (provider: string) => {
      if (!(await keychain.remove(provider))) {
        const names = (await keychain.list()).map((stored) => stored.provider);
        throw new UserError(
          `No key is stored for ${provider}.${didYouMean(provider, names)}`,
          'Run `aca keys list` to see stored keys.',
        );
      }
      context.stdout.write(`Removed the ${provider} key.\n`);
    });

  return command;
}

async function setKey(provider: string, context: KeysContext, keychain: Keychain): Promise<void> {
  if (!/^[\w.-]+$/.test(provider)) {
    throw new UserError(
      `${provider} is not a valid provider name.`,
      'Use a name such as anthropic or openai.',
    );
  }
  const { stdin, stdout, stderr, providers } = context;
  const key = (await readSecret({ stdin, stderr, prompt: `Key for ${provider}: ` })).trim();
  if (key === '') throw new UserError('No key entered; nothing was stored.', 'Paste the key or pipe it in.');
  if (!/^[!-~]+$/.test(key)) {
    throw new UserError(
      'That does not look like a key: it contains spaces, line breaks or unexpected characters. Nothing was stored.',
      'Copy only the key and try again.',
    );
  }

  if (providers && !providers.includes(provider)) {
    stderr.write(`Unknown provider ${provider}.${didYouMean(provider, providers)}\n`);
  }
  const { where, because } = await keychain.store(provider, key);
  if (because !== undefined) stderr.write(`Could not use the system keychain: ${because}.\n`);
  stdout.write(`Stored the ${provider} key (${maskKey(key)}) in ${where}\n`);
}
