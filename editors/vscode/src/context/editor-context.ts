import * as vscode from 'vscode';
import type { Excerpt, ProblemAt } from './blocks.ts';

/** Lines around a problem that go with it. */
const AROUND = 5;

/** The selection, or the whole text if nothing is selected. Whole lines. */
export function selectedExcerpt({ document, selection }: vscode.TextEditor): Excerpt {
  if (selection.isEmpty) return linesFrom(document, 0, document.lineCount - 1);
  // A selection that ends before the first character of a line does not include it.
  const last = selection.end.character === 0 && selection.end.line > selection.start.line ? 1 : 0;
  return linesFrom(document, selection.start.line, selection.end.line - last);
}

export function excerptAround(document: vscode.TextDocument, ranges: readonly vscode.Range[]): Excerpt {
  const first = Math.min(...ranges.map(({ start }) => start.line));
  const last = Math.max(...ranges.map(({ end }) => end.line));
  return linesFrom(document, Math.max(0, first - AROUND), Math.min(document.lineCount - 1, last + AROUND));
}

export function problemAt(document: vscode.TextDocument, diagnostic: vscode.Diagnostic): ProblemAt {
  const { range, message, severity, source, code } = diagnostic;
  const names = ['error', 'warning', 'information', 'hint'] as const;
  const number = typeof code === 'object' ? code.value : code;
  const by = [source, number].filter((part) => part !== undefined).join(' ');
  return {
    path: document.uri.fsPath,
    line: range.start.line + 1,
    severity: names[severity],
    message,
    ...(by !== '' && { source: by }),
  };
}

/** The problems that touch the selection. */
export function problemsIn({ document, selection }: vscode.TextEditor): vscode.Diagnostic[] {
  const lines = new vscode.Range(selection.start.line, 0, selection.end.line, Number.MAX_SAFE_INTEGER);
  return vscode.languages.getDiagnostics(document.uri).filter(({ range }) => range.intersection(lines));
}

function linesFrom(document: vscode.TextDocument, first: number, last: number): Excerpt {
  const { range } = document.lineAt(last);
  const text = document.getText(new vscode.Range(new vscode.Position(first, 0), range.end));
  return { path: document.uri.fsPath, text, first: first + 1, last: last + 1 };
}
