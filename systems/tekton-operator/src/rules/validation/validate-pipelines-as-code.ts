import { type FieldErrors, invalidValue, noFieldErrors } from '@tektite/controller/field-errors';
import { validateDns1123Subdomain, quoteGo } from '@tektite/meta';
import { compilePattern } from '@tektite/schema';
import type { PipelinesAsCodeSettings } from '../../kinds/component-fields.ts';
import { parseGoBool } from '../pipelines-as-code-settings.ts';

/** The settings that are checked, by what upstream's struct calls them. */
const checks: Readonly<
  Record<string, { readonly field: string; readonly violation: (text: string) => string | undefined }>
> = {
  'error-detection-simple-regexp': { field: 'ErrorDetectionSimpleRegexp', violation: regexError },
  'tekton-dashboard-url': { field: 'TektonDashboardURL', violation: urlError },
  'custom-console-url': { field: 'CustomConsoleURL', violation: urlError },
  'custom-console-url-pr-tasklog': { field: 'CustomConsolePRTaskLog', violation: schemeError },
  // Upstream's table has this under a name that no field has, so it is checked here and not there.
  'custom-console-url-pr-details': { field: 'CustomConsolePRdetail', violation: schemeError },
};

const flagFields: Readonly<Record<string, string>> = {
  'remote-tasks': 'RemoteTasks',
  'bitbucket-cloud-check-source-ip': 'BitbucketCloudCheckSourceIP',
  'auto-configure-new-github-repo': 'AutoConfigureNewGitHubRepo',
  'secret-auto-create': 'SecretAutoCreation',
  'secret-github-app-token-scoped': 'SecretGHAppRepoScoped',
  'error-log-snippet': 'ErrorLogSnippet',
  'error-detection-from-container-logs': 'ErrorDetection',
  'enable-cancel-in-progress-on-pull-requests': 'EnableCancelInProgressOnPullRequests',
  'enable-cancel-in-progress-on-push': 'EnableCancelInProgressOnPush',
  'skip-push-event-for-pr-commits': 'SkipPushEventForPRCommits',
  'remember-ok-to-test': 'RememberOKToTest',
  'require-ok-to-test-sha': 'RequireOkToTestSHA',
};
const numberFields: Readonly<Record<string, string>> = {
  'max-keep-run-upper-limit': 'MaxKeepRunsUpperLimit',
  'default-max-keep-runs': 'DefaultMaxKeepRuns',
  'error-log-snippet-number-of-lines': 'ErrorLogSnippetNumberOfLines',
  'error-detection-max-number-of-lines': 'ErrorDetectionNumberOfLines',
};

/** Validates Pipelines as Code and its further controllers. */
export function validatePipelinesAsCode(block: PipelinesAsCodeSettings, path: string): FieldErrors {
  const violations = settingErrors(block.settings ?? {});
  let errors = noFieldErrors;
  if (violations.length > 0) {
    const text = `failed to validate and assign values: validation errors: [${violations.join(' ')}]`;
    errors = errors.also(invalidValue(text, `${path}.settings`));
  }
  const at = `${path}.additionalPACControllers`;
  for (const [name, controller] of Object.entries(block.additionalPACControllers ?? {}))
    errors = errors.also(
      nameError(name, 25, at),
      nameError(controller.configMapName ?? '', 63, `${at}.configMapName`),
      nameError(controller.secretName ?? '', 63, `${at}.secretName`),
      ...Object.entries(controller.settings ?? {}).map(([key, value]) => {
        const violation = value === '' || !Object.hasOwn(checks, key) ? undefined : checks[key]?.violation(value);
        return violation === undefined
          ? noFieldErrors
          : invalidValue(`invalid value: ${violation}: validation failed for field ${key}`, `${at}.settings`);
      }),
    );
  return errors;
}

function settingErrors(settings: Readonly<Record<string, string>>): readonly string[] {
  const violations: string[] = [];
  for (const [key, value] of Object.entries(settings)) {
    if (value === '') continue;
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    const violation = check?.violation(value);
    if (check && violation !== undefined)
      violations.push(`custom validation failed for field ${check.field}: ${violation}`);
    if (Object.hasOwn(flagFields, key) && parseGoBool(value) === undefined)
      violations.push(
        `invalid value for bool field ${flagFields[key]}: strconv.ParseBool: parsing ${quoteGo(value)}: invalid syntax`,
      );
    if (Object.hasOwn(numberFields, key) && !/^[+-]?[0-9]+$/.test(value))
      violations.push(
        `invalid value for int field ${numberFields[key]}: strconv.ParseInt: parsing ${quoteGo(value)}: invalid syntax`,
      );
  }
  return violations;
}

function nameError(name: string, maxLength: number, path: string): FieldErrors {
  if (validateDns1123Subdomain(name).length > 0)
    return invalidValue(`invalid resource name ${quoteGo(name)}: must be a valid DNS label: name`, path);
  if (name.length > maxLength)
    return invalidValue(
      `invalid resource name ${quoteGo(name)}: length must be no more than ${maxLength} characters: name`,
      path,
    );
  return noFieldErrors;
}

function regexError(text: string): string | undefined {
  const compiled = compilePattern(text);
  return typeof compiled === 'string' ? `invalid regex: ${compiled}` : undefined;
}

function urlError(text: string): string | undefined {
  if (text.startsWith('/') || URL.canParse(text)) return undefined;
  return `invalid value for URL, error: parse ${quoteGo(text)}: invalid URI for request`;
}

function schemeError(text: string): string | undefined {
  return /^https?:\/\//.test(text) ? undefined : 'invalid value, must start with http:// or https://';
}
