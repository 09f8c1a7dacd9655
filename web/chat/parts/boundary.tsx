import { Component, type ComponentChildren } from 'preact';

/** If something inside cannot be drawn, it says so in its place, and everything around it stays. */
export class Boundary extends Component<{ children: ComponentChildren }, { failure: string | null }> {
  override state = { failure: null };

  static override getDerivedStateFromError(error: unknown) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }

  override render() {
    if (this.state.failure === null) return <>{this.props.children}</>;
    return <div class="note warning">{`This cannot be shown: ${this.state.failure}`}</div>;
  }
}
