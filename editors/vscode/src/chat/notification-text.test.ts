import { expect, test } from 'vitest';
import { notificationText } from './notification-text.ts';

test('a notification has no links that a model wrote', () => {
  expect(notificationText('Run [yes](command:workbench.action.quit)')).toBe(
    'Run [yes] (command:workbench.action.quit)',
  );
});

test('it is one line of some length', () => {
  expect(notificationText('Run\n  npm test\r\n')).toBe('Run npm test');
  expect(notificationText('x'.repeat(500))).toHaveLength(200);
});
