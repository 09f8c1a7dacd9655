import { describe, expect, test } from 'vitest';
import { keysOf, pasteOf } from '../../../../test/support/editor-keys.ts';
import { createKeymap, type KeySettings } from '../keyboard/keymap.ts';
import type { Key } from '../view/types.ts';
import type { Offer } from './completion.ts';
import { type Editor, type Effect, emptyEditor, press, type Surroundings } from './editor.ts';
import { unfold } from './folds.ts';

type Setting = Partial<Surroundings> & { keys?: KeySettings; mode?: 'emacs' | 'vim'; apartMs?: number };

function play(
  keys: readonly Key[],
  { keys: settings, mode = 'emacs', apartMs = 1_000, ...others }: Setting = {},
) {
  const around: Surroundings = {
    keymap: createKeymap(settings).keymap,
    width: 20,
    history: [],
    offers: [],
    queued: 0,
    now: 0,
    ...others,
  };
  let editor: Editor = emptyEditor(mode);
  const effects: Effect[] = [];
  for (const [i, key] of keys.entries()) {
    const step = press(editor, key, { ...around, now: i * apartMs });
    editor = step.editor;
    if (step.effect) effects.push(step.effect);
  }
  const { text, at, folds } = editor.buffer;
  return { shown: `${text.slice(0, at)}|${text.slice(at)}`, whole: unfold(text, folds), effects, editor };
}

describe('C02: keys edit as in readline', () => {
  test.each<[what: string, strokes: string[], shown: string]>([
    ['typing', ['hello'], 'hello|'],
    ['Ctrl+A, Ctrl+E', ['ab', '<ctrl+a>', 'x', '<ctrl+e>', 'y'], 'xaby|'],
    ['Ctrl+B, Ctrl+F', ['abc', '<ctrl+b>', '<ctrl+b>', '<ctrl+f>'], 'ab|c'],
    ['words', ['one two-three', '<alt+b>', '<alt+b>'], 'one |two-three'],
    ['words the other way', ['one two', '<ctrl+a>', '<alt+f>'], 'one| two'],
    ['Ctrl+W takes all up to the blank', ['one two-three', '<ctrl+w>'], 'one |'],
    ['Alt+Backspace takes a word', ['one two-three', '<alt+backspace>'], 'one two-|'],
    ['Alt+D', ['one two', '<ctrl+a>', '<alt+d>'], '| two'],
    ['Ctrl+K and Ctrl+Y', ['one two', '<alt+b>', '<ctrl+k>', '<ctrl+a>', '<ctrl+y>'], 'two|one '],
    ['cuts in a row come back as one', ['a b c', '<ctrl+w>', '<ctrl+w>', '<ctrl+y>'], 'a b c|'],
    ['Alt+Y goes back in what was cut', ['a', '<ctrl+u>', 'b', '<ctrl+u>', '<ctrl+y>', '<alt+y>'], 'a|'],
    ['Ctrl+U stops at the line', ['a', '<ctrl+j>', 'bc', '<ctrl+u>'], 'a\n|'],
    ['Ctrl+U at the start of a line joins', ['a', '<ctrl+j>', '<ctrl+u>'], 'a|'],
    ['Ctrl+T', ['ab', '<ctrl+t>'], 'ba|'],
    ['Alt+U, Alt+L, Alt+C', ['ab cd EF', '<ctrl+a>', '<alt+u>', '<alt+c>', '<alt+l>'], 'AB Cd ef|'],
    ['Ctrl+D deletes', ['ab', '<ctrl+a>', '<ctrl+d>'], '|b'],
    ['undo goes by words', ['one two', '<ctrl+_>'], 'one|'],
    ['undo and redo', ['one', '<ctrl+w>', '<ctrl+_>', '<ctrl+_>', '<alt+_>'], 'one|'],
    ['a family is one character', ['a👨‍👩‍👧', '<backspace>'], 'a|'],
    ['a letter and its mark are one character', ['xe\u0301', '<left>', '<delete>'], 'x|'],
    ['new lines by Shift, Alt and Ctrl', ['<shift+return>', '<alt+return>', '<ctrl+return>'], '\n\n\n|'],
    ['a new line by a backslash', ['a\\', '<return>', 'b'], 'a\nb|'],
    ['up and down by rows', ['abc', '<ctrl+j>', 'd', '<up>'], 'a|bc\nd'],
    [
      'the column is kept over a short row',
      ['abc', '<ctrl+j>', '<ctrl+j>', 'def', '<up>', '<up>'],
      'abc|\n\ndef',
    ],
    ['Ctrl+C clears, and it can be yanked', ['abc', '<ctrl+c>', '<ctrl+y>'], 'abc|'],
    ['a question mark in a text is one', ['a?'], 'a?|'],
  ])('%s', (_, strokes, shown) => {
    expect(play(keysOf(...strokes)).shown).toBe(shown);
  });

  test('two quick keys are a sequence', () => {
    const { effects } = play(keysOf('a', '<ctrl+x>', '<ctrl+e>'), { apartMs: 10 });
    expect(effects).toEqual([{ type: 'edit-externally', text: 'a' }]);
  });

  test('columns of wide characters are counted in cells', () => {
    expect(play(keysOf('漢字', '<ctrl+j>', 'ab', '<up>')).shown).toBe('漢|字\nab');
  });

  test('up moves within a wrapped line', () => {
    expect(play(keysOf('aaaa bbbb cccc', '<up>'), { width: 10 }).shown).toBe('aaaa| bbbb cccc');
  });
});

