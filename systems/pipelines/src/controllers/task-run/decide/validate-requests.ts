import { Quantity } from '@tektite/meta';
import type { TaskSpec } from '../../../kinds/task-spec.ts';
import { userError } from '../../../conditions/run-failure.ts';

type Amounts = Readonly<Record<string, string>>;

/** Whether no step asks for more than it may use. */
export function validateRequests({ steps = [], stepTemplate }: TaskSpec): void {
  const common = (stepTemplate?.computeResources?.limits ?? {}) as Amounts;
  for (const { computeResources } of steps) {
    const limits = { ...common, ...(computeResources?.limits as Amounts | undefined) };
    for (const [name, amount] of Object.entries((computeResources?.requests ?? {}) as Amounts)) {
      const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
      if (limit === undefined || Quantity.parse(amount).compare(Quantity.parse(limit)) <= 0) continue;
      throw userError(
        'TaskRunValidationFailed',
        `invalid request resource value: ${Quantity.parse(amount)} must be less or equal to limit ${Quantity.parse(limit)}`,
      );
    }
  }
}
