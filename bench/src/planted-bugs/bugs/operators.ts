import type { PlantedBug } from '../planted-bug.ts';

const byoh = 'systems/byoh/src';
const installer = 'core/installer/src';
const listeners = 'systems/triggers/src/controllers/event-listener';

/** Bugs of byoh, Connectors, the Tekton Operator and Triggers. */
export const operatorBugs: readonly PlantedBug[] = [
  {
    title: 'a machine claims a host without the version in which it was free',
    class: 'lost update',
    file: `${byoh}/patch-object.ts`,
    find: "const metadata = { ...(main['metadata'] as object | undefined), ...lock(current) };",
    replace: "const metadata = { ...(main['metadata'] as object | undefined) };",
    scenario: 'machines',
  },
  {
    title: 'a machine keeps a second host that it claimed when an answer was lost',
    class: 'intermediate state',
    file: `${byoh}/controllers/byo-machine/act.ts`,
    find: 'for (const { before, after } of decision.releases ?? [])',
    replace: 'for (const { before, after } of [] as never[])',
    scenario: 'machines',
  },
  {
    title: 'a machine leaves its node behind when it is deleted',
    class: 'wrong deletion',
    file: `${byoh}/controllers/byo-machine/act.ts`,
    find: "if (workload && providerID !== '') await deleteNode(workload, providerID);",
    replace: "if (providerID !== '') return undefined;",
    scenario: 'machines',
  },
  {
    title: 'a machine is deleted while its node could not be',
    class: 'missed rollback',
    file: `${byoh}/controllers/byo-machine/act.ts`,
    find: 'if (unreached !== undefined) {',
    replace: 'if (unreached === "") {',
    scenario: 'machines',
  },
  {
    title: 'a machine takes the configuration of an earlier machine of its name',
    class: 'stale state',
    file: `${byoh}/controllers/byo-machine/observe.ts`,
    find: 'if (config) return { config: hasOwner(config, machine) ? config : { ...config, status: {} }, template: undefined };',
    replace: 'if (config) return { config, template: undefined };',
    scenario: 'machines',
  },
  {
    title: 'a set deletes kinds that it keeps',
    class: 'wrong deletion',
    file: `${installer}/remove-set.ts`,
    find: 'metadata.name && !keptKinds.includes(kind));',
    replace: 'metadata.name);',
    scenario: 'connector-uninstall',
  },
  {
    title: 'a set does not delete what left it',
    class: 'unbounded growth',
    file: `${installer}/prune-set.ts`,
    find: "return live.metadata.deletionTimestamp ? 'wait' : 'delete';",
    replace: "return 'settled';",
    scenario: 'connector-change',
  },
  {
    title: 'a set settles objects that are still being deleted',
    class: 'missed rollback',
    file: `${installer}/install-set.ts`,
    find: 'if (pruned?.error) return failed(pruned.error);',
    replace: 'if (pruned?.error) return undefined;',
    scenario: 'connector-change',
  },
  {
    title: 'a set that failed is not tried again',
    class: 'missed rollback',
    file: `${installer}/install-set.ts`,
    find: 'return failed(failure.error ?? new Error(message));',
    replace: 'return done;',
    scenario: 'connector-install',
  },
  {
    title: 'a listener does not observe that its Service is deleted',
    class: 'unobserved state',
    file: `${listeners}/controller.ts`,
    find: 'const services = owned(kinds.Service);',
    replace: "const services = owned(kinds.Service, { predicate: ({ type }) => type === 'added' });",
    scenario: 'listeners',
  },
  {
    title: 'a listener does not try again when its Service could not be written',
    class: 'missed rollback',
    file: `${listeners}/controller.ts`,
    find: 'return (serviceError ?? serving.servingError) ? requeueAfter(retryMs) : undefined;',
    replace: 'return undefined;',
    scenario: 'listeners',
  },
];
