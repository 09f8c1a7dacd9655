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
    'Keep API keys in the system keychain, or in a private file where there is none',
  );
  const keychain = context.keychain ?? createKeychain({ home: dataRoot(context.env), env: context.env });

  command
    .command('set')
    .description('Store the key of a vendor; it is asked for, or read from standard input')
    .argument('<provider>', 'such as anthropic')
    .action((provider: string) => setKey(provider, context, keychain));

  command
    .command('list')
    .description('Print which keys are stored, and where; only their last four characters')
    .action(async () => {
      const stored = await keychain.list();
      if (stored.length === 0)
        context.stderr.write('No key is stored. Store one with `keys set PROVIDER`.\n');
      else
        context.stdout.write(table(stored.map(({ provider, masked, where }) => [provider, masked, where])));
    });

  command
    .command('remove')
    .description('Forget the key of a vendor')
    .argument('<provider>', 'such as anthropic')
    .action(async (provider: string) => {
      if (!(await keychain.remove(provider))) {
        const names = (await keychain.list()).map((stored) => stored.provider);
        throw new UserError(
          `No key is stored for ${provider}.${didYouMean(provider, names)}`,
          'See what is stored with `keys list`.',
        );
      }
      context.stdout.write(`The key of ${provider} is removed.\n`);
    });

  return command;
}

async function setKey(provider: string, context: KeysContext, keychain: Keychain): Promise<void> {
  if (!/^[\w.-]+$/.test(provider)) {
    throw new UserError(
      `${provider} is not the name of a vendor.`,
      'Use a name such as anthropic or openai.',
    );
  }
  const { stdin, stdout, stderr, providers } = context;
  const key = (await readSecret({ stdin, stderr, prompt: `Key for ${provider}: ` })).trim();
  if (key === '')
    throw new UserError('No key was given; nothing is stored.', 'Paste the key, or pipe it in.');
  if (!/^[!-~]+$/.test(key)) {
    throw new UserError(
      'That is not a key: it has blanks, line breaks or letters no key has. Nothing is stored.',
      'Copy the key again, alone.',
    );
  }

  if (providers && !providers.includes(provider)) {
    stderr.write(`No vendor is known as ${provider}.${didYouMean(provider, providers)}\n`);
  }
  const { where, because } = await keychain.store(provider, key);
  if (because !== undefined) stderr.write(`The system keychain is not used: ${because}.\n`);
  stdout.write(`The key of ${provider} (${maskKey(key)}) is stored in ${where}\n`);
}
