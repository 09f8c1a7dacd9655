import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Lists every skipped test, and why: a skipped check must not look like one that passed. */
export default class ReportSkipped implements Reporter {
  /** Tests that this run left to the other of `npm test` and `npm run test:soak` are not listed. */
  #isChosen = (_tags: readonly string[]) => true;
  /** Nor are those that `-t` left out. */
  #isNamed = (_name: string) => true;

  onInit({ config }: Vitest): void {
    const { testNamePattern } = config;
    // It is matched without the signs between a group and its test.
    if (testNamePattern) this.#isNamed = (name) => testNamePattern.test(name.replaceAll(' > ', ' '));
    const filter = config.tagsFilter?.join(' ');
    if (filter !== undefined) this.#isChosen = (tags) => tags.includes('soak') === (filter === 'soak');
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        if (!this.#isChosen(test.tags) || !this.#isNamed(test.fullName)) continue;
        const result = test.result();
        const why = result.state === 'skipped' && result.note ? result.note : 'not for this system';
        console.log(`skipped: ${module.relativeModuleId} > ${test.fullName} (${why})`);
      }
    }
  }
}
