import type { Transform } from '@tektite/manifest';
import type { Mutable } from '@tektite/meta';
import type { Scheduling } from '../kinds/shared-fields.ts';
import { templateIn } from './workload.ts';

/** Where Pods run. This replaces what the release says, also by nothing. */
export function schedulePods(scheduling: Scheduling = {}): Transform {
  return function schedulePods(draft) {
    const template = templateIn(draft, 'Deployment', 'StatefulSet');
    if (!template) return;
    const { nodeSelector, tolerations, priorityClassName } = scheduling;
    const { nodeSelector: _n, tolerations: _t, priorityClassName: _p, ...rest } = template.spec;
    template.spec = {
      ...rest,
      ...(nodeSelector && Object.keys(nodeSelector).length > 0 ? { nodeSelector } : {}),
      ...(tolerations && tolerations.length > 0 ? { tolerations } : {}),
      ...(priorityClassName ? { priorityClassName } : {}),
    } as Mutable<typeof template.spec>;
  };
}
