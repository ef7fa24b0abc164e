/** Reports whether traces are exported, by the standard variables of OpenTelemetry. */
export function wantsTraces(environment: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(environment['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}
