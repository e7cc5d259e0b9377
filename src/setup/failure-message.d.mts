export interface Cause {
  readonly problem: string
  readonly remedy: string
}
export function findCause(output: string): Cause | undefined
export function formatFailure(
  cause: Cause,
  context: { readonly command: string; readonly logFile?: string | undefined },
): string
