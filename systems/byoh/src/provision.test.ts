import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterEach, describe } from 'vitest';
import { provisionCases } from './provision.cases.ts';
import { securityCases } from './security.cases.ts';

let plane: ControlPlane | undefined;
afterEach(() => plane?.close());
const open = async () => (plane = await startControlPlane());

// Each in a place of its own: what the cases set up before each test is not for the others.
describe('machines', () => provisionCases(open));
describe('security', () => securityCases(open));
