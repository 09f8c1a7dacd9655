/** From here on characters may join with others. */
const MAY_JOIN = /[\u0300-\uffff]|\r\n/;

/**
 * Text in graphemes, as `Intl.Segmenter` has them. That one loads the runtime's tables of languages, which takes longer
 * than to paint a screen; here it is made when a text needs it.
 */
export class LazySegmenter implements Pick<Intl.Segmenter, 'segment'> {
  readonly #make: () => Intl.Segmenter;
  #made: Intl.Segmenter | undefined;

  constructor(...[locales, options]: ConstructorParameters<typeof Intl.Segmenter>) {
    const { Segmenter } = globalThis.Intl;
    this.#make = () => new Segmenter(locales, options);
    if (options?.granularity !== undefined && options.granularity !== 'grapheme') this.#made = this.#make();
  }

  segment(input: string): Intl.Segments {
    const isOne = input.length < 2 || (input.length === 2 && (input.codePointAt(0) ?? 0) > 0xff_ff);
    if (this.#made === undefined && (isOne || !MAY_JOIN.test(input)))
      return pieces(input, isOne ? input.length : 1);
    this.#made ??= this.#make();
    return this.#made.segment(input);
  }
}

/** All of the same length. */
function pieces(input: string, length: number): Intl.Segments {
  const at = (index: number): Intl.SegmentData => ({
    segment: input.slice(index, index + length),
    index,
    input,
  });
  return {
    // Beyond the text there is nothing; the types have it otherwise.
    containing: (place = 0) =>
      (place < input.length && place >= 0
        ? at(Math.trunc(place / length) * length)
        : undefined) as Intl.SegmentData,
    *[Symbol.iterator]() {
      for (let index = 0; index < input.length; index += length) yield at(index);
      return undefined;
    },
  };
}
