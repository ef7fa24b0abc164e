import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterEach } from 'vitest';
import { accessMatrixCases } from './access-matrix.cases.ts';

let plane: ControlPlane | undefined;
afterEach(() => plane?.close());

accessMatrixCases(async () => (plane = await startControlPlane()));
