export type Scrape = {
  /** The type of each metric, by name: counter, gauge or histogram. */
  types: Map<string, string>;
  /** By name and labels, as written. */
  samples: Map<string, number>;
};

/** Parses Prometheus' text format; throws on an invalid line. */
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
