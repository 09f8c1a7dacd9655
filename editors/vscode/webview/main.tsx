import type { PromptDraft } from '../../../web/chat/composer/draft.ts';
import { mountChat } from '../../../web/chat/mount.tsx';
import type { ToWebview } from '../src/messages.ts';
import { Bridge, type VsCodeApi } from './bridge.ts';
import './webview.css';

declare function acquireVsCodeApi(): VsCodeApi<{ draft: PromptDraft }>;

const editor = acquireVsCodeApi();
const bridge = new Bridge((message) => editor.postMessage(message));

window.addEventListener('message', ({ data }: MessageEvent<ToWebview>) => {
  bridge.receive(data);
  if (data.type === 'focus') document.querySelector<HTMLTextAreaElement>('.composer textarea')?.focus();
});

const element = document.getElementById('chat');
if (element) {
  mountChat(element, {
    connection: bridge.connection,
    draft: editor.getState()?.draft,
    onDraft: (draft) => editor.setState({ draft }),
  });
}
