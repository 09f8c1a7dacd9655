import { Component, createRef } from 'preact';
import { Boundary } from '../parts/boundary.tsx';
import type { GroupRow } from '../state/rows.ts';
import type { Item } from '../state/view.ts';
import { ItemView } from './item-view.tsx';
import type { Scroller } from './stick-to-end.ts';

type Props = {
  items: readonly (Item | GroupRow)[];
  isLast: boolean;
  isTurnRunning: boolean;
  /** Ids of the calls that the user is asked about. */
  asked: ReadonlySet<string>;
  cwd: string;
  scroller: Scroller;
};

/** How far from the screen a chunk is drawn, in pixels. */
const REACH = 1_200;
/** The height of an item that was never drawn. */
const GUESS = 56;

/**
 * Some items in a row. Far from the screen, an empty box of the same height takes their place, so that a long
 * conversation costs no more than a short one.
 */
export class Chunk extends Component<Props, { isDrawn: boolean }> {
  override state = { isDrawn: this.props.isLast };
  readonly #box = createRef<HTMLDivElement>();
  #height: number | null = null;
  #observer: IntersectionObserver | null = null;

  override componentDidMount(): void {
    this.#observer = new IntersectionObserver(([entry]) => this.#moved(entry?.isIntersecting === true), {
      root: this.props.scroller.current,
      rootMargin: `${REACH}px 0px`,
    });
    if (this.#box.current) this.#observer.observe(this.#box.current);
  }

  override componentWillUnmount(): void {
    this.#observer?.disconnect();
  }

  override shouldComponentUpdate(next: Props, state: { isDrawn: boolean }): boolean {
    if (state.isDrawn !== this.state.isDrawn) return true;
    const { items, isLast, asked, cwd, isTurnRunning } = this.props;
    return (
      next.isLast !== isLast ||
      next.cwd !== cwd ||
      next.asked !== asked ||
      (isLast && next.isTurnRunning !== isTurnRunning) ||
      next.items.length !== items.length ||
      next.items.some((item, index) => item !== items[index])
    );
  }

  #moved(isNear: boolean): void {
    const box = this.#box.current;
    if (isNear === this.state.isDrawn || !box) return;
    if (!isNear) {
      // The user is in there.
      if (box.contains(document.activeElement) || document.getSelection()?.containsNode(box, true)) return;
      this.#height = box.offsetHeight;
    }
    this.setState({ isDrawn: isNear });
  }

  override render({ items, isLast, asked, isTurnRunning, cwd }: Props) {
    if (!this.state.isDrawn) {
      const height = this.#height ?? items.length * GUESS;
      return <div class="chunk" ref={this.#box} style={{ height: `${height}px` }} aria-hidden="true" />;
    }
    return (
      <div class="chunk" ref={this.#box}>
        {items.map((item, index) => (
          <Boundary key={item.key}>
            <ItemView
              item={item}
              isGrowing={isLast && isTurnRunning && index === items.length - 1}
              asked={asked}
              cwd={cwd}
            />
          </Boundary>
        ))}
      </div>
    );
  }
}
