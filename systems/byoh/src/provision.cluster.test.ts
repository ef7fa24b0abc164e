import { type RealControlPlane, startRealControlPlane } from '@tektite/testkit';
import { afterEach, describe } from 'vitest';
import { provisionCases } from './provision.cases.ts';
import { securityCases } from './security.cases.ts';

let plane: RealControlPlane | undefined;
afterEach(() => plane?.close());
const open = async () => (plane = await startRealControlPlane());

describe('on a real kube-apiserver', () => {
  provisionCases(open);
  securityCases(open);
});
