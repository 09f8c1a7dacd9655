import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { npmSettings } from './npm-settings.ts';

const user = '/home/u/ca.pem';

test.each<[string, Record<string, string>, object]>([
  ['', {}, {}],
  ['cafile=/etc/ca.pem\n', {}, { cafile: '/etc/ca.pem' }],
  [
    '  cafile = "/etc/my ca.pem"  \r\nregistry=https://r.test/\n',
    {},
    { cafile: '/etc/my ca.pem', registry: 'https://r.test/' },
  ],
  ['cafile=$' + '{CAS}/ca.pem', { CAS: '/opt' }, { cafile: '/opt/ca.pem' }],
  ['; cafile=/no\n# registry=x\n@scope:registry=https://other.test\n//r.test/:_authToken=secret\n', {}, {}],
  ['cafile=/etc/ca.pem', { npm_config_cafile: user }, { cafile: user }],
  ['cafile=/etc/ca.pem', { NPM_CONFIG_CAFILE: user }, { cafile: user }],
  ['registry=https://a.test', { npm_config_registry: 'https://b.test' }, { registry: 'https://b.test' }],
])('%j with %j', async (npmrc, env, expected) => {
  const { root } = await workspace({ '.npmrc': npmrc });
  expect(npmSettings({ HOME: root, ...env }, '/nowhere/bin/node')).toEqual(expected);
});

test("the user's file comes before the machine's, and either may be elsewhere", async () => {
  const { root } = await workspace({
    'etc/npmrc': 'cafile=/machine.pem\nregistry=https://machine.test\n',
    'mine/rc': 'cafile=/mine.pem\n',
  });
  const env = { HOME: path.join(root, 'none'), npm_config_userconfig: path.join(root, 'mine/rc') };
  expect(npmSettings(env, path.join(root, 'bin/node'))).toEqual({
    cafile: '/mine.pem',
    registry: 'https://machine.test',
  });
  const folder = { ...env, npm_config_userconfig: root, npm_config_globalconfig: root };
  expect(npmSettings(folder, path.join(root, 'bin/node'))).toEqual({});
});
