import { type Attributes, globalMeter } from '@tektite/controller/observe';
import type { Clock } from '@tektite/meta';

/** How often scripts ran, how they ended, and how long they took. */
export class ScriptMetrics {
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Called when a script begins; what it answers is called when it ends. */
  begin(phase: string): (isGood: boolean) => void {
    const since = this.clock.monotonic();
    return (isGood) => {
      const meter = globalMeter('byoh');
      const labels: Attributes = { phase, result: isGood ? 'success' : 'failure' };
      meter.createCounter('byoh_script_runs_total').add(1, labels);
      meter.createHistogram('byoh_script_duration_seconds').record((this.clock.monotonic() - since) / 1000, { phase });
    };
  }

  /** When the certificate of this host ends. */
  certificateEnds(atMs: number): void {
    globalMeter('byoh')
      .createGauge('byoh_cert_expiry_timestamp_seconds')
      .record(Math.floor(atMs / 1000));
  }
}
