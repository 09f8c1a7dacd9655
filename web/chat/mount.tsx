import './style/chat.css';
import { render } from 'preact';
import { Chat, type ChatProps } from './chat.tsx';

/** Shows a chat in an element. Returns how to remove it. */
export function mountChat(element: HTMLElement, props: ChatProps): () => void {
  render(<Chat {...props} />, element);
  return () => render(null, element);
}
