import {
  equalJson,
  type FieldError,
  FieldPath,
  forbidden,
  validatePathSegmentName,
  nameIsDnsLabel,
  notSupported,
  required,
  tooLong,
  utf8Length,
} from '@tektite/meta';
import type { IngressClass, IngressClassParametersReference } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkDnsSubdomain, checkDomainPath, checkImmutable, checkText } from '../field-checks.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { ingressClassColumns } from './columns.ts';

const maxControllerLength = 250;
const path = FieldPath.of('spec');

function validateIngressClass({ spec }: IngressClass): FieldError[] {
  const errors: FieldError[] = [];
  const { controller = '', parameters } = spec ?? {};
  if (utf8Length(controller) > maxControllerLength) errors.push(tooLong(path.child('controller'), maxControllerLength));
  checkDomainPath(controller, path.child('controller'), errors);
  if (parameters) validateParameters(parameters, path.child('parameters'), errors);
  return errors;
}

function validateParameters(
  parameters: Partial<IngressClassParametersReference>,
  at: FieldPath,
  errors: FieldError[],
): void {
  const { apiGroup, scope, namespace } = parameters;
  if (apiGroup !== undefined) checkDnsSubdomain(apiGroup, at.child('apiGroup'), errors);
  for (const field of ['kind', 'name'] as const) {
    const value = parameters[field];
    if (!value) errors.push(required(at.child(field)));
    else checkText(value, validatePathSegmentName, at.child(field), errors);
  }
  if (scope === undefined) errors.push(required(at.child('scope')));
  else if (scope === 'Namespace') {
    if (namespace === undefined)
      errors.push(required(at.child('namespace'), "`parameters.scope` is set to 'Namespace'"));
    else checkText(namespace, (name) => nameIsDnsLabel(name, false), at.child('namespace'), errors);
  } else if (scope === 'Cluster') {
    if (namespace !== undefined)
      errors.push(forbidden(at.child('namespace'), "`parameters.scope` is set to 'Cluster'"));
  } else errors.push(notSupported(at.child('scope'), scope, ['Cluster', 'Namespace']));
}

function validateChange(ingressClass: IngressClass, old: IngressClass): FieldError[] {
  const errors: FieldError[] = [];
  checkImmutable(ingressClass.spec?.controller ?? '', old.spec?.controller ?? '', path.child('controller'), errors);
  return [...errors, ...validateIngressClass(ingressClass)];
}

function formatParameters({ spec }: IngressClass): string {
  const { parameters } = spec ?? {};
  if (!parameters) return '<none>';
  const group = parameters.apiGroup === undefined ? '' : `.${parameters.apiGroup}`;
  return `${parameters.kind}${group}/${parameters.name}`;
}

export const ingressClassStrategy: KindStrategy<IngressClass> = {
  metadataRules: { onUpdate: 'both' },
  default({ spec }) {
    if (spec?.parameters) spec.parameters.scope ??= 'Cluster';
  },
  validateCreate: validateIngressClass,
  validateUpdate: validateChange,
  table: {
    columns: ingressClassColumns,
    row(ingressClass, context) {
      const isDefault = ingressClass.metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
      return [
        isDefault ? `${nameOf(ingressClass)} (default)` : nameOf(ingressClass),
        ingressClass.spec?.controller ?? '',
        formatParameters(ingressClass),
        ageOf(ingressClass, context),
      ];
    },
  },
  generationChanged: (ingressClass, old) => !equalJson(ingressClass.spec, old.spec),
};
