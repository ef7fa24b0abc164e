/** The parts of the scripts that differ between package managers. All run with the functions of `stateFunctions`. */
export interface PackageScripts {
  /** The programs that an installation needs on the host, besides the programs that all hosts have. */
  readonly programs: string;
  /** Fails when `$bundle/$file` is no package. */
  readonly readable: string;
  /** Sets `missing` where a package of the bundle could not be installed, and defines `package_of FILE` and `is_installed PACKAGE`. */
  readonly check: string;
  /** The scripts for programs that may keep Pods from each other and from their files: the firewall, SELinux. */
  readonly relax: string;
  /** Runs before the first installation of `$bundle/$file`, with the name `$package`. */
  readonly prepare: string;
  /** Installs the files of the list `files`. One call for all: each reads what all of the host's packages are. */
  readonly install: string;
  /** Keeps updates of the host from replacing the packages of the list `held`. */
  readonly hold: string;
  /** Runs before packages are removed, and defines `is_here PACKAGE`: as a whole, or what is left of it. */
  readonly release: string;
  /** Removes the packages of the list `here`, as one command. */
  readonly remove: string;
  /** Runs for each `$package` that is no longer here. */
  readonly removed: string;
  /** Takes back what `relax` did. */
  readonly restore: string;
}
