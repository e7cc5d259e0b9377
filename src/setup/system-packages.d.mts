export interface SystemPackage {
  readonly name: string
  /** Packages that are installed with it. */
  readonly more?: readonly string[]
  /** Any one of these is enough. */
  readonly programs: readonly string[]
  /** What the suites use it for: "to ..." */
  readonly purpose: string
  /** Beginnings of the paths, under test/, of the suites that need it. */
  readonly suites: readonly string[]
}
export const SYSTEM_PACKAGES: readonly SystemPackage[]
export function missingPackages(): SystemPackage[]
export function neededPackages(testFiles: readonly string[]): SystemPackage[]
export function findBrowser(): string | undefined
export function findProgram(program: string): string | undefined
