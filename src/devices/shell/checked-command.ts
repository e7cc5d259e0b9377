import type { CallLimits } from '../adb/call-limits.ts'
import type { CommandResult } from './command-stream.ts'
import type { CommandRunner } from './device-shell.ts'
import { OperationFailure } from '../adb/operation-failure.ts'

/** Runs a command that must succeed. Some of Android's tools report errors with exit code 0. */
export async function checked(
  runner: CommandRunner,
  commandLine: string,
  limits: CallLimits,
): Promise<CommandResult> {
  const result = await runner.run(commandLine, limits)
  const complaint = COMPLAINT.exec(spoken(result))?.[0]
  if (result.exitCode === 0 && complaint === undefined) return result
  // Only the program's name: the arguments may hold what a person typed.
  const program = commandLine.split(' ', 1)[0] ?? ''
  const message = `${program} ended with exit code ${result.exitCode}`
  throw new OperationFailure('COMMAND_FAILED', message, complaint ?? spoken(result).slice(0, 500))
}

const COMPLAINT = /^(?:Error\b|Exception occurred|Security exception|[\w.]+Exception(?::|$)).*/m

/** Both streams as text: which one carries an error varies between Android releases. */
export function spoken({ stdout, stderr }: CommandResult): string {
  return `${stdout.toString('utf8')}\n${stderr.toString('utf8')}`.trim()
}
