import { X509Certificate } from 'node:crypto';
import {
  duplicate,
  type FieldError,
  FieldPath,
  forbidden,
  formatTime,
  humanDuration,
  invalid,
  type Mutable,
  notSupported,
  quoteGo,
  required,
} from '@tektite/meta';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestStatus,
} from '@tektite/schema/kubernetes';
import type { KindStrategy, StrategyContext } from '../../kind-strategy.ts';
import { setField } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { certificateSigningRequestColumns } from './columns.ts';
import { requestViolation } from './certificate-request.ts';
import { pemBlocks } from './pem.ts';
import { validateSignerName } from './signer-name.ts';

type Request = CertificateSigningRequest;

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const shortestLife = 600;
const legacySigner = 'kubernetes.io/legacy-unknown';

const conditionsOf = ({ status }: Request): readonly Partial<CertificateSigningRequestCondition>[] =>
  status?.conditions ?? [];
const textOf = (base64: string | null | undefined): string => Buffer.from(base64 ?? '', 'base64').toString('latin1');

function validateRequest(request: Request, old?: Request): FieldError[] {
  const errors: FieldError[] = [];
  const path = FieldPath.of('spec');
  const { request: encoded, signerName = '', expirationSeconds: seconds } = request.spec;
  const violation = requestViolation(textOf(encoded));
  if (violation !== undefined) errors.push(invalid(path.child('request'), encoded ?? null, violation));
  validateUsages(request.spec.usages ?? [], path.child('usages'), errors);
  if (signerName === legacySigner)
    errors.push(
      invalid(path.child('signerName'), signerName, 'the legacy signerName is not allowed via this API version'),
    );
  else validateSignerName(signerName, path.child('signerName'), errors);
  if (seconds !== undefined && seconds < shortestLife)
    errors.push(
      invalid(
        path.child('expirationSeconds'),
        seconds,
        'may not specify a duration less than 600 seconds (10 minutes)',
      ),
    );
  validateConditions(request, FieldPath.of('status', 'conditions'), errors);
  const certificate = request.status?.certificate;
  if (certificate && certificate !== old?.status?.certificate) validateCertificate(textOf(certificate), errors);
  return errors;
}

function validateUsages(list: readonly string[], path: FieldPath, errors: FieldError[]): void {
  if (list.length === 0) errors.push(required(path));
  for (const [i, usage] of list.entries())
    if (!usages.includes(usage)) errors.push(notSupported(path.index(i), usage, usages));
  const seen = new Set<string>();
  for (const [i, usage] of list.entries()) {
    if (seen.has(usage)) errors.push(duplicate(path.index(i), usage));
    seen.add(usage);
  }
}

function validateConditions(request: Request, path: FieldPath, errors: FieldError[]): void {
  const seen = new Set<string>();
  for (const [i, { type = '', status = '' }] of conditionsOf(request).entries()) {
    const at = path.index(i);
    const final = ['Approved', 'Denied', 'Failed'].includes(type);
    const statuses = final ? ['True'] : ['False', 'True', 'Unknown'];
    if (type === '') errors.push(required(at.child('type')));
    if (status === '') errors.push(required(at.child('status')));
    else if (!statuses.includes(status)) errors.push(notSupported(at.child('status'), status, statuses));
    if ((type === 'Approved' && seen.has('Denied')) || (type === 'Denied' && seen.has('Approved')))
      errors.push(invalid(path, type, 'Approved and Denied conditions are mutually exclusive'));
    if (seen.has(type)) errors.push(duplicate(at.child('type'), type));
    seen.add(type);
  }
}

function validateCertificate(pem: string, errors: FieldError[]): void {
  const violation = certificateViolation(pem);
  if (violation !== undefined)
    errors.push(invalid(FieldPath.of('status', 'certificate'), '<certificate data>', violation));
}

