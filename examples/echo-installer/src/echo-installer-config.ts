import { defineKind, type ObjectOf, s } from '@tektite/schema';

const group = 'example.dev';
const version = 'v1';
const spec = s.object({ greeting: s.string().default('hello').describe('What the scripts say') });
const reference = s.object({
  apiVersion: s.string().optional(),
  kind: s.string().optional(),
  name: s.string().optional(),
  namespace: s.string().optional(),
});

/** The configuration of one machine. The contract requires `ready` and `installationSecret` in its status. */
export const EchoInstallerConfig = defineKind({
  group,
  version,
  kind: 'EchoInstallerConfig',
  fields: {
    spec: spec.optional(),
    status: s
      .object({
        ready: s.boolean().optional(),
        installationSecret: reference.optional(),
        failureReason: s.string().optional(),
        failureMessage: s.string().optional(),
      })
      .optional(),
  },
});
export type EchoInstallerConfig = ObjectOf<typeof EchoInstallerConfig>;

/** The template that machines refer to: its kind is that of the config, and `Template`. */
export const EchoInstallerConfigTemplate = defineKind({
  group,
  version,
  kind: 'EchoInstallerConfigTemplate',
  fields: { spec: s.object({ template: s.object({ spec }) }) },
});
