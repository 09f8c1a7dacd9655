import { isGap, SHORTEST } from './looks-secret.ts';
import type { Cut, Finder } from './scan-hints.ts';

const WINDOW = 16 * 1024;
const YAML_ENTRY = /^([ \t]+)["']?[\w.-]+["']?:[ \t]*["']?([^\s"'#|>{[][^\s"']*)["']?[ \t]*$/gm;
const JSON_ENTRY = /()"[\w.-]+"\s*:\s*"([^"\s]+)"/g;

/** Everything in the data of a Kubernetes Secret, whatever its name. */
export const kubernetesSecrets: Finder = {
  hints: ['kind: Secret', 'kind: "Secret"', '"kind": "Secret"', '"kind":"Secret"'],
  find(text, at, from) {
    // Between the kinds of two objects is one object's data, before its kind or after it.
    const before = text.slice(Math.max(from, at - WINDOW), at);
    const start = at - before.length + Math.max(0, before.lastIndexOf('kind'), before.lastIndexOf('\n---'));
    const after = text.slice(at + 6, at + WINDOW);
    const ends = [after.indexOf('kind'), after.indexOf('\n---')].filter((end) => end !== -1);
    const end = at + 6 + Math.min(after.length, ...ends);
    const manifest = text.slice(start, end);
    const blocks = manifest.matchAll(
      /(?:^|\n)[ \t]*(?:data|stringData):[ \t]*\n((?:[ \t]+[^\n]*(?:\n|$))+)|"(?:data|stringData)"\s*:\s*\{([^{}]*)\}/g,
    );
    return [...blocks].flatMap(({ 0: whole, 1: yaml, 2: json, index }) => {
      const body = yaml ?? json ?? '';
      return entriesIn(
        body,
        start + index + whole.lastIndexOf(body),
        yaml === undefined ? JSON_ENTRY : YAML_ENTRY,
      );
    });
  },
};

function entriesIn(body: string, at: number, entry: RegExp): Cut[] {
  const indent = entry === YAML_ENTRY ? /^[ \t]+/.exec(body)?.[0] : '';
  return [...body.matchAll(entry)].flatMap(({ 0: whole, 1: blanks, 2: value = '', index }) => {
    // Deeper lines belong to a multi-line text.
    if (value.length < SHORTEST || isGap(value) || blanks !== indent) return [];
    const start = at + index + whole.lastIndexOf(value);
    return [
      {
        start,
        end: start + value.length,
        name: 'kubernetes-secret',
        alone: value.length >= 16 ? [value] : [],
      },
    ];
  });
}
