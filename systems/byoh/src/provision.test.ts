import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterEach } from 'vitest';
import { provisionCases } from './provision.cases.ts';
import { securityCases } from './security.cases.ts';

let plane: ControlPlane | undefined;
afterEach(() => plane?.close());
const open = async () => (plane = await startControlPlane());

provisionCases(open);
securityCases(open);
