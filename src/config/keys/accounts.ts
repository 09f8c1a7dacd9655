import type { Config } from '../schema/schema.ts';

/** The key that has no name: from the environment, the settings or `aca keys set PROVIDER`. */
export const DEFAULT_ACCOUNT = 'default';

/** In `accounts`: the account of every provider that is not listed. */
const EVERY_PROVIDER = '*';

export const ACCOUNT_NAME = /^[\w.-]+$/;

/** How a key is stored: `anthropic` for the default account, `anthropic@work` for a named one. */
export function keyId(provider: string, account = DEFAULT_ACCOUNT): string {
  return account === DEFAULT_ACCOUNT ? provider : `${provider}@${account}`;
}

export function accountIn(id: string): { provider: string; account: string } {
  const [provider = id, account = DEFAULT_ACCOUNT] = id.split('@');
  return { provider, account };
}

/** The named account that the user chose for a provider; undefined for the default one. */
export function accountOf(provider: string, { accounts }: Pick<Config, 'accounts'>): string | undefined {
  const own = Object.hasOwn(accounts, provider) ? accounts[provider] : undefined;
  const name = own ?? accounts[EVERY_PROVIDER];
  return name === DEFAULT_ACCOUNT ? undefined : name;
}

/** As `--account` says: `work` for whatever provider is used, `anthropic=work` for one. */
export function withAccount(accounts: Config['accounts'], chosen: string): Config['accounts'] {
  const [provider = '', name] = chosen.split('=');
  return name === undefined ? { [EVERY_PROVIDER]: chosen } : { ...accounts, [provider]: name };
}
