import { type Message, type ThinkingPart, textOf, toolCallsOf } from '../../contract/message.ts';
import type { Session } from '../../contract/session.ts';
import { visibleText } from '../../lib/text/visible-text.ts';

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --dim: #888; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin-bottom: .2rem; }
header p { color: var(--dim); margin: 0 0 2rem; }
section { margin: 1.2rem 0; }
section.user { border-left: 3px solid #4a90d9; padding-left: .9rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .7rem; font: 13px/1.45 ui-monospace, monospace; margin: .4rem 0; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: .4rem 0; } summary { cursor: pointer; color: var(--dim); } summary.failed { color: #c33; }
img { max-width: 100%; }
`;

/** A self-contained page: no scripts, fonts or requests. */
export function toHtml(session: Session): string {
  const { id, title, workingDirectory, startedAt, settings, messages, subagents = [] } = session;
  const name = escaped(title ?? 'Session');
  const facts = [workingDirectory, startedAt, settings.model, id].map(escaped).join(' · ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="aca">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${name}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${name}</h1><p>${facts}</p></header>
${[...messages.map(sectionOf), ...subagents.map(subagentSection)].join('\n')}
</body>
</html>
`;
}

function subagentSection({ subagent, settings, messages }: Session): string {
  const summary = escaped(`Subagent ${subagent?.agent ?? ''}: ${subagent?.task ?? ''} · ${settings.model}`);
  return `<details><summary>${summary}</summary>${messages.map(sectionOf).join('\n')}</details>`;
}

function sectionOf(message: Message): string {
  switch (message.role) {
    case 'user':
      return `<section class="user"><div class="text">${escaped(textOf(message).trim())}</div>${imagesOf(message)}</section>`;
    case 'assistant': {
      const thoughts = message.content
        .filter((part): part is ThinkingPart => part.type === 'thinking' && !part.note && part.text !== '')
        .map(({ text }) => folded('Thinking', text));
      const text = textOf(message) === '' ? '' : `<div class="text">${escaped(textOf(message))}</div>`;
      const calls = toolCallsOf(message).map(({ name, input }) =>
        folded(name, JSON.stringify(input, null, 2)),
      );
      return `<section>${[...thoughts, text, ...calls].join('')}</section>`;
    }
    case 'tool': {
      const summary = `${message.name} ${message.success ? 'result' : 'failed'}`;
      const kind = message.success ? '' : ' class="failed"';
      return `<section><details><summary${kind}>${escaped(summary)}</summary><pre>${escaped(textOf(message))}</pre>${imagesOf(message)}</details></section>`;
    }
    default:
      message satisfies never;
      return '';
  }
}

function folded(summary: string, text: string): string {
  return `<details><summary>${escaped(summary)}</summary><pre>${escaped(text)}</pre></details>`;
}

function imagesOf({ content }: Message): string {
  return content
    .map((part) =>
      part.type === 'image'
        ? `<img alt="" src="data:${escaped(part.mediaType)};base64,${escaped(part.data)}">`
        : '',
    )
    .join('');
}

/** Safe for a browser and a terminal: no markup, no control characters. */
function escaped(text: string): string {
  const names: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return visibleText(text).replace(/[&<>"']/g, (c) => names[c] ?? c);
}
