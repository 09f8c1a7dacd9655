import { describeProblem, type Problem } from './problem.ts';

type Page = {
  /** Where the editor serves the files of the extension. */
  source: string;
  nonce: string;
};

/** The chat. Nothing but the extension's own script and style can be loaded. */
export function chatHtml({ source, nonce, script, style }: Page & { script: string; style: string }): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source}`,
    `font-src ${source}`,
    `img-src ${source} data: blob:`,
  ];
  return page(
    policy,
    `<link rel="stylesheet" href="${escaped(style)}">`,
    `<div id="chat"></div><script type="module" nonce="${nonce}" src="${escaped(script)}"></script>`,
  );
}

/** The commands that the page below may run. */
export const PROBLEM_COMMANDS = [
  'aca.setPath',
  'aca.setUpModel',
  'aca.restart',
  'aca.openLog',
  'aca.attach',
  'aca.detach',
  'workbench.trust.manage',
  'workbench.action.files.openFolder',
];

/** Why there is no chat, with buttons. */
export function problemHtml(problem: Problem, { nonce }: Page): string {
  const { text, actions } = describeProblem(problem);
  const buttons = actions.map(
    ({ label, command }) => `<a class="button" href="command:${command}">${escaped(label)}</a>`,
  );
  return page(
    ["default-src 'none'", `style-src 'nonce-${nonce}'`],
    `<style nonce="${nonce}">${PROBLEM_STYLE}</style>`,
    `<p>${escaped(text)}</p>${buttons.join('')}`,
  );
}

const PROBLEM_STYLE = `
body { padding: 0 20px; font: var(--vscode-font-size) var(--vscode-font-family); color: var(--vscode-foreground); }
p { margin: 1em 0; line-height: 1.4; }
.button {
  display: block; max-width: 300px; margin: 0 auto 8px; padding: 6px 12px; border-radius: 2px; text-align: center;
  text-decoration: none; color: var(--vscode-button-foreground); background: var(--vscode-button-background);
}
.button:hover { background: var(--vscode-button-hoverBackground); }
.button:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }
.button + .button {
  color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground);
}
`;

function page(policy: readonly string[], head: string, body: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>aca</title>
${head}
</head>
<body>${body}</body>
</html>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
