import * as vscode from 'vscode';

/** "Fix this problem" in the light bulb of every problem. */
export const fixAction: vscode.CodeActionProvider = {
  provideCodeActions({ uri }, _range, { diagnostics, only }) {
    if (diagnostics.length === 0 || uri.scheme !== 'file') return [];
    if (only && !vscode.CodeActionKind.QuickFix.intersects(only)) return [];
    const title = diagnostics.length === 1 ? 'Fix this problem with aca' : 'Fix these problems with aca';
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.diagnostics = [...diagnostics];
    action.command = { title, command: 'aca.fix', arguments: [uri, [...diagnostics]] };
    return [action];
  },
};
