/** Runs what it is given one after another, in order; a failure does not stop the next. */
export function oneAtATime(): <T>(deed: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (deed) => {
    const mine = last.then(deed);
    last = mine.catch(() => undefined);
    return mine;
  };
}
