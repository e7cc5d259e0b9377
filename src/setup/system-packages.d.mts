export interface SystemPackage {
  readonly name: string
  readonly program: string
}
export const systemPackages: readonly SystemPackage[]
export function missingPackages(): SystemPackage[]
export function findProgram(program: string): string | undefined
