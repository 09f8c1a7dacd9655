import { setValue } from '../../config/edit.ts';
import { accountIn, accountOf, DEFAULT_ACCOUNT } from '../../config/keys/accounts.ts';
import { createKeychain } from '../../config/keys/keychain.ts';
import { userConfigFile } from '../../config/load.ts';
import { UserError } from '../../contract/errors.ts';
import { didYouMean } from '../../lib/text/nearest.ts';
import { findPreset } from '../../providers/presets.ts';
import type { Host } from '../host.ts';
import { keyOf } from '../opening/find-model.ts';
import type { Settings } from '../settings.ts';

/** `where`: the place of its key; never the key. */
type AccountRow = { name: string; where: string; current: boolean };

/** The accounts of the current model's provider. */
export type AccountList = {
  provider(): string;
  list(): Promise<AccountRow[]>;
  /** Continues with this account, and remembers it. Throws a `UserError` if there is none of that name. */
  use(name: string): Promise<void>;
};

export type AccountListOptions = {
  host: Host;
  settings(): Settings;
  /** `provider/model` of the current model. */
  model(): string;
  /** Continues the conversation with another account, given as `provider=name`. */
  switchAccount(account: string): void;
};

export function createAccountList({ host, settings, model, switchAccount }: AccountListOptions): AccountList {
  const provider = () => model().split('/')[0] ?? '';

  async function list(): Promise<AccountRow[]> {
    const { config, root } = settings();
    const { env } = host;
    const preset = findPreset(provider());
    const place = { config: { ...config, accounts: {} }, root, env };
    const usual = await keyOf(preset ?? { name: provider(), keyEnv: [] }, place);
    // Without a key, a cloud's own library finds credentials.
    const where = usual?.source ?? (preset?.cloud && `your login for ${preset.label}`);
    const stored = (await createKeychain({ home: root, env }).list())
      .map(({ provider: id, masked, where: file }) => ({ ...accountIn(id), where: `${masked}  ${file}` }))
      .filter((row) => row.provider === provider() && row.account !== DEFAULT_ACCOUNT);
    const current = accountOf(provider(), config) ?? DEFAULT_ACCOUNT;
    return [
      ...(where ? [{ name: DEFAULT_ACCOUNT, where }] : []),
      ...stored.map((row) => ({ name: row.account, where: row.where })),
    ].map((row) => ({ ...row, current: row.name === current }));
  }

  return {
    provider,
    list,
    async use(name) {
      const names = (await list()).map((row) => row.name);
      if (!names.includes(name)) {
        throw new UserError(
          `There is no account "${name}" for ${provider()}.${didYouMean(name, names)}`,
          `Store its key with \`aca keys set ${provider()} --name ${name}\`.`,
        );
      }
      const remembered = name === DEFAULT_ACCOUNT ? undefined : name;
      await setValue(userConfigFile(settings().root), ['accounts', provider()], remembered);
      switchAccount(`${provider()}=${name}`);
    },
  };
}
