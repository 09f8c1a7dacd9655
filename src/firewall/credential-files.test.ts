import { describe, expect, test } from 'vitest';
import { seededBytes } from '../../test/support/seeded-bytes.ts';
import { createFirewall } from './firewall.ts';

const bytes = seededBytes('credential files');

const wall = () => createFirewall({ secrets: [], key: () => 'k' });

describe('credential files of clouds and build tools', () => {
  const secret = () => bytes(24).toString('base64url').replaceAll(/[_-]/g, 'z');
  const [one, two, three] = [secret(), secret(), secret()];
  test.each<[file: string, text: string, hidden: string[], shown: string[]]>([
    [
      'OAuth client',
      JSON.stringify({
        installed: {
          client_id: 'x.apps.googleusercontent.com',
          client_secret: one,
          token_uri: 'https://oauth2.googleapis.com/token',
        },
      }),
      [one],
      ['x.apps.googleusercontent.com', 'https://oauth2.googleapis.com/token'],
    ],
    [
      'authorized user',
      JSON.stringify({
        account: '',
        client_id: 'x',
        client_secret: one,
        refresh_token: two,
        type: 'authorized_user',
      }),
      [one, two],
      ['authorized_user'],
    ],
    [
      'Azure service principal',
      JSON.stringify({
        clientId: crypto.randomUUID(),
        clientSecret: one,
        subscriptionId: 's',
        activeDirectoryEndpointUrl: 'https://login.microsoftonline.com',
      }),
      [one],
      ['https://login.microsoftonline.com'],
    ],
    [
      'AWS session',
      JSON.stringify(
        { Credentials: { SecretAccessKey: one, SessionToken: two, Expiration: '2026-01-01T00:00:00Z' } },
        null,
        4,
      ),
      [one, two],
      ['2026-01-01T00:00:00Z'],
    ],
    [
      'docker',
      JSON.stringify({
        auths: { 'https://index.docker.io/v1/': { auth: Buffer.from('me:letmein99').toString('base64') } },
      }),
      [Buffer.from('me:letmein99').toString('base64')],
      ['index.docker.io'],
    ],
    ['npm', `//registry.npmjs.org/:_authToken=${one}\nsave-exact=true\n`, [one], ['save-exact=true']],
    ['kubeconfig', `users:\n- name: me\n  user:\n    token: ${one}\n`, [one], ['name: me']],
    [
      'Kubernetes secret',
      `apiVersion: v1\ndata:\n  username: ${one}\n  tls.crt: ${two}\nkind: Secret\nmetadata:\n  name: shown\n`,
      [one, two],
      ['name: shown'],
    ],
    [
      'Kubernetes secret in JSON',
      JSON.stringify(
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'shown' }, stringData: { anything: one } },
        null,
        2,
      ),
      [one],
      ['shown'],
    ],
    [
      'Terraform state',
      JSON.stringify({
        resources: [{ instances: [{ attributes: { username: 'app', password: one, secret_string: two } }] }],
      }),
      [one, two],
      ['app'],
    ],
    ['netrc', `machine example.org\n  login me\n  password ${one}\n`, [one], ['machine example.org']],
    ['GitHub Actions', `env:\n  API_TOKEN: ${one}\n  NODE_ENV: production\n`, [one], ['production']],
    [
      'Firebase',
      JSON.stringify({ FIREBASE_TOKEN: `1//0${one}${two}`, databaseURL: 'https://x.firebaseio.com' }),
      [one],
      ['https://x.firebaseio.com'],
    ],
    [
      'storage connection',
      `DefaultEndpointsProtocol=https;AccountName=shown;AccountKey=${one}${two}==;EndpointSuffix=core.windows.net`,
      [one, two],
      ['AccountName=shown', 'core.windows.net'],
    ],
    [
      'Maven',
      `<server><id>shown</id><username>me</username><password>${one}</password></server>`,
      [one],
      ['<id>shown</id>'],
    ],
    ['NuGet', `<add key="ClearTextPassword" value="${one}" />`, [one], ['ClearTextPassword']],
    ['pip', `[global]\nindex-url = https://me:${one}@pypi.example.org/simple\n`, [one], ['pypi.example.org']],
    ['Redis', `redis://:${one}@cache:6379/0`, [one], ['cache:6379/0']],
    ['MongoDB', `mongodb+srv://app:${one}@cluster0.example.net/db`, [one], ['cluster0.example.net']],
    ['JDBC', `jdbc:postgresql://db/app?user=me&password=${one}&ssl=true`, [one], ['ssl=true']],
    ['Rails', `production:\n  secret_key_base: ${one}${two}\n`, [one], ['production:']],
    ['Django', `SECRET_KEY = 'django-insecure-${one}'\n`, [one], ['SECRET_KEY']],
    ['Laravel', `APP_KEY=base64:${one}${two}=\n`, [one], ['APP_KEY']],
    [
      'WordPress',
      `define('DB_PASSWORD', '${one}');\ndefine('AUTH_KEY', '${three}');`,
      [one, three],
      ['DB_PASSWORD'],
    ],
    [
      'Ansible',
      `ansible_ssh_pass: ${one}\nansible_become_password: ${two}\n`,
      [one, two],
      ['ansible_ssh_pass'],
    ],
    [
      'docker compose',
      `environment:\n  - POSTGRES_PASSWORD=${one}\n  - POSTGRES_USER=app\n`,
      [one],
      ['POSTGRES_USER=app'],
    ],
    ['Dockerfile', `ENV API_TOKEN=${one}\nARG NPM_TOKEN=${two}\n`, [one, two], ['ENV API_TOKEN']],
    ['systemd', `Environment="API_TOKEN=${one}"\n`, [one], ['Environment']],
    [
      'curl',
      `curl -H 'X-Api-Key: ${one}' -u me:${two} https://example.org`,
      [one, two],
      ['https://example.org'],
    ],
    ['printenv', `HOME=/root\nDEPLOY_TOKEN=${one}\nPATH=/usr/bin\n`, [one], ['PATH=/usr/bin']],
  ])('%s', (_file, text, hidden, shown) => {
    const firewall = wall();
    const sent = firewall.hide(text);
    expect(hidden.filter((value) => sent.includes(value))).toEqual([]);
    expect(shown.filter((value) => !sent.includes(value))).toEqual([]);
    expect(firewall.restore(sent)).toBe(text);
  });
});
