import type { Counter, Histogram, Meter } from '@tektite/controller/observe';

const buckets = [0.001, 0.01, 0.1, 1, 5, 10];

/** Measures events under upstream's names. The meter is requested with the first measurement. */
export class SinkMetrics {
  private readonly meter: () => Meter;
  private made: { readonly duration: Histogram; readonly received: Counter; readonly resources: Counter } | undefined;

  constructor(meter: () => Meter) {
    this.meter = meter;
  }

  received(status: 'succeeded' | 'failed'): void {
    this.instruments().received.add(1, { status });
  }

  answered(seconds: number): void {
    this.instruments().duration.record(seconds);
  }

  created(kind: string): void {
    this.instruments().resources.add(1, { kind });
  }

  private instruments() {
    if (this.made) return this.made;
    const meter = this.meter();
    this.made = {
      duration: meter.createHistogram('eventlistener_http_duration_seconds', {
        description: 'The eventlistener HTTP request duration',
        unit: 's',
        advice: { explicitBucketBoundaries: buckets },
      }),
      received: meter.createCounter('eventlistener_event_received_total', {
        description: 'number of events received by sink',
      }),
      resources: meter.createCounter('eventlistener_triggered_resources_total', {
        description: 'Count of the number of triggered eventlistener resources',
      }),
    };
    return this.made;
  }
}
