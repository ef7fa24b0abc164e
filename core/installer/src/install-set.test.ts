import { startControlPlane } from '@tektite/testkit';
import { installCases } from './install-set.cases.ts';

installCases('on the embedded server', () => startControlPlane());
