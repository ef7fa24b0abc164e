import { type RealControlPlane, startRealControlPlane } from '@tektite/testkit';
import { afterEach, describe } from 'vitest';
import { provisionCases } from './provision.cases.ts';

let plane: RealControlPlane | undefined;
afterEach(() => plane?.close());
const open = async () => (plane = await startRealControlPlane());

// Each on a separate server: the setup of one case does not affect the others.
describe('machines on a real kube-apiserver', () => provisionCases(open));
