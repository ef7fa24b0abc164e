import { Quantity } from '@tektite/meta';
import type { ResourceRequirements } from '@tektite/schema/kubernetes';
import type { TaskRunSpec, TaskRunStepSpec } from '../kinds/task-run-spec.ts';
import type { Step, TaskSpec } from '../kinds/task-spec.ts';

type Amounts = Readonly<Record<string, string>>;

/**
 * A Task whose steps and sidecars have the resources that its run wants: what it says of single ones, and what it says of
 * the whole. The steps have their template merged in.
 */
export function applyComputeResources(
  task: TaskSpec,
  { stepSpecs, sidecarSpecs, computeResources }: TaskRunSpec,
): TaskSpec {
  const steps = task.steps?.map((step) => override(step, stepSpecs));
  const sidecars = task.sidecars?.map((sidecar) => override(sidecar, sidecarSpecs));
  return {
    ...task,
    ...(steps ? { steps: steps.map((step) => withShare(step, computeResources, steps.length)) } : {}),
    ...(sidecars ? { sidecars } : {}),
  };
}

function override<T extends { readonly name?: string; readonly computeResources?: ResourceRequirements }>(
  container: T,
  specs: readonly TaskRunStepSpec[] = [],
): T {
  const spec = specs.find(({ name }) => name === container.name);
  if (!spec) return container;
  const { requests, limits } = container.computeResources ?? {};
  const { requests: moreRequests, limits: moreLimits, claims: moreClaims } = spec.computeResources;
  const merged = {
    ...container.computeResources,
    ...(requests || moreRequests ? { requests: { ...requests, ...moreRequests } } : {}),
    ...(limits || moreLimits ? { limits: { ...limits, ...moreLimits } } : {}),
    ...(moreClaims ? { claims: moreClaims } : {}),
  };
  return { ...container, computeResources: merged };
}

/**
 * Steps run one after the other, but their containers all live as long as the Pod: so each asks for a part, and may use
 * everything. Without requests of the run or the step, the parts are of the limits.
 */
function withShare(step: Step, all: ResourceRequirements | undefined, count: number): Step {
  if (!all?.requests && !all?.limits) return step;
  const own = step.computeResources;
  return { ...step, computeResources: share(all, own?.requests !== undefined, count, own) };
}

function share(
  { requests, limits }: ResourceRequirements,
  hasRequests: boolean,
  steps: number,
  own: ResourceRequirements = {},
): ResourceRequirements {
  const total = (requests ?? (hasRequests ? undefined : limits)) as Amounts | undefined;
  const parts = Object.entries(total ?? {}).map(([name, amount]) => [name, part(name, amount, steps)]);
  const { requests: _, limits: __, ...rest } = own;
  return {
    ...rest,
    ...(parts.length > 0 ? { requests: Object.fromEntries(parts) as Amounts } : {}),
    ...(limits ? { limits } : {}),
  };
}

/** Whole bytes, or thousandths of everything else. */
function part(name: string, amount: string, steps: number): string {
  const quantity = Quantity.parse(amount);
  const inBytes = name === 'memory' || name === 'ephemeral-storage';
  if (inBytes) return Quantity.of(quantity.value / BigInt(steps), 0, quantity.format).toString();
  return Quantity.of(quantity.milliValue / BigInt(steps), -3, quantity.format).toString();
}
