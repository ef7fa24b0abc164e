import type { Attributes, Meter } from '@tektite/controller/observe';

const short = (name: string) => name.replace('tekton_pipelines_controller_', '');

/** Writes down what is measured: `name value attributes`. */
export class WrittenMeter {
  readonly lines: string[] = [];
  private readonly callbacks: (() => void)[] = [];

  get meter(): Meter {
    const write =
      (name: string, kind: string) =>
      (value: number, attributes: Attributes = {}) =>
        void this.lines.push(`${short(name)} ${kind} ${value} ${JSON.stringify(attributes)}`);
    const meter = {
      createCounter: (name: string) => ({ add: write(name, 'counter') }),
      createHistogram: (name: string) => ({ record: write(name, 'histogram') }),
      createGauge: (name: string) => ({ record: write(name, 'gauge') }),
      createObservableGauge: (name: string) => ({
        addCallback: (callback: (result: object) => void) =>
          this.callbacks.push(() => callback({ observe: write(name, 'now') })),
      }),
    };
    return meter as unknown as Meter;
  }

  observe(): readonly string[] {
    this.lines.length = 0;
    for (const callback of this.callbacks) callback();
    return this.lines;
  }
}
