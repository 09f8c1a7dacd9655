import { expect, test } from 'vitest';
import { colorDepthOf, knowsHyperlinks } from './color.ts';

test.each([
  [{ TERM: 'xterm-256color' }, '256'],
  [{ TERM: 'xterm-256color', COLORTERM: 'truecolor' }, 'truecolor'],
  [{ TERM: 'xterm-256color', COLORTERM: 'truecolor', NO_COLOR: '1' }, 'none'],
  [{ TERM: 'xterm-256color', NO_COLOR: '' }, '256'],
  [{ TERM: 'xterm-256color', FORCE_COLOR: '3' }, 'truecolor'],
  [{ TERM: 'xterm-256color', FORCE_COLOR: '0' }, 'none'],
  [{ TERM: 'xterm-kitty' }, 'truecolor'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }, '256'],
  [{ TERM: 'screen' }, '256'],
  [{ TERM: 'linux' }, '16'],
  [{ TERM: 'xterm' }, '16'],
  [{ TERM: 'dumb' }, 'none'],
  [{}, '16'],
])('%j has the colors %s', (env, depth) => {
  expect(colorDepthOf(env)).toBe(depth);
});

test.each([
  [{ TERM: 'xterm-256color' }, false],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, true],
  [{ TERM: 'xterm-256color', VTE_VERSION: '6800' }, true],
  [{ TERM: 'xterm-256color', VTE_VERSION: '4600' }, false],
  [{ TERM: 'xterm-kitty' }, true],
  [{ TERM: 'tmux-256color', TERM_PROGRAM: 'iTerm.app', TMUX: '/tmp/x' }, false],
])('%j supports links: %s', (env, known) => {
  expect(knowsHyperlinks(env)).toBe(known);
});
