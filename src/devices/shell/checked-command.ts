import type { CallLimits } from '../adb/call-limits.ts'
import type { CommandResult } from './command-stream.ts'
import type { CommandRunner } from './device-shell.ts'
import { OperationFailure } from '../adb/operation-failure.ts'

/** Runs a command that must succeed. Checks also the output, because some Android tools report errors with exit code 0. */
export async function runChecked(
  runner: CommandRunner,
  commandLine: string,
  limits: CallLimits,
): Promise<CommandResult> {
  const result = await runner.run(commandLine, limits)
  const errorLine = ERROR_LINE.exec(readOutput(result))?.[0]
  if (result.exitCode === 0 && errorLine === undefined) return result
  // Only the program name: the arguments may contain text a person typed.
  const program = commandLine.split(' ', 1)[0] ?? ''
  const message = `${program} ended with exit code ${result.exitCode}`
  throw new OperationFailure('COMMAND_FAILED', message, errorLine ?? readOutput(result).slice(0, 500))
}

const ERROR_LINE = /^(?:Error\b|Exception occurred|Security exception|[\w.]+Exception(?::|$)).*/m

/** Both streams as text: which one carries an error varies between Android releases. */
export function readOutput({ stdout, stderr }: CommandResult): string {
  return `${stdout.toString('utf8')}\n${stderr.toString('utf8')}`.trim()
}
