import type { PipelinesAsCodeSettings } from '../kinds/component-fields.ts';

type Settings = Readonly<Record<string, string>>;

/** The settings of Pipelines as Code and their defaults. */
const texts: Settings = {
  'application-name': 'Pipelines as Code CI',
  'bitbucket-cloud-additional-source-ip': '',
  'tekton-dashboard-url': '',
  'auto-configure-repo-namespace-template': '',
  'auto-configure-repo-repository-template': '',
  'secret-github-app-scope-extra-repos': '',
  'error-detection-simple-regexp': '^(?P<filename>[^:]*):(?P<line>[0-9]+):(?P<column>[0-9]+)?([ ]*)?(?P<error>.*)',
  'custom-console-name': '',
  'custom-console-url': '',
  'custom-console-url-pr-details': '',
  'custom-console-url-pr-tasklog': '',
  'custom-console-url-namespace': '',
  'tracing-label-action': '',
  'tracing-label-application': '',
  'tracing-label-component': '',
};
const flags: Readonly<Record<string, boolean>> = {
  'remote-tasks': true,
  'bitbucket-cloud-check-source-ip': true,
  'auto-configure-new-github-repo': false,
  'secret-auto-create': true,
  'secret-github-app-token-scoped': true,
  'error-log-snippet': true,
  'error-detection-from-container-logs': true,
  'enable-cancel-in-progress-on-pull-requests': false,
  'enable-cancel-in-progress-on-push': false,
  'skip-push-event-for-pr-commits': true,
  'remember-ok-to-test': false,
  'require-ok-to-test-sha': false,
};
const numbers: Readonly<Record<string, number>> = {
  'max-keep-run-upper-limit': 0,
  'default-max-keep-runs': 0,
  'error-log-snippet-number-of-lines': 3,
  'error-detection-max-number-of-lines': 50,
};

const hub = { url: 'https://artifacthub.io/api/v1', type: 'artifacthub' };
const hubTypes = ['artifacthub', 'tektonhub'];

/** The values of Go's strconv.ParseBool. */
export function parseGoBool(text: string): boolean | undefined {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : undefined;
}

const isInteger = (text: string) => /^[+-]?[0-9]+$/.test(text);

/**
 * All settings, each with its value. Unknown settings are dropped, as are incomplete catalogs. When one value is
 * invalid, upstream keeps the part that was read before; here the user's settings stay as they are, and validation says
 * why.
 */
export function completeSettings(given: Settings = {}): Settings {
  const value = (key: string) => (Object.hasOwn(given, key) ? (given[key] ?? '') : '');
  const entries: [string, string][] = Object.entries(texts).map(([key, text]) => [key, value(key) || text]);
  for (const [key, standard] of Object.entries(flags)) {
    const parsed = value(key) === '' ? standard : parseGoBool(value(key));
    if (parsed === undefined) return given;
    entries.push([key, String(parsed)]);
  }
  for (const [key, standard] of Object.entries(numbers)) {
    if (value(key) !== '' && !isInteger(value(key))) return given;
    entries.push([key, value(key) === '' ? String(standard) : BigInt(value(key).replace('+', '')).toString()]);
  }
  entries.push(['hub-url', value('hub-url') || hub.url]);
  const type = value('hub-catalog-type');
  entries.push(['hub-catalog-type', hubTypes.includes(type) ? type : hub.type]);
  if (value('hub-catalog-name')) entries.push(['hub-catalog-name', value('hub-catalog-name')]);
  return Object.fromEntries([...entries, ...catalogs(given)]);
}

/** Catalogs besides the standard one: `catalog-1-id`, `-name`, `-url`, `-type`. */
function catalogs(given: Settings): readonly [string, string][] {
  const entries: [string, string][] = [];
  for (const key of Object.keys(given)) {
    const index = /^catalog-(\d+)-id$/.exec(key)?.[1];
    if (index === undefined) continue;
    const part = (name: string) => given[`catalog-${index}-${name}`] ?? '';
    const [id, name, url] = [part('id'), part('name'), part('url')];
    if (!id || !name || !url || ['http', 'https', 'tektonhub'].includes(id) || !URL.canParse(url)) continue;
    for (const [field, text] of [
      ['id', id],
      ['name', name],
      ['url', url],
      // Upstream asks the hub for its type; an unreachable hub counts as the older one.
      ['type', part('type') || 'tektonhub'],
    ] as const)
      entries.push([`catalog-${index}-${field}`, text]);
  }
  return entries;
}

/** Pipelines as Code with all settings, and its further controllers with their names. */
export function defaultPipelinesAsCode<T extends PipelinesAsCodeSettings>(block: T): T {
  const { additionalPACControllers: more } = block;
  const additional = Object.entries(more ?? {}).map(([name, controller]) => [
    name,
    {
      ...controller,
      enable: controller.enable ?? true,
      configMapName: controller.configMapName || `${name}-pipelines-as-code-configmap`,
      secretName: controller.secretName || `${name}-pipelines-as-code-secret`,
    },
  ]);
  return {
    ...block,
    settings: completeSettings(block.settings),
    ...(more ? { additionalPACControllers: Object.fromEntries(additional) as T['additionalPACControllers'] } : {}),
  };
}
