import { ConfigError, type ConfigOf, customConfig } from '@tektite/controller/config';

const knownFormats = new Set(['tektonv1']);

/** The settings of CloudEvents from the ConfigMap `config-events`. */
export const eventsConfig = customConfig('config-events', (data) => ({
  /** Where they go; empty: nowhere, unless `default-cloud-events-sink` says it. */
  sink: Object.hasOwn(data, 'sink') ? (data['sink'] ?? '') : '',
  formats: readFormats(Object.hasOwn(data, 'formats') ? (data['formats'] ?? '') : 'tektonv1'),
}));

export type EventsConfig = ConfigOf<typeof eventsConfig>;

/** Without a ConfigMap. */
export const standardEvents: EventsConfig = eventsConfig.parse({});

function readFormats(text: string): readonly string[] {
  const formats = text
    .split(',')
    .map((format) => format.trim())
    .filter((format) => format !== '');
  if (formats.length === 0) throw new ConfigError('formats cannot be empty', 'formats');
  for (const [index, format] of formats.entries()) {
    if (!knownFormats.has(format)) throw new ConfigError(`invalid format: ${format}`, 'formats');
    if (formats.indexOf(format) < index) throw new ConfigError(`duplicate format: ${format}`, 'formats');
  }
  return formats;
}
