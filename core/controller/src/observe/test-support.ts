import type {
  Attributes,
  BatchObservableCallback,
  Counter,
  Gauge,
  Histogram,
  Meter,
  Observable,
  ObservableCallback,
  ObservableGauge,
  Span,
  SpanStatus,
  Tracer,
  UpDownCounter,
} from '@opentelemetry/api';

/** A meter that keeps its measurements: sums of counters, last values of gauges, all values of histograms. */
export class MeterRecorder implements Meter {
  readonly names = new Set<string>();
  private readonly sums = new Map<string, number>();
  private readonly last = new Map<string, number>();
  private readonly all = new Map<string, number[]>();
  private readonly callbacks: { readonly name: string; readonly callback: ObservableCallback }[] = [];

  /** The sum of a counter, or the value of a gauge, with exactly these attributes. */
  read(name: string, attributes: Attributes = {}): number | undefined {
    for (const each of this.callbacks)
      if (each.name === name)
        void each.callback({ observe: (value, of = {}) => void this.last.set(id(name, of), value) });
    return this.sums.get(id(name, attributes)) ?? this.last.get(id(name, attributes));
  }

  values(name: string, attributes: Attributes = {}): readonly number[] {
    return this.all.get(id(name, attributes)) ?? [];
  }

  createCounter(name: string): Counter {
    this.names.add(name);
    const add = (value: number, attributes: Attributes = {}) => {
      const key = id(name, attributes);
      this.sums.set(key, (this.sums.get(key) ?? 0) + value);
    };
    return { add };
  }

  createUpDownCounter(name: string): UpDownCounter {
    return this.createCounter(name);
  }

  createGauge(name: string): Gauge {
    this.names.add(name);
    return { record: (value, attributes = {}) => void this.last.set(id(name, attributes), value) };
  }

  createHistogram(name: string): Histogram {
    this.names.add(name);
    const record = (value: number, attributes: Attributes = {}) => {
      const key = id(name, attributes);
      this.all.set(key, [...(this.all.get(key) ?? []), value]);
    };
    return { record };
  }

  createObservableGauge(name: string): ObservableGauge {
    this.names.add(name);
    return {
      addCallback: (callback) => void this.callbacks.push({ name, callback }),
      removeCallback: () => undefined,
    };
  }

  createObservableCounter(name: string): ObservableGauge {
    return this.createObservableGauge(name);
  }

  createObservableUpDownCounter(name: string): ObservableGauge {
    return this.createObservableGauge(name);
  }

  addBatchObservableCallback(_callback: BatchObservableCallback, _observables: Observable[]): void {
    throw new Error('not kept by this recorder');
  }

  removeBatchObservableCallback(): void {}
}

function id(name: string, attributes: Attributes): string {
  const sorted = Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([name, sorted]);
}

/** A recorded span. */
export interface RecordedSpan {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  status?: SpanStatus;
  ended: number;
}

/** A tracer that keeps its spans. */
export function tracerRecorder(): Tracer & { readonly spans: readonly RecordedSpan[] } {
  const spans: RecordedSpan[] = [];
  const startSpan: Tracer['startSpan'] = (name, { attributes = {} } = {}) => {
    const record: RecordedSpan = { name, attributes: { ...attributes }, ended: 0 };
    spans.push(record);
    const span: Pick<Span, 'setAttribute' | 'setStatus' | 'end'> = {
      setAttribute(key, value) {
        record.attributes[key] = value;
        return span as Span;
      },
      setStatus(status) {
        record.status = status;
        return span as Span;
      },
      end: () => void record.ended++,
    };
    return span as Span;
  };
  return {
    spans,
    startSpan,
    startActiveSpan: () => {
      throw new Error('not kept by this recorder');
    },
  };
}
