import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterEach } from 'vitest';
import { provisionCases } from './provision.cases.ts';

let plane: ControlPlane | undefined;
afterEach(() => plane?.close());
provisionCases(async () => (plane = await startControlPlane()));
