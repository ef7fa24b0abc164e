import { debScripts } from './deb-scripts.ts';
import type { PackageScripts } from './package-scripts.ts';
import { rpmScripts } from './rpm-scripts.ts';

/** The package manager of a host: dpkg of Debian and Ubuntu, rpm of Red Hat and Rocky. */
export type PackageSystem = 'deb' | 'rpm';

export const packageScripts: Readonly<Record<PackageSystem, PackageScripts>> = { deb: debScripts, rpm: rpmScripts };
