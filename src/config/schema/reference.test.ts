import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { environmentVariables } from '../environment.ts';
import { projectRules } from '../project-rules.ts';
import { configSchema } from './check-settings.ts';
import { configJsonSchema, isKnownKey, settingsReference } from './reference.ts';
import { keyAliases, themes } from './schema.ts';

test('every setting is in the reference, described, with its type and default', () => {
  const reference = settingsReference();
  expect(reference.filter(({ description }) => description === '').map(({ key }) => key)).toEqual([
    'models.*.price.input',
    'models.*.price.output',
    'models.*.price.cacheRead',
    'models.*.price.cacheWrite',
    'models.*.abilities.tools',
    'models.*.abilities.images',
    'models.*.abilities.thinking',
  ]);
  expect([...new Set(reference.map(({ key }) => key.split('.')[0]))]).toEqual(
    Object.keys(configSchema().shape),
  );
  expect(
    reference.filter(({ key }) => ['maxTurns', 'theme', 'permissions.deny', 'aliases'].includes(key)),
  ).toEqual([
    {
      key: 'aliases',
      type: 'table',
      default: '{}',
      description: 'Short names for models, each mapped to provider/model',
    },
    {
      key: 'maxTurns',
      type: 'whole number',
      default: '200',
      description: 'Maximum number of model replies per run',
    },
    {
      key: 'permissions.deny',
      type: 'list of strings',
      default: '[]',
      description: 'Tool calls to deny',
    },
    {
      key: 'theme',
      type: themes.join(' | '),
      default: '"auto"',
      description: 'Colour theme of the terminal interface',
    },
  ]);
});

test('every setting has a rule for projects, and every alias and variable belongs to a setting', () => {
  expect(Object.keys(projectRules).sort()).toEqual(Object.keys(configSchema().shape).sort());
  const leads = [...Object.values(keyAliases), ...environmentVariables].map(({ key }) => key);
  expect(leads.filter((key) => key !== null && !isKnownKey([key]))).toEqual([]);
});

test('the published schema accepts what we accept, and nothing is required', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(configJsonSchema());
  const judged = [
    {},
    {
      $schema: 'x',
      model: 'a/b',
      permissions: { deny: ['Bash'] },
      providers: { mine: { baseUrl: 'http://x' } },
    },
    { confirmBeforeWrite: false },
    { theme: 'pink' },
    { modle: 'x' },
    { providers: { mine: { url: 'x' } } },
  ].map((settings) => validate(settings));
  expect(judged).toEqual([true, true, true, false, false, false]);
});
