import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterEach } from 'vitest';
import { enrolmentCases } from './enrolment.cases.ts';

let plane: ControlPlane | undefined;
afterEach(() => plane?.close());

enrolmentCases(async () => (plane = await startControlPlane()));
