import { parseFrontMatter, switchField, textField } from '../../lib/text/front-matter.ts';

/** How the assistant answers. It changes the system prompt and nothing else. */
export type OutputStyle = {
  name: string;
  description: string;
  text: string;
  /** Our own instructions for coding stay, and the style is added to them. */
  keepsInstructions: boolean;
};

export const DEFAULT_STYLE: OutputStyle = {
  name: 'default',
  description: 'Brief answers about the work',
  text: '',
  keepsInstructions: true,
};

export const builtinStyles: readonly OutputStyle[] = [
  DEFAULT_STYLE,
  {
    name: 'explanatory',
    description: 'Explains choices and patterns of the code base along the way',
    text: `Output style: explanatory. While you do the work, help the user understand it. Before and after you write code, add a short section titled "Insight" with two or three points about this code base or the choice you made: why it is done this way, what the alternatives cost, what to look out for. Be specific to the code at hand; leave out general programming knowledge. These sections may be longer than your usual answers. They belong in your answers, never in code or comments.`,
    keepsInstructions: true,
  },
  {
    name: 'learning',
    description: 'Leaves small pieces of the code for you to write, and explains',
    text: `Output style: learning. Help the user learn by doing. Work as usual, but when a piece of 5 to 20 lines involves a real decision (an algorithm, error handling, a data structure, a user-facing choice), leave it to the user: prepare everything around it, put a comment "TODO(human)" at the place, exactly one at a time, and ask for it under the title "Your turn": what is needed, where it goes, and what to consider, without giving the solution. Then stop and wait. When the user has written it, read it and say in a few sentences what is good and what could be better. Write boilerplate and obvious code yourself. Add a short section titled "Insight" where the code teaches something specific.`,
    keepsInstructions: true,
  },
];

/** A Markdown file; its name is the file's unless the front matter gives another. Null if it has no text. */
export function parseOutputStyle(file: { path: string; text: string }): OutputStyle | null {
  const matter = parseFrontMatter(file.text);
  const text = matter.body.trim();
  if (text === '') return null;
  return {
    name: textField(matter, 'name') ?? file.path.replace(/^.*\//, '').replace(/\.md$/, ''),
    description: textField(matter, 'description') ?? '',
    text,
    keepsInstructions: switchField(matter, 'keep-coding-instructions') ?? false,
  };
}
