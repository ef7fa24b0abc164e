import { type RealControlPlane, startRealControlPlane } from '@tektite/testkit';
import { afterEach, describe } from 'vitest';
import { accessMatrixCases } from './access-matrix.cases.ts';
import { enrolmentCases } from './enrolment.cases.ts';
import { provisionCases } from './provision.cases.ts';
import { securityCases } from './security.cases.ts';

let plane: RealControlPlane | undefined;
afterEach(() => plane?.close());
const open = async () => (plane = await startRealControlPlane());

// Each in a separate namespace: the setup of one case does not affect the others.
describe('machines on a real kube-apiserver', () => provisionCases(open));
describe('security on a real kube-apiserver', () => securityCases(open));
describe('access on a real kube-apiserver', () => accessMatrixCases(open));
describe('enrolment on a real kube-apiserver', () => enrolmentCases(open));
