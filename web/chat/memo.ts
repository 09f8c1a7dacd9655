import { Component, type ComponentChildren, type FunctionComponent, h } from 'preact';

/** A component that is drawn again only when a prop is another value. */
export function memo<Props extends object>(Inner: FunctionComponent<Props>): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const before = this.props as Record<string, unknown>;
      const after = next as Record<string, unknown>;
      return Object.keys({ ...before, ...after }).some((name) => before[name] !== after[name]);
    }

    override render(): ComponentChildren {
      return h(Inner, this.props as Props);
    }
  }
  return Memo as unknown as FunctionComponent<Props>;
}