describe('effects of the editor', () => {
  const screen = (action: string) => ({ type: 'screen', action });

  test('Enter sends and leaves an empty prompt', () => {
    const { shown, effects } = play(keysOf('hi', '<return>'));
    expect({ shown, effects }).toEqual({
      shown: '|',
      effects: [{ type: 'submit', submitted: { text: 'hi', images: [] } }],
    });
  });

  test('a blank prompt is not sent: it sends again what failed', () => {
    expect(play(keysOf(' ', '<return>')).effects).toEqual([{ type: 'retry' }]);
  });

  test('screen keys', () => {
    const strokes = [
      '?',
      '<shift+tab>',
      '<escape>',
      '<ctrl+c>',
      '<ctrl+d>',
      '<ctrl+z>',
      '<ctrl+o>',
      '<ctrl+l>',
    ];
    expect(play(keysOf(...strokes)).effects).toEqual(
      ['help-keys', 'cycle-mode', 'interrupt', 'cancel', 'quit', 'suspend', 'transcript', 'redraw'].map(
        screen,
      ),
    );
  });

  test('Escape twice rewinds, but only on an empty prompt', () => {
    const twice = keysOf('<escape>', '<escape>');
    expect(play(twice, { apartMs: 100 }).effects).toEqual([screen('interrupt'), screen('rewind')]);
    expect(play(twice, { apartMs: 1_000 }).effects).toEqual([screen('interrupt'), screen('interrupt')]);
    expect(play([...keysOf('x'), ...twice], { apartMs: 100 }).effects).toEqual([screen('interrupt')]);
  });

  test('Up recalls queued prompts before sent ones', () => {
    const up = keysOf('<up>');
    expect(play(up, { queued: 1, history: ['a'] }).effects).toEqual([screen('recall-queued')]);
    expect(play(up, { history: ['a'] }).shown).toBe('a|');
  });
});

describe('C02: earlier prompts', () => {
  const history = ['first', 'two\nlines', 'last'];

  test.each<[what: string, strokes: string[], shown: string]>([
    ['Up', ['<up>'], 'last|'],
    ['Up leads on over several lines', ['<up>', '<up>', '<up>'], 'first|'],
    ['Up stays at the oldest', ['<up>', '<up>', '<up>', '<up>'], 'first|'],
    ['Down leads back to what was typed', ['draft', '<up>', '<up>', '<down>', '<down>', '<down>'], 'draft|'],
    ['Ctrl+R finds', ['<ctrl+r>', 'IR', '<return>'], 'first|'],
    ['Ctrl+R again, an older one', ['<ctrl+r>', 's', '<ctrl+r>', '<return>'], 'two\nlines|'],
    ['and back', ['<ctrl+r>', 's', '<ctrl+r>', '<ctrl+s>', '<return>'], 'last|'],
    ['Escape leaves what was typed', ['draft', '<ctrl+r>', 'ir', '<escape>'], 'draft|'],
    ['no match leaves what was typed', ['draft', '<ctrl+r>', 'zz', '<return>'], 'draft|'],
    ['a shorter query', ['<ctrl+r>', 'lasx', '<backspace>', '<return>'], 'last|'],
    ['another key takes the match and counts', ['<ctrl+r>', 'las', '<ctrl+w>'], '|'],
  ])('%s', (_, strokes, shown) => {
    expect(play(keysOf(...strokes), { history }).shown).toBe(shown);
  });
});

