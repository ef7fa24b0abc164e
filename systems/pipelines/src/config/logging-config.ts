import { ConfigError, customConfig } from '@tektite/controller/config';

const levels = new Set(['debug', 'info', 'warn', 'warning', 'error', 'dpanic', 'panic', 'fatal']);

/** How much upstream's programs say, by component. Nothing here follows it, but what could not be followed is refused. */
export const loggingConfig = customConfig('config-logging', (data) => {
  const components = Object.keys(data).filter((key) => /^loglevel\../s.test(key) && data[key] !== '');
  for (const key of components.sort()) {
    const level = data[key] ?? '';
    if (!levels.has(level.toLowerCase())) throw new ConfigError(`invalid logging level: ${level}`, key);
  }
  return {};
});
