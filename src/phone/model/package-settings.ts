/** What commands set for installed packages: permissions, operations, languages. */
export interface PackageSettings {
  /** Granted runtime permissions by package. */
  readonly granted: Map<string, Set<string>>
  /** Modes of operations by package: `appops set`. */
  readonly operations: Map<string, Map<string, string>>
  /** Packages that `pm disable-user` switched off. */
  readonly disabled: Set<string>
  /** Packages that may work while the phone is idle. */
  readonly idleAllowed: Set<string>
  /** Languages by package: `cmd locale`. */
  readonly locales: Map<string, string>
}

export function createPackageSettings(): PackageSettings {
  return {
    granted: new Map(),
    operations: new Map(),
    disabled: new Set(),
    idleAllowed: new Set(),
    locales: new Map(),
  }
}
