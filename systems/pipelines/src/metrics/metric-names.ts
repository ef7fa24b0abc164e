/** Upstream's controller, which dashboards know. */
export const meterName = 'tekton_pipelines_controller';

export const metricName = (name: string): string => `${meterName}_${name}`;

/** Runs without a name to count under. */
export const anonymous = 'anonymous';

/** Seconds, from ten to a day. */
export const durationBuckets = [10, 30, 60, 300, 900, 1800, 3600, 5400, 10_800, 21_600, 43_200, 86_400] as const;
/** Milliseconds. */
export const latencyBuckets = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const;
