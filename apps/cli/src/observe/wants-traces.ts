/** Whether somebody takes traces: the variables that all programs with OpenTelemetry know say where. */
export function wantsTraces(environment: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(environment['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}
