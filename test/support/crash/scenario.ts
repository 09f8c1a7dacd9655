import { both, but, type CallWords, type Step, says, thinks } from '../model-server/script.ts';

/** The initial files of the folder. */
export const files: Record<string, string> = {
  'a.txt': 'alpha\nbeta\ngamma\n',
  'b.txt': 'bravo\n',
  'kept/c.txt': 'charlie\n',
};

export const prompts = ['Do the first half.', 'And now the second.'];

/** Each line of the counter is one execution of the command. */
export const counter = 'kept/counter.txt';

const command = (word: string) => `echo ${word} >> ${counter}`;
const count = (word: string): CallWords => ['Bash', { command: command(word) }];

/** Thoughts, text in small pieces, edits, parallel reads and countable commands; then the same again. */
export function script(): Step[] {
  return [
    thinks(
      'First the new file, then the old one.',
      both(
        'I make new.txt and change a.txt.',
        ['Write', { file_path: 'kept/new.txt', content: 'new\n' }],
        ['Edit', { file_path: 'a.txt', old_string: 'beta', new_string: 'BETA' }],
      ),
    ),
    both('Now I look.', ['Read', { file_path: 'a.txt' }], ['Read', { file_path: 'b.txt' }]),
    both('I count one.', count('one')),
    says('The first half is done.'),
    thinks(
      'Now the second.',
      both('I count two.', count('two'), ['Write', { file_path: 'b.txt', content: 'B\n' }]),
    ),
    says('The second half is done.'),
  ].map((reply) => but(reply, { pieceLength: 6 }));
}

/** All text of the program, in order. */
export const sentences = [
  'I make new.txt and change a.txt.',
  'Now I look.',
  'I count one.',
  'The first half is done.',
  'I count two.',
  'The second half is done.',
];

export const permissions = [
  ...['--mode', 'accept-edits'],
  ...['one', 'two'].flatMap((word) => ['--allow', `Bash(${command(word)})`]),
];
