/** The user namespace of a new container, in the words of the sandbox program: none for root, else one with this user in it. */
export function newNamespace({ userNamespace }: { readonly userNamespace: boolean }): string {
  return userNamespace ? `self:${process.getuid?.()}:${process.getgid?.()}` : 'none';
}

/** The user namespace of a process. */
export function namespaceOf({ userNamespace }: { readonly userNamespace: boolean }, pid: number): string {
  return userNamespace ? `join:${pid}` : 'none';
}
