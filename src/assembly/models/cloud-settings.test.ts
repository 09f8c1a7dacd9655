import { describe, expect, test } from 'vitest';
import { settled } from '../../config/schema/check-settings.ts';
import type { Config } from '../../config/schema/schema.ts';
import { findPreset, type Preset } from '../../providers/presets.ts';
import { chooseModel } from './choose-model.ts';
import { claudeCodeCloud, cloudModel, cloudSettings } from './cloud-settings.ts';

const preset = (name: string) => findPreset(name) as Preset;
const config = (providers: Config['providers'] = {}) => ({ providers });

describe('[V05] the settings of a cloud', () => {
  test.each([
    ['bedrock', { AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'x' }, { region: 'eu-west-1' }],
    ['bedrock', { AWS_PROFILE: ' work ', AWS_DEFAULT_REGION: 'x' }, { region: 'x', profile: 'work' }],
    ['bedrock', { CLAUDE_CODE_SKIP_BEDROCK_AUTH: '1' }, { unsigned: true }],
    [
      'vertex',
      { CLOUD_ML_REGION: 'us-east5', ANTHROPIC_VERTEX_PROJECT_ID: 'p' },
      { region: 'us-east5', project: 'p' },
    ],
    [
      'vertex',
      { GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_CLOUD_LOCATION: 'global' },
      { region: 'global', project: 'p' },
    ],
    ['vertex', { CLAUDE_CODE_SKIP_VERTEX_AUTH: '0' }, {}],
    ['azure', { OPENAI_API_VERSION: '2024-10-21', AWS_REGION: 'x' }, { apiVersion: '2024-10-21' }],
    ['anthropic', { AWS_REGION: 'x' }, {}],
  ])('%s with %j', (name, env, expected) => {
    expect(cloudSettings(preset(name), { config: config(), env })).toEqual(expected);
  });

  test('come from the config file before the environment', () => {
    const env = { AWS_REGION: 'a', AWS_PROFILE: 'b' };
    const own = config({ bedrock: { region: 'c' } });
    expect(cloudSettings(preset('bedrock'), { config: own, env })).toEqual({ region: 'c', profile: 'b' });
  });
});

describe("[V05] Claude Code's variables", () => {
  test.each([
    [{}, null],
    [{ CLAUDE_CODE_USE_BEDROCK: '0' }, null],
    [{ CLAUDE_CODE_USE_BEDROCK: '1' }, { provider: 'bedrock', model: 'global.anthropic.claude-sonnet-5-5' }],
    [{ CLAUDE_CODE_USE_VERTEX: 'true' }, { provider: 'vertex', model: 'claude-sonnet-5-5' }],
    [
      { CLAUDE_CODE_USE_BEDROCK: '1', ANTHROPIC_MODEL: 'us.anthropic.claude-opus-4-8[1m]' },
      { provider: 'bedrock', model: 'us.anthropic.claude-opus-4-8' },
    ],
    [
      { CLAUDE_CODE_USE_VERTEX: '1', ANTHROPIC_MODEL: 'claude-opus-4-8' },
      { provider: 'vertex', model: 'claude-opus-4-8' },
    ],
  ])('%j', (env, expected) => {
    expect(claudeCodeCloud(env)).toEqual(expected);
  });
});

test.each([
  ['bedrock', 'claude-sonnet-5-5', 'global.anthropic.claude-sonnet-5-5'],
  ['bedrock', 'claude-sonnet-4-5-20250929', 'global.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['bedrock', 'gpt-5', null],
  ['vertex', 'claude-sonnet-4-5-20250929', 'claude-sonnet-4-5@20250929'],
  ['vertex', 'gemini-2.5-pro', 'gemini-2.5-pro'],
  ['vertex', 'gpt-5', null],
  ['anthropic', 'claude-sonnet-5-5', null],
])('at %s, %s is called %s', (provider, id, name) => {
  expect(cloudModel(provider, id)).toBe(name);
});

describe('[V05] the model of a user of a cloud', () => {
  const bedrock = { CLAUDE_CODE_USE_BEDROCK: '1' };
  test.each<[Partial<Config>, Record<string, string>, string]>([
    [{}, bedrock, 'bedrock/global.anthropic.claude-sonnet-5-5'],
    [
      {},
      { ...bedrock, ANTHROPIC_MODEL: 'eu.anthropic.claude-opus-4-8' },
      'bedrock/eu.anthropic.claude-opus-4-8',
    ],
    [{ model: 'eu.anthropic.claude-opus-4-8' }, bedrock, 'bedrock/eu.anthropic.claude-opus-4-8'],
    [{ model: 'opus' }, bedrock, 'bedrock/global.anthropic.claude-opus-5-5'],
    [{ model: 'opus' }, { CLAUDE_CODE_USE_VERTEX: '1' }, 'vertex/claude-opus-5-5'],
    [{ model: 'opus', provider: 'vertex' }, {}, 'vertex/claude-opus-5-5'],
    [{ provider: 'vertex' }, bedrock, 'vertex/gemini-4-argon'],
    [{ model: 'vertex/meta/llama-4' }, bedrock, 'vertex/meta/llama-4'],
    [
      { model: 'bedrock/arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc' },
      {},
      'bedrock/arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc',
    ],
    [{ model: 'azure/my-gpt' }, {}, 'azure/my-gpt'],
  ])('%j with %j is %s', async (settings, env, expected) => {
    const choice = await chooseModel({
      config: { ...settled({}), ...settings },
      env,
      findKey: async () => null,
    });
    expect(`${choice?.preset.name}/${choice?.model}`).toBe(expected);
  });

  test('is asked for if deployments have no usual name', async () => {
    const config = { ...settled({}), provider: 'azure' };
    await expect(chooseModel({ config, env: {}, findKey: async () => null })).rejects.toMatchObject({
      hint: 'Name one of your deployments: --model azure/DEPLOYMENT.',
    });
  });

  test('has its account, or none', async () => {
    const config = { ...settled({}), model: 'bedrock/x', accounts: { bedrock: 'work' } };
    await expect(chooseModel({ config, env: {}, findKey: async () => null })).rejects.toThrow(
      'There is no account "work" for bedrock.',
    );
  });
});
