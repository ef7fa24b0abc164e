import { equalJson, type FieldError, FieldPath, forbidden, invalid, notSupported, required } from '@tektite/meta';
import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { goValue } from '../go-value/go-value.ts';
import { keepStatus, resetStatus } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { priorityLevelConfigurationColumns } from './columns.ts';
import { validateConditionTypes } from './flow-schema.ts';

const maxQueues = 10_000_000;
const maxHashBits = 60;
const path = FieldPath.of('spec');

/** The level for requests that match no other; it cannot be changed. */
const catchAll: PriorityLevelConfigurationSpec = {
  type: 'Limited',
  limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
};

function validateLevel(level: PriorityLevelConfiguration): FieldError[] {
  const errors: FieldError[] = [];
  const name = nameOf(level);
  const spec: Partial<PriorityLevelConfigurationSpec> = level.spec ?? {};
  const annotation = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';
  if (level.metadata.annotations?.[annotation] !== undefined)
    errors.push(forbidden(FieldPath.of('metadata', 'annotations'), `annotation '${annotation}' is forbidden`));
  validateSpec(spec, name, errors);
  const shown = () => goValue('PriorityLevelConfigurationSpec', spec);
  const { exempt: _, ...fixedPart } = spec;
  if (name === 'exempt' && !equalJson(fixedPart, { type: 'Exempt' }))
    errors.push(invalid(path, shown(), `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`));
  if (name === 'catch-all' && !equalJson(spec, catchAll))
    errors.push(invalid(path, shown(), `spec of '${name}' must equal the fixed value`));
  validateConditionTypes(level, errors);
  return errors;
}

function validateSpec(spec: Partial<PriorityLevelConfigurationSpec>, name: string, errors: FieldError[]): void {
  const { type = '', limited, exempt } = spec;
  if ((name === 'exempt') !== (type === 'Exempt'))
    errors.push(invalid(path.child('type'), type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  if (type === 'Exempt') {
    if (limited) errors.push(forbidden(path.child('limited'), 'must be nil if the type is not Limited'));
    const { nominalConcurrencyShares: shares = 0, lendablePercent } = exempt ?? {};
    const at = path.child('exempt');
    if (shares < 0)
      errors.push(invalid(at.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer'));
    checkLendable(lendablePercent, at, errors);
  } else if (type === 'Limited') {
    if (exempt) errors.push(forbidden(path.child('exempt'), 'must be nil if the type is Limited'));
    if (!limited) errors.push(required(path.child('limited'), 'must not be empty when type is Limited'));
    else validateLimited(limited, path.child('limited'), errors);
  } else if (type === '') errors.push(required(path.child('type')));
  else errors.push(notSupported(path.child('type'), type, ['Exempt', 'Limited']));
}

function checkLendable(percent: number | undefined, at: FieldPath, errors: FieldError[]): void {
  if (percent !== undefined && (percent < 0 || percent > 100))
    errors.push(invalid(at.child('lendablePercent'), percent, 'must be between 0 and 100, inclusive'));
}

function validateLimited(limited: LimitedPriorityLevelConfiguration, at: FieldPath, errors: FieldError[]): void {
  const { nominalConcurrencyShares: shares, limitResponse, lendablePercent, borrowingLimitPercent } = limited;
  if ((shares ?? 0) < 0)
    errors.push(invalid(at.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer'));
  validateResponse(limitResponse ?? {}, at.child('limitResponse'), errors);
  checkLendable(lendablePercent, at, errors);
  if (borrowingLimitPercent !== undefined && borrowingLimitPercent < 0)
    errors.push(
      invalid(at.child('borrowingLimitPercent'), borrowingLimitPercent, 'if specified, must be a non-negative integer'),
    );
}

function validateResponse({ type = '', queuing }: Partial<LimitResponse>, at: FieldPath, errors: FieldError[]): void {
  if (type === 'Reject') {
    if (queuing)
      errors.push(forbidden(at.child('queuing'), 'must be nil if limited.limitResponse.type is not Limited'));
  } else if (type === 'Queue') {
    if (!queuing)
      errors.push(required(at.child('queuing'), 'must not be empty if limited.limitResponse.type is Limited'));
    else validateQueuing(queuing, at.child('queuing'), errors);
  } else if (type === '') errors.push(required(at.child('type')));
  else errors.push(notSupported(at.child('type'), type, ['Queue', 'Reject']));
}

function validateQueuing(queuing: QueuingConfiguration, at: FieldPath, errors: FieldError[]): void {
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing;
  if (queueLengthLimit <= 0) errors.push(invalid(at.child('queueLengthLimit'), queueLengthLimit, 'must be positive'));
  if (queues <= 0) errors.push(invalid(at.child('queues'), queues, 'must be positive'));
  else if (queues > maxQueues)
    errors.push(invalid(at.child('queues'), queues, `must not be greater than ${maxQueues}`));
  const report = (detail: string) => errors.push(invalid(at.child('handSize'), handSize, detail));
  if (handSize <= 0) report('must be positive');
  else if (handSize > queues) report(`should not be greater than queues (${queues})`);
  else if (entropyBits(queues, handSize) > maxHashBits)
    report(
      `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxHashBits}`,
    );
}

/** How many bits it takes to choose a hand of queues. */
function entropyBits(deckSize: number, handSize: number): number {
  return Math.ceil(Math.log2(deckSize) * handSize);
}

export const priorityLevelConfigurationStrategy: KindStrategy<PriorityLevelConfiguration> = {
  metadataRules: { onUpdate: 'create' },
  default({ spec }) {
    if (spec?.exempt) {
      spec.exempt.nominalConcurrencyShares ??= 0;
      spec.exempt.lendablePercent ??= 0;
    }
    if (!spec?.limited) return;
    spec.limited.nominalConcurrencyShares ??= 30;
    spec.limited.lendablePercent ??= 0;
    const queuing = spec.limited.limitResponse?.queuing;
    if (!queuing) return;
    queuing.handSize ||= 8;
    queuing.queues ||= 64;
    queuing.queueLengthLimit ||= 50;
  },
  prepareForCreate: resetStatus,
  prepareForUpdate: keepStatus,
  validateCreate: validateLevel,
  validateUpdate: validateLevel,
  subresources: {
    status: {
      validateUpdate(level) {
        const errors: FieldError[] = [];
        validateConditionTypes(level, errors);
        return errors;
      },
    },
  },
  table: {
    columns: priorityLevelConfigurationColumns,
    row(level, context) {
      const { type, limited } = level.spec ?? {};
      const queuing = limited?.limitResponse?.queuing;
      return [
        nameOf(level),
        type ?? '',
        limited?.nominalConcurrencyShares ?? '<none>',
        queuing?.queues ?? '<none>',
        queuing?.handSize ?? '<none>',
        queuing?.queueLengthLimit ?? '<none>',
        ageOf(level, context),
      ];
    },
  },
  generationChanged: (level, old) => !equalJson(level.spec, old.spec),
};
