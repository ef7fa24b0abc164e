import { type FieldError, FieldPath, invalid, required } from '@tektite/meta';
import { parseRequestUri } from '../format/go-url.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';

const approval = 'api-approved.kubernetes.io';

type ApprovalState = 'missing' | 'bypassed' | 'approved' | 'invalid';

function approvalState(crd: CustomResourceDefinition): ApprovalState {
  const annotation = crd.metadata.annotations?.[approval] ?? '';
  if (annotation === '') return 'missing';
  if (annotation.startsWith('unapproved')) return 'bypassed';
  const url = parseRequestUri(annotation);
  return typeof url !== 'string' && url.host !== '' && url.scheme !== '' ? 'approved' : 'invalid';
}

/** Groups of the Kubernetes community require the approval annotation. */
export function checkApproval(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(crd.spec.group ?? '')) return [];
  const state = approvalState(crd);
  if (old && approvalState(old) === state) return [];
  const path = FieldPath.of('metadata', 'annotations').key(approval);
  const words = `protected groups must have approval annotation "${approval}"`;
  const more = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (state === 'missing') return [required(path, `${words}, ${more}`)];
  if (state !== 'invalid') return [];
  const detail = `${words} with either a URL or a reason starting with "unapproved", ${more}`;
  return [invalid(path, crd.metadata.annotations?.[approval], detail)];
}
