import type { LanguageFn } from 'highlight.js';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import shell from 'highlight.js/lib/languages/shell';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import type { Highlight, Piece } from './highlight.ts';

const GRAMMARS: Record<string, LanguageFn> = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  markdown,
  php,
  python,
  ruby,
  rust,
  shell,
  sql,
  typescript,
  xml,
  yaml,
};

/** Collects pieces where the library would make HTML. */
class Pieces {
  readonly pieces: Piece[] = [];
  readonly #scopes: string[] = [];

  openNode(scope: string): void {
    this.#scopes.push(scope.split('.')[0] ?? '');
  }

  closeNode(): void {
    this.#scopes.pop();
  }

  startScope(scope: string): void {
    this.openNode(scope);
  }

  endScope(): void {
    this.closeNode();
  }

  addText(text: string): void {
    if (text !== '') this.pieces.push({ text, scope: this.#scopes.at(-1) ?? '' });
  }

  __addSublanguage(inner: Pieces): void {
    this.pieces.push(...inner.pieces);
  }

  finalize(): void {
    this.#scopes.length = 0;
  }

  toHTML(): string {
    return '';
  }
}

const instance = hljs.newInstance();
for (const [name, grammar] of Object.entries(GRAMMARS)) instance.registerLanguage(name, grammar);
instance.configure({ __emitter: Pieces } as never);

export const highlight: Highlight = (code, language) => {
  if (!instance.getLanguage(language)) return null;
  const { _emitter } = instance.highlight(code, { language, ignoreIllegals: true });
  const { pieces } = _emitter as unknown as Pieces;
  // After an error of its own, the library returns what it had so far.
  return pieces.map(({ text }) => text).join('') === code ? pieces : null;
};