function certificateViolation(pem: string): string | undefined {
  const blocks = pemBlocks(pem);
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${quoteGo(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    if (!isCertificate(bytes)) return 'x509: malformed certificate';
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

function isCertificate(bytes: Buffer): boolean {
  try {
    return new X509Certificate(bytes).raw.length > 0;
  } catch {
    return false;
  }
}

/** The permissions of an update's path: to approve, or to issue. */
interface Permissions {
  readonly approve?: boolean;
  readonly issue?: boolean;
}

function validateChange(request: Request, old: Request, { approve, issue }: Permissions = {}): FieldError[] {
  const errors = validateRequest(request, old);
  const path = FieldPath.of('status', 'conditions');
  const count = (from: Request, type: string) => conditionsOf(from).filter((item) => item.type === type).length;
  for (const type of ['Approved', 'Denied', 'Failed'])
    if (count(request, type) < count(old, type))
      errors.push(forbidden(path, `updates may not remove a condition of type "${type}"`));
  if (!approve)
    for (const type of ['Approved', 'Denied'])
      if (count(request, type) > count(old, type))
        errors.push(forbidden(path, `updates may not add a condition of type "${type}"`));
  const [now, before] = [request.status?.certificate || undefined, old.status?.certificate || undefined];
  if (now === before) return errors;
  const certificatePath = FieldPath.of('status', 'certificate');
  if (!issue) errors.push(forbidden(certificatePath, 'updates may not set certificate content'));
  else if (before) errors.push(forbidden(certificatePath, 'updates may not modify existing certificate content'));
  return errors;
}

/** Who asks is known to the server; what others decide is not for the author to say. */
function prepareForCreate(request: Mutable<Request>, { user }: StrategyContext): void {
  const { spec } = request;
  setField(spec, 'username', user.name || undefined);
  setField(spec, 'uid', user.uid || undefined);
  setField(spec, 'groups', user.groups.length > 0 ? [...user.groups] : undefined);
  setField(spec, 'extra', user.extra && Object.keys(user.extra).length > 0 ? structuredClone(user.extra) : undefined);
  request.status = {};
}

function fillTimes(request: Mutable<Request>, old: Request, now: number): void {
  const time = formatTime(now);
  for (const condition of (request.status?.conditions ?? []) as Mutable<CertificateSigningRequestCondition>[]) {
    condition.lastUpdateTime ||= time;
    condition.lastTransitionTime ||=
      conditionsOf(old).find(
        ({ type, status, lastTransitionTime }) =>
          type === condition.type && status === condition.status && lastTransitionTime,
      )?.lastTransitionTime ?? time;
  }
}

/** A write of the status keeps what was decided, unless it adds or removes a decision, which is refused. */
function keepDecisions(request: Mutable<Request>, old: Request): void {
  const conditions = (request.status?.conditions ?? []) as Mutable<CertificateSigningRequestCondition>[];
  for (const decision of ['Approved', 'Denied']) {
    const before = conditionsOf(old).filter(({ type }) => type === decision);
    const places = [...conditions.keys()].filter((i) => conditions[i]?.type === decision);
    if (places.length !== before.length) continue;
    for (const [i, place] of places.entries())
      conditions[place] = { ...before[i] } as Mutable<CertificateSigningRequestCondition>;
  }
}

function statusCell(request: Request): string {
  const has = (type: string) => conditionsOf(request).some((condition) => condition.type === type);
  const parts = [has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending'];
  if (has('Failed')) parts.push('Failed');
  if (request.status?.certificate) parts.push('Issued');
  return parts.join(',');
}

export const certificateSigningRequestStrategy: KindStrategy<Request> = {
  metadataRules: { onUpdate: 'both' },
  validateName: () => [],
  prepareForCreate,
  prepareForUpdate(request, old) {
    setField(request, 'spec', old.spec);
    setField(request, 'status', old.status);
  },
  validateCreate: (request) => validateRequest(request),
  validateUpdate: (request, old) => validateChange(request, old),
  subresources: {
    status: {
      prepareForUpdate(request, old, { now }) {
        setField(request, 'spec', old.spec);
        keepDecisions(request, old);
        fillTimes(request, old, now);
      },
      validateUpdate: (request, old) => validateChange(request, old, { issue: true }),
    },
    approval: {
      prepareForUpdate(request, old, { now }) {
        fillTimes(request, old, now);
        const conditions = request.status?.conditions;
        setField(request, 'spec', old.spec);
        const status = structuredClone(old.status ?? {}) as Mutable<CertificateSigningRequestStatus>;
        setField(status, 'conditions', conditions);
        request.status = status;
      },
      validateUpdate: (request, old) => validateChange(request, old, { approve: true }),
    },
  },
  selectableFields: ['spec.signerName'],
  fields: ({ spec }) => ({ 'spec.signerName': spec.signerName ?? '' }),
  table: {
    columns: certificateSigningRequestColumns,
    row(request, context) {
      const { signerName, username, expirationSeconds } = request.spec;
      return [
        nameOf(request),
        ageOf(request, context),
        signerName || '<none>',
        username ?? '',
        expirationSeconds === undefined ? '<none>' : humanDuration(expirationSeconds * 1000),
        statusCell(request),
      ];
    },
  },
};
