import type { ComponentDescription } from '../component/component-description.ts';
import { needsPipelines, notNamespace, standardConditions } from '../component/standard-conditions.ts';
import { TektonDashboard } from '../kinds/kinds.ts';
import { dashboardTransforms } from '../transform/dashboard-transforms.ts';

/** The Tekton Dashboard. */
export const dashboardComponent: ComponentDescription<TektonDashboard> = {
  kind: TektonDashboard,
  name: 'dashboard',
  conditions: standardConditions,
  mainFailed: 'Main Reconcilation failed',
  folders: ({ readonly }) => [
    `tekton-dashboard/tekton-dashboard-${readonly ? 'readonly' : 'fullaccess'}`,
    'tekton-dashboard',
  ],
  versionMap: 'dashboard-info',
  imagePrefix: 'IMAGE_DASHBOARD_',
  createsNamespace: false,
  dependency: needsPipelines,
  applyDefaults: (spec) => spec,
  keep: notNamespace,
  steps: ({ spec, images, namespace }, extension) => [...extension, ...dashboardTransforms(spec, images, namespace)],
  obsoleteTypes: ['dashboard'],
};
