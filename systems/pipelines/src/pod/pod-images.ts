/** The images of Tekton's own containers. */
export interface PodImages {
  /** Has `/ko-app/entrypoint`. */
  readonly entrypoint: string;
  /** Ends at once: what sidecars are replaced with when they are no longer needed. */
  readonly nop: string;
  readonly sidecarLogResults: string;
  readonly workingDirInit: string;
  /** Has `sh`. */
  readonly shell: string;
  /** Has `pwsh`: for scripts that run on Windows. */
  readonly shellWindows?: string;
}
