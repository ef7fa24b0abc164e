import { kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped, requeueAfter } from '@tektite/controller';
import { cacheKey } from '@tektite/controller/cache';
import { equalJson, isStatusError } from '@tektite/meta';
import { hostPartLabel } from '../../wire-names.ts';
import { fieldManager, grant, hostOfAccess, ownAccess } from '../../host/host-access.ts';
import { hostsByName } from '../../host/hosts-by-name.ts';
import { homeName, hostOfHome, namespaceOfHome } from '../../host/host-home.ts';

export interface HomeOptions {
  /** The namespace of the records. */
  readonly records: string;
  /** Machines may have hosts of other namespaces, and those hosts then read Secrets there. */
  readonly crossNamespaceHosts?: boolean;
}

const noNamespaceMs = 60_000;

/** Gives each host its rights at home: whenever a process dies, the record is enough to continue. */
export function homeController({ records }: HomeOptions): ControllerDefinition {
  const recordOf = ({ metadata }: { readonly metadata: { readonly name?: string } }) => {
    const access = hostOfAccess({ metadata });
    return access?.type === 'own' ? [cacheKey({ namespace: records, name: homeName(access.host) })] : [];
  };
  const roles = mapped(kinds.Role, (role) => recordOf(role), { labelSelector: hostPartLabel });
  const bindings = mapped(kinds.RoleBinding, (binding) => recordOf(binding), { labelSelector: hostPartLabel });
  return defineController({
    name: 'byoh-home',
    kind: kinds.ConfigMap,
    namespace: records,
    sources: [roles, bindings],
    predicate: ({ object }) => hostOfHome(object) !== undefined,
    async reconcile(record, { client, cache, signal, log }) {
      const host = hostOfHome(record);
      const namespace = namespaceOfHome(record);
      if (!host || namespace === '') return undefined;
      const access = ownAccess(host, namespace);
      const key = cacheKey({ namespace, name: access.role.metadata.name ?? '' });
      const role = cache(roles).get(key);
      const binding = cache(bindings).get(key);
      const isSame =
        equalJson(role?.rules, access.role.rules) &&
        equalJson(binding?.subjects, access.binding.subjects) &&
        // Those of earlier versions were deleted with the ByoHost.
        !role?.metadata.ownerReferences?.length;
      if (isSame) return undefined;
      try {
        await grant(client, access, signal);
        log.info('the host has its rights', { host, home: namespace });
        return undefined;
      } catch (error) {
        // The namespace does not exist, or is being deleted.
        if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Forbidden')) throw error;
        log.warn('the host cannot have its rights', { host, home: namespace, error });
        return requeueAfter(noNamespaceMs);
      }
    },
  });
}

/**
 * Takes rights from a host in each namespace that is not its home: after an administrator changed or deleted the record, and
 * what hosts of earlier versions got in namespaces that they were never meant to enter.
 */
export function strayAccessController({ records, crossNamespaceHosts = false }: HomeOptions): ControllerDefinition {
  const homes = mapped(
    kinds.ConfigMap,
    (record, own) => [...own.keys()].filter((key) => hostOfAccess(keyed(key))?.host === hostOfHome(record)),
    { namespace: records, predicate: ({ object }) => hostOfHome(object) !== undefined },
  );
  return defineController({
    name: 'byoh-stray-access',
    kind: kinds.RoleBinding,
    labelSelector: hostPartLabel,
    sources: [homes, hostsByName],
    async reconcile({ metadata, roleRef, subjects = [], ...type }, { client, cache, namespace = '', signal, log }) {
      const access = hostOfAccess({ metadata });
      if (!access || subjects.length === 0) return;
      const { host } = access;
      const record = cache(homes).get(cacheKey({ namespace: records, name: homeName(host) }));
      const home = record && namespaceOfHome(record);
      if (home === namespace) return;
      if (access.type === 'secrets' && crossNamespaceHosts && home) return;
      // Its home is about to be recorded, see `host-controller.ts`.
      if (home === undefined && cache(hostsByName).byIndex('name', host).length > 0) return;
      log.warn('the host loses rights outside its home', { host, home, role: metadata.name });
      const { name = '', labels = {}, ownerReferences = [] } = metadata;
      const empty = { ...type, metadata: { name, namespace, labels, ownerReferences }, roleRef, subjects: [] };
      await client.apply(kinds.RoleBinding, empty as never, { force: true, fieldManager, signal });
    },
  });
}

function keyed(key: string): { readonly metadata: { readonly name: string } } {
  return { metadata: { name: key.slice(key.indexOf('/') + 1) } };
}
