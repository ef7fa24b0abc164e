import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterEach, describe } from 'vitest';
import { provisionCases } from './provision.cases.ts';
import { securityCases } from './security.cases.ts';

let plane: ControlPlane | undefined;
afterEach(() => plane?.close());
const open = async () => (plane = await startControlPlane());

// Each in a separate namespace: the setup of one case does not affect the others.
describe('machines', () => provisionCases(open));
describe('security', () => securityCases(open));
