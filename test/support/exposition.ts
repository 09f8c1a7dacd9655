export type Scrape = {
  /** Of each metric, by name: counter, gauge or histogram. */
  types: Map<string, string>;
  /** By a line's name and labels, as they were written. */
  samples: Map<string, number>;
};

/** Reads Prometheus' text format; a line that is none of it is an error. */
export function parseExposition(text: string): Scrape {
  const types = new Map<string, string>();
  const samples = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# HELP ')) continue;
    const [, named, type] = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (named !== undefined && type !== undefined) {
      types.set(named, type);
      continue;
    }
    const [, key, value] = /^([a-z_]+(?:\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)+\})?) (\S+)$/.exec(line) ?? [];
    if (key === undefined || Number.isNaN(Number(value))) throw new Error(`This is no sample: ${line}`);
    samples.set(key, Number(value));
  }
  return { types, samples };
}
