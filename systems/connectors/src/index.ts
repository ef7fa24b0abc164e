/** The Connectors operator: deploys applications from YAML with a Connector. */
export { Connector } from './kinds/connector.ts';
export { manifestDialect } from './controllers/install-manifest/manifest-dialect.ts';
export { InstallManifest } from './kinds/install-manifest.ts';
export { connectorsSystem, type ConnectorsOptions } from './system.ts';
export type { OperatorSettings } from './operator-settings.ts';
export { folderPayloads } from './payload/folder-payloads.ts';
export { type GivenPayload, memoryPayloads } from './payload/memory-payloads.ts';
export type { Payload, PayloadSource } from './payload/payload.ts';
export { payloadPermissions } from './payload/payload-permissions.ts';
