/** The Tekton Operator on Tektite's controller runtime. */

// The system
export type { TektonOperatorOptions } from './operator-options.ts';
export { tektonOperatorSystem } from './system.ts';

// Plans
export { type ComponentPlan, type PlannedFate, type PlannedFateOf, planTektonConfig } from './plan/plan-config.ts';

// Installer sets, for those who show them
export { objectsOf } from './installer-set/shared-objects.ts';
export { tektonDialect } from './installer-set/tekton-dialect.ts';

export type { TknProgram } from './extension/platform-services.ts';

// The pruner that it installs
export { prunerSystem } from './event-pruner/pruner-system.ts';

// The webhook that gives run Pods a proxy
export { proxyWebhookSystem } from './proxy-webhook/proxy-webhook-system.ts';

// Where releases come from
export { folderPayload } from './payload/folder-payload.ts';
export { type MadeRelease, objectPayload } from './payload/object-payload.ts';
export { isPayloadError, PayloadError, payloadErrors, type PayloadSource } from './payload/payload-source.ts';
export { type ReleaseUrl, urlPayload } from './payload/url-payload.ts';

// Platform extensions
export type { ComponentExtension, ExtensionContext, PlatformExtension } from './extension/extension.ts';

// Kinds
export { allKinds } from './kinds/all-kinds.ts';
export { TektonInstallerSet, TektonPipeline } from './kinds/kinds.ts';
export { TektonConfig } from './kinds/tekton-config.ts';