describe('pastes', () => {
  test('a small one is inserted as it is', () => {
    expect(play([pasteOf('a\r\nb\tc')]).shown).toBe('a\nb\tc|');
  });

  test('a large one is one placeholder until it is sent', () => {
    const text = Array.from({ length: 120 }, (_, i) => `line ${i}`).join('\n');
    const { effects, editor } = play([...keysOf('see '), pasteOf(text), ...keysOf('!', '<return>')]);
    expect(effects).toEqual([{ type: 'submit', submitted: { text: `see ${text}!`, images: [] } }]);
    expect(editor.buffer.text).toBe('');
  });

  test('Backspace deletes a folded paste as a whole, undo restores it', () => {
    const text = 'x'.repeat(5_000);
    expect(play([pasteOf(text), ...keysOf('<backspace>')]).whole).toBe('');
    expect(play([pasteOf(text), ...keysOf('<backspace>', '<ctrl+_>')]).whole).toBe(text);
  });

  test('text that contains the placeholder of another paste is not taken for it', () => {
    const text = 'y'.repeat(2_000);
    expect(play([pasteOf(text), pasteOf('\u{100000}')]).whole).toBe(`${text}\u{100000}`);
  });

  test('the path of an image is to be attached, and is shown meanwhile', () => {
    const { shown, effects } = play([pasteOf("'/tmp/a b.png'")]);
    expect({ shown, effects }).toEqual({
      shown: "'/tmp/a b.png'|",
      effects: [{ type: 'attach', path: '/tmp/a b.png', text: "'/tmp/a b.png'" }],
    });
  });
});

describe('completions', () => {
  const offer = (type: Offer['type'], value: string): Offer => ({
    type,
    value,
    label: value,
    detail: '',
    marks: [],
  });
  const commands = [offer('command', 'mode'), offer('command', 'memory')];
  const files = [offer('file', 'src/'), offer('file', 'a b.ts'), offer('file', 'x.ts')];

  test.each<[what: string, strokes: string[], offers: Offer[], shown: string]>([
    ['Tab takes a command', ['/m', '<tab>'], commands, '/mode |'],
    ['Down and Tab take the second', ['/m', '<down>', '<tab>'], commands, '/memory |'],
    ['Up goes round', ['/m', '<up>', '<tab>'], commands, '/memory |'],
    ['a folder is left open', ['see @s', '<tab>'], files, 'see @src/|'],
    ['a name with a blank is quoted', ['@a', '<down>', '<tab>'], files, '@"a b.ts" |'],
    ['Enter takes a file', ['@x', '<up>', '<return>'], files, '@x.ts |'],
  ])('%s', (_, strokes, offers, shown) => {
    const { shown: got, effects } = play(keysOf(...strokes), { offers });
    expect(effects.filter(({ type }) => type === 'submit')).toEqual([]);
    expect(got).toBe(shown);
  });

  test('Enter sends a command immediately, even one that is not fully typed', () => {
    expect(play(keysOf('/m', '<return>'), { offers: commands }).effects).toEqual([
      { type: 'submit', submitted: { text: '/mode', images: [] } },
    ]);
  });

  test('Escape closes the list, and interrupts nothing', () => {
    expect(play(keysOf('/m', '<escape>', '<return>'), { offers: commands }).effects).toEqual([
      { type: 'submit', submitted: { text: '/m', images: [] } },
    ]);
  });

  test('a closed list reopens with the next letter', () => {
    expect(play(keysOf('/', '<escape>', 'm', '<tab>'), { offers: commands }).shown).toBe('/mode |');
  });
});

describe('custom keys', () => {
  test('a key loses its previous action', () => {
    const keys = { submit: 'ctrl+enter', newline: ['Enter'] };
    const { shown, effects } = play(keysOf('a', '<return>', 'b', '<ctrl+return>'), { keys });
    expect({ shown, effects }).toEqual({
      shown: '|',
      effects: [{ type: 'submit', submitted: { text: 'a\nb', images: [] } }],
    });
  });

  test('an empty list removes all keys from an action', () => {
    expect(play(keysOf('ab', '<ctrl+w>'), { keys: { 'kill-big-word-left': [] } }).shown).toBe('ab|');
  });

  test('invalid bindings are reported', () => {
    expect(createKeymap({ submitt: 'enter', undo: 'hyper+z' }).problems).toEqual([
      'keys: unknown action "submitt". Did you mean submit?',
      'keys.undo: "hyper+z" is not a key. Use names like ctrl+k, alt+enter or f5.',
    ]);
  });
});

