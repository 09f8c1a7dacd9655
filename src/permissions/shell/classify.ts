import path from 'node:path';
import type { Judgement } from '../../contract/permission.ts';
import { findForbidden } from '../rules/commands.ts';
import { judgeLook, type Look, type Place } from './look.ts';
import { parseLine, type ShellLine } from './parse.ts';

/** `by` is the rule that spoke, for a built-in deny; `reads` are the paths an allowed line names. */
export type Classified = Judgement & { by: string; reads: string[] };

/**
 * Allow: every command of the line surely only looks at files in reach. Deny: some command is forbidden in
 * whatever spelling. Everything else, and everything not understood, asks. Pure but for `isInside`.
 */
export function classify(text: string, place: Place): Classified {
  const line = parseLine(text);
  const rule = findForbidden(line, place.cwd);
  if (rule !== undefined)
    return { verdict: 'deny', because: rule.because, by: `built-in ${rule.name}`, reads: [] };

  const look = judgeLine(line, place);
  if (look.type === 'unsure') return { verdict: 'ask', because: look.because, by: 'default', reads: [] };
  return { verdict: 'allow', because: 'it only reads', by: 'default', reads: look.reads };
}

function judgeLine(line: ShellLine, place: Place): Look {
  const [doubt] = line.doubts;
  if (doubt !== undefined) return { type: 'unsure', because: doubt };
  if (line.commands.length === 0) return { type: 'unsure', because: 'it holds no command' };
  if (line.commands.some(({ next }) => next === '&')) {
    return { type: 'unsure', because: 'it leaves a command running in the background' };
  }
  const reads: string[] = [];
  let cwd = place.cwd;
  for (const command of line.commands) {
    const there = { ...place, cwd };
    const look = command.name === 'cd' ? judgeMove(line, there) : judgeLook(command, there);
    if (look.type === 'unsure') return look;
    reads.push(...look.reads);
    if (command.name === 'cd') cwd = look.reads[0] ?? cwd;
    // Another folder may be another repository, with a configuration that names programs to run.
    else if (cwd !== place.cwd && /^(git|npm)$/.test(command.name)) {
      return { type: 'unsure', because: `it runs ${command.name} in another folder` };
    }
  }
  return { type: 'only_looks', reads };
}

/** Only as the first step of a chain that stops when it fails: otherwise nobody knows where the rest runs. */
function judgeMove({ commands }: ShellLine, place: Place): Look {
  const [first, ...others] = commands;
  const [, target, ...extra] = first?.words ?? [];
  const chained = commands.every(({ next }) => next === '&&' || next === '|' || next === null);
  const sure = first?.name === 'cd' && first.next !== '|' && others.every(({ name }) => name !== 'cd');
  if (!sure || !chained || !target || extra.length > 0 || target.glob || /^-/.test(target.text)) {
    return { type: 'unsure', because: 'it changes the folder' };
  }
  const look = judgeLook({ ...first, name: 'ls' }, place);
  if (look.type === 'unsure') return look;
  return { type: 'only_looks', reads: [path.resolve(place.cwd, target.text)] };
}
