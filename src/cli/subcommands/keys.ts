import { Command } from 'commander';
import { ACCOUNT_NAME, accountIn, DEFAULT_ACCOUNT, keyId } from '../../config/keys/accounts.ts';
import { createKeychain, type Keychain } from '../../config/keys/keychain.ts';
import { maskKey } from '../../config/mask.ts';
import { UserError } from '../../contract/errors.ts';
import { dataRoot } from '../../lib/files/data-root.ts';
import { didYouMean } from '../../lib/text/nearest.ts';
import { type SubcommandContext, table, withContext } from './context.ts';
import { readSecret } from './read-secret.ts';

export type KeysContext = SubcommandContext & {
  /** Known names: a key for another one would never be used. */
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
    .option(NAME_FLAG, 'store it as a named account, beside the others of this provider')
    .action((provider: string, named: Named) => setKey({ provider, ...named }, context, keychain));

  command
    .command('list')
    .description('List stored keys and their location; shows only the last four characters')
    .option(NAME_FLAG, 'only those of this named account')
    .action(async ({ name }: Named) => {
      const stored = (await keychain.list())
        .map(({ provider: id, ...row }) => ({ ...row, ...accountIn(id) }))
        .filter(({ account }) => name === undefined || account === name);
      if (stored.length === 0)
        context.stderr.write('No keys stored. Add one with `aca keys set PROVIDER`.\n');
      const hasNames = stored.some(({ account }) => account !== DEFAULT_ACCOUNT);
      const rows = stored.map(({ provider, account, masked, where }) => [
        provider,
        ...(hasNames ? [account] : []),
        masked,
        where,
      ]);
      if (rows.length > 0) context.stdout.write(table(rows));
    });

  command
    .command('remove')
    .alias('delete')
    .description('Delete the stored key of a provider')
    .argument('<provider>', 'such as anthropic')
    .option(NAME_FLAG, 'that of a named account')
    .action(async (provider: string, { name }: Named) => {
      if (!(await keychain.remove(keyId(provider, name)))) {
        const names = (await keychain.list()).map((stored) => accountIn(stored.provider).provider);
        throw new UserError(
          `No key is stored for ${withName(provider, name)}.${names.includes(provider) ? '' : didYouMean(provider, names)}`,
          'Run `aca keys list` to see stored keys.',
        );
      }
      context.stdout.write(`Removed the ${withName(provider, name)} key.\n`);
    });

  return command;
}

type Named = { name?: string };

const NAME_FLAG = '--name <account>';

function withName(provider: string, name: string | undefined): string {
  return name === undefined ? provider : `${provider} (${name})`;
}

async function setKey(
  { provider, name }: Named & { provider: string },
  context: KeysContext,
  keychain: Keychain,
): Promise<void> {
  if (name !== undefined && !ACCOUNT_NAME.test(name)) {
    throw new UserError(`${name} is not a valid account name.`, 'Use letters, digits, dots and dashes.');
  }
  if (!/^[\w.-]+$/.test(provider)) {
    throw new UserError(
      `${provider} is not a valid provider name.`,
      'Use a name such as anthropic or openai.',
    );
  }
  const { stdin, stdout, stderr, providers } = context;
  if (providers && !providers.includes(provider)) {
    throw new UserError(
      `Unknown provider ${provider}.${didYouMean(provider, providers)}`,
      'Nothing was stored. For a provider of your own, add it to `providers` in your settings first.',
    );
  }
  const key = (await readSecret({ stdin, stderr, prompt: `Key for ${withName(provider, name)}: ` })).trim();
  if (key === '') throw new UserError('No key entered; nothing was stored.', 'Paste the key or pipe it in.');
  if (!/^[!-~]+$/.test(key)) {
    throw new UserError(
      'That does not look like a key: it contains spaces, line breaks or unexpected characters. Nothing was stored.',
      'Copy only the key and try again.',
    );
  }
  const { where, because } = await keychain.store(keyId(provider, name), key);
  if (because !== undefined) stderr.write(`Could not use the system keychain: ${because}.\n`);
  stdout.write(`Stored the ${withName(provider, name)} key (${maskKey(key)}) in ${where}\n`);
  if (name !== undefined && name !== DEFAULT_ACCOUNT)
    stderr.write(`Use it with --account ${name}, or /account ${name} in a conversation.\n`);
}
