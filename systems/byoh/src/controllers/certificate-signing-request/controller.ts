import { kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped } from '@tektite/controller';
import { cacheKey } from '@tektite/controller/cache';
import { claimHome, homeName, hostOfHome, namespaceOfHome } from '../../host/host-home.ts';
import { hostsByName } from '../../host/hosts-by-name.ts';
import { csrPrefix } from '../../wire-names.ts';
import { approve } from './act.ts';
import { decideRequest, notAtHome } from './decide.ts';
import { observeSubject } from './observe.ts';

export interface CsrApproverOptions {
  /** The namespace of the records of homes. */
  readonly records: string;
  /** People approve. Hosts get their rights all the same, once their request is approved. */
  readonly isManual: boolean;
}

/**
 * Approves the requests of hosts that ask for their own certificate, and records the home of each host that comes with a token.
 * The record is written before the approval and found again after a crash; where a person approves, it follows the approval.
 */
export function csrApprover({ records, isManual }: CsrApproverOptions): ControllerDefinition {
  // A renewal may be older than the record of its host, right after an upgrade.
  const homes = mapped(
    kinds.ConfigMap,
    (record, own) => [...own.keys()].filter((key) => key.startsWith(`${csrPrefix}${hostOfHome(record)}`)),
    { namespace: records, predicate: ({ object }) => hostOfHome(object) !== undefined },
  );
  return defineController({
    name: 'byoh-csr-approver',
    kind: kinds.CertificateSigningRequest,
    sources: [hostsByName, homes],
    predicate: ({ object }) => object.metadata.name?.startsWith(csrPrefix) ?? false,
    async reconcile(request, { client, cache, clock, log, event, signal }) {
      const subject = await observeSubject(request);
      if (subject instanceof Error) {
        log.warn('a request cannot be read', { error: subject });
        return;
      }
      const leave = (reason: string, message: string) => {
        log.warn('not approved', { why: message });
        event({ type: 'Warning', reason, message });
      };
      const decision = decideRequest(request, subject, {
        isRegistered: (name) => cache(hostsByName).byIndex('name', name).length > 0,
        homeOf: (name) => {
          const record = cache(homes).get(cacheKey({ namespace: records, name: homeName(name) }));
          return record && namespaceOfHome(record);
        },
      });
      if (decision.type === 'decided') return;
      if (decision.type === 'leave') {
        if (!isManual) leave('NotApproved', decision.why);
        return;
      }
      if (decision.type === 'approve' && isManual) return;
      const { host, claims } = decision;
      if (claims !== undefined && (await claimHome(client, records, host, claims, signal)) !== claims) {
        leave(decision.type === 'admit' ? 'NotAdmitted' : 'NotApproved', notAtHome(host));
        return;
      }
      if (decision.type === 'approve') await approve(client, request, clock);
    },
  });
}
