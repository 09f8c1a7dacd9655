import type { View } from '../state/view.ts';
import { visible } from '../text/visible.ts';

const IDEAS = [
  'Explain how this project is structured',
  'Find and fix a bug',
  'Write tests for what I changed last',
];

/** An empty conversation: what one could ask. */
export function Welcome({ view, onIdea }: { view: View; onIdea(text: string): void }) {
  const { session } = view;
  return (
    <div class="welcome">
      <h2>What should we work on?</h2>
      {session && <p class="muted path">{visible(session.cwd)}</p>}
      <div class="ideas">
        {IDEAS.map((idea) => (
          <button key={idea} type="button" class="idea" onClick={() => onIdea(idea)}>
            {idea}
          </button>
        ))}
      </div>
      <p class="muted hint">
        <span class="key">@</span> adds a file, <span class="key">/</span> runs a command,{' '}
        <span class="key">Shift Enter</span> starts a new line
      </p>
    </div>
  );
}
