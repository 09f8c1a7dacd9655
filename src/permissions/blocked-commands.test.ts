import { beforeAll, describe, expect, test } from 'vitest';
import { isBlocked } from './blocked-commands.ts';
import { loadGrammar } from './shell/grammar.ts';

beforeAll(loadGrammar);

describe('[P09][Y07] a blocked command', () => {
  const table: [entry: string, line: string, blocked: boolean][] = [
    ['terraform', 'terraform apply', true],
    ['terraform', 'cd x && /opt/terraform plan', true],
    ['terraform', 'cat terraform.md', false],
    ['terraform', 'echo "terraform"', false],
    ['chmod 777', 'chmod 777 x', true],
    ['chmod 777', 'chmod 755 x', false],
    ['git push', 'env git push -f', true],
    ['git push', 'git pull', false],
    ['cat | mail', 'cat a | sort | mail b', true],
    ['cat | mail', 'mail b | cat a', false],
    ['cat | mail', 'cat a; mail b', false],
    ['a; b', 'a; b', true],
    ['', 'ls', false],
  ];
  test.each(table)('%j and %j: %s', (entry, line, blocked) => expect(isBlocked(entry, line)).toBe(blocked));
});