describe('vim mode', () => {
  test.each<[what: string, strokes: string[], shown: string]>([
    ['begins with insert', ['dd'], 'dd|'],
    ['Escape steps onto the last character', ['abc', '<escape>'], 'ab|c'],
    ['h, l, 0, $', ['abc', '<escape>', '0', 'l', 'x', '$', 'x'], '|a'],
    ['w, b, e', ['one two six', '<escape>', '0', 'w', 'e', 'b'], 'one |two six'],
    ['counts', ['one two six', '<escape>', '0', '2w', 'i', '!'], 'one two !|six'],
    ['dw', ['one two', '<escape>', '0', 'dw'], '|two'],
    ['cw leaves the blank', ['one two', '<escape>', '0', 'cw', 'x'], 'x| two'],
    ['dd', ['a', '<ctrl+j>', 'b', '<ctrl+j>', 'c', '<escape>', 'kdd'], 'a\n|c'],
    ['dd and p', ['a', '<ctrl+j>', 'b', '<escape>', 'kddp'], 'b\n|a'],
    ['yyP', ['ab', '<escape>', 'yyP'], '|ab\nab'],
    ['f, ; and t', ['a.b.c', '<escape>', '0f.;', 'i', '!'], 'a.b!|.c'],
    ['dt', ['one,two', '<escape>', '0dt,'], '|,two'],
    ['ciw', ['one two', '<escape>', 'ciw', 'x'], 'one x|'],
    ['di"', ['say "hi there"', '<escape>', 'hhdi"'], 'say "|"'],
    ['D, A, I', ['one two', '<escape>', 'bD', 'A', '!', '<escape>', 'I', '?'], '?|one !'],
    ['o and O', ['b', '<escape>', 'o', 'c', '<escape>', 'ggO', 'a'], 'a|\nb\nc'],
    ['r and ~', ['abc', '<escape>', '0rx', 'l~'], 'xB|c'],
    ['u and Ctrl+R', ['ab', '<escape>', 'xu', '<ctrl+r>'], '|a'],
    ['gg and G', ['a', '<ctrl+j>', 'b', '<escape>', 'ggx', 'Gx'], '\n|'],
    ['J', ['a', '<ctrl+j>', 'b', '<escape>', 'kJ'], 'a| b'],
    ['v takes both ends along', ['one two', '<escape>', '0veld'], '|two'],
    ['v and c', ['one two', '<escape>', '0vec', 'x'], 'x| two'],
    ['v backwards, y and p', ['ab', '<escape>', 'vhyp'], 'aa|bb'],
    ['viw and text objects of pairs', ['say "hi all"', '<escape>', 'bvi"d'], 'say "|"'],
    ['v, o and more', ['one two six', '<escape>', '0wveobd'], '| six'],
    ['v, f and ;', ['a.b.c', '<escape>', '0vf.;d'], '|c'],
    ['V, j and d', ['a', '<ctrl+j>', 'b', '<ctrl+j>', 'c', '<escape>', 'ggVjd'], '|c'],
    ['V from v', ['a', '<ctrl+j>', 'b', '<escape>', 'vVd'], '|a'],
    ['vj never leaves the prompt', ['ab', '<escape>', 'vjkd'], '|a'],
    ['vr, v~, vU and vu', ['abc', '<escape>', '0vlrx', 'v$U', '0v~'], '|xXC'],
    ['vJ', ['a', '<ctrl+j>', 'b', '<ctrl+j>', 'c', '<escape>', 'ggVGJ'], '|a b c'],
    ['vp puts what was cut in its place', ['one two', '<escape>', '0vey', 'wvep'], 'one |one'],
    ['v and Escape leave all as it is', ['ab', '<escape>', 'v', '<escape>', 'x'], '|a'],
    ['. after x', ['abcd', '<escape>', '0x.'], '|cd'],
    ['. after a change with its words', ['one two', '<escape>', '0cw', 'x', '<escape>', 'w.'], 'x |x'],
    ['. after an insert', ['b', '<escape>', 'I', 'a', '<escape>', '.'], '|aab'],
    ['. after dd', ['a', '<ctrl+j>', 'b', '<ctrl+j>', 'c', '<escape>', 'ggdd.'], '|c'],
    ['. is not the undo', ['abc', '<escape>', '0xu.'], '|bc'],
    ['. without a change does nothing', ['abc', '<escape>', '0w.'], 'ab|c'],
  ])('%s', (_, strokes, shown) => {
    expect(play(keysOf(...strokes), { mode: 'vim' }).shown).toBe(shown);
  });

  test('Escape leaves insert mode before it interrupts', () => {
    expect(play(keysOf('<escape>', '<escape>'), { mode: 'vim' }).effects).toEqual([
      { type: 'screen', action: 'interrupt' },
    ]);
  });

  test('Enter also sends in normal mode, and the next prompt starts in insert mode', () => {
    const { effects, editor } = play(keysOf('hi', '<escape>', '<return>'), { mode: 'vim' });
    expect(effects).toEqual([{ type: 'submit', submitted: { text: 'hi', images: [] } }]);
    expect(editor.vim?.mode).toBe('insert');
  });
});
